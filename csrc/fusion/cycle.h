// Forward searches along data and control edges, kept local by the order of the node list.
#ifndef GE_FUSION_CYCLE_H_
#define GE_FUSION_CYCLE_H_

#include <span>
#include <vector>

#include "fusion/node_set.h"
#include "ir/graph.h"

namespace ge::fusion {

class ForwardSearch {
 public:
  // Whether some path leaves `set` and comes back to it: then the set can't become one node. Nodes without a graph are
  // ignored.
  bool LeavesAndReturns(std::span<ir::Node* const> set);

  // Every node not after `last` in the list that is reachable from (and including) `starts`, without going through
  // nodes of `barrier`. In no particular order. Complete only while the list is topologically ordered.
  const std::vector<ir::Node*>& ReachableUpTo(std::span<ir::Node* const> starts, int64_t last, const NodeSet& barrier);

 private:
  template <typename Visit>
  static void ForEachSuccessor(const ir::Node& node, Visit visit);

  NodeSet set_;
  NodeSet seen_;
  std::vector<ir::Node*> queue_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_CYCLE_H_
