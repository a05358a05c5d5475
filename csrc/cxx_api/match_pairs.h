// A match made by hand: pairs of a pattern's node and a graph's node.
#ifndef GE_CXX_API_MATCH_PAIRS_H_
#define GE_CXX_API_MATCH_PAIRS_H_

#include <utility>
#include <vector>

#include "base/status.h"
#include "fusion/boundary.h"
#include "fusion/pattern.h"
#include "ir/graph.h"

namespace ge::cxx_api {

class MatchPairs {
 public:
  Status Append(ir::Anchor pattern_node, ir::Anchor target_node);
  // Empty if the pattern's node is in no pair. Of a Data node: the tensor that it stands for.
  ir::Anchor Bound(const ir::Node* pattern_node) const;
  // Bound to other than Data nodes, by place in the node list, each once.
  std::vector<ir::Node*> Nodes() const;
  // Inputs and outputs as the pattern's Data nodes and NetOutput number them.
  Result<fusion::SubgraphBoundary> ToBoundary(const fusion::Pattern& pattern) const;
  const std::vector<std::pair<ir::Anchor, ir::Anchor>>& pairs() const { return pairs_; }

 private:
  std::vector<std::pair<ir::Anchor, ir::Anchor>> pairs_;
};

}  // namespace ge::cxx_api

#endif  // GE_CXX_API_MATCH_PAIRS_H_
