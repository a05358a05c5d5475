// MatchResult: one place in a graph that looks like a pattern.
#ifndef GE_FUSION_MATCH_RESULT_H_
#define GE_FUSION_MATCH_RESULT_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "ge/export.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/subgraph_boundary.h"
#include "graph/ascend_string.h"

namespace ge {
inline namespace v1 {
namespace fusion {

// One that a hook was given, or that a PatternMatcher gave, must not be used after the hook, or after the matcher is gone.
class GE_API MatchResult {
 public:
  // Empty; to be filled with AppendNodeMatchPair. The pattern must outlive it.
  explicit MatchResult(const Pattern *pattern);
  ~MatchResult();
  MatchResult(const MatchResult &other);
  MatchResult &operator=(const MatchResult &other);
  MatchResult(MatchResult &&other) noexcept;
  MatchResult &operator=(MatchResult &&other) noexcept;

  Status AppendNodeMatchPair(const NodeIo &pattern_node, const NodeIo &target_node);
  Status GetMatchedNode(const GNode &pattern_node, GNode &target_node) const;
  // Nodes bound to other than Data, constants included, in the order of the graph's node list, each once.
  std::vector<GNode> GetMatchedNodes() const;
  // By the order of the pattern's CaptureTensor calls.
  Status GetCapturedTensor(size_t index, NodeIo &tensor) const;
  const Graph &GetPatternGraph() const;
  // Null when the match has no boundary.
  std::unique_ptr<SubgraphBoundary> ToSubgraphBoundary() const;
  AscendString ToAscendString() const;

 private:
  friend struct detail::Access;
  struct Data;

  std::unique_ptr<Data> data_;
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_MATCH_RESULT_H_
