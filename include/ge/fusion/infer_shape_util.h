// Shape inference of a replacement.
#ifndef GE_FUSION_INFER_SHAPE_UTIL_H_
#define GE_FUSION_INFER_SHAPE_UTIL_H_

#include "ge/export.h"
#include "ge/fusion/match_result.h"
#include "ge/fusion/subgraph_boundary.h"
#include "graph/gnode.h"
#include "graph/graph.h"

namespace ge {
inline namespace v1 {
namespace fusion {

// Gives the replacement's inputs what is known of the tensors they stand for and infers all that follows.
class GE_API InferShapeUtil {
 public:
  static Status InferShape(const Graph &replacement, const SubgraphBoundary &boundary);
  static Status InferShape(const Graph &replacement, const MatchResult &match);
  // For a replacement of a single node: its connected inputs in order.
  static Status InferShape(const Graph &replacement, const GNode &node);
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_INFER_SHAPE_UTIL_H_
