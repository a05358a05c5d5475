// SubgraphRewriter: puts a replacement in the place of a boundary.
#ifndef GE_FUSION_GRAPH_REWRITER_H_
#define GE_FUSION_GRAPH_REWRITER_H_

#include "ge/export.h"
#include "ge/fusion/subgraph_boundary.h"
#include "graph/graph.h"
#include "register/register_custom_pass.h"

namespace ge {
inline namespace v1 {
namespace fusion {

// The replacement is copied; all checks come before the first change. With a context (whose pass name must not be empty) it
// is also checked that the nodes can be fused, and the fusion is counted; the reason of a failure is in its error message.
class GE_API SubgraphRewriter {
 public:
  static Status Replace(const SubgraphBoundary &boundary, const Graph &replacement);
  static Status Replace(const SubgraphBoundary &boundary, Graph &&replacement);
  static Status Replace(const SubgraphBoundary &boundary, const Graph &replacement, CustomPassContext &context);
  static Status Replace(const SubgraphBoundary &boundary, Graph &&replacement, CustomPassContext &context);
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_GRAPH_REWRITER_H_
