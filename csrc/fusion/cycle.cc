#include "fusion/cycle.h"

#include <algorithm>
#include <limits>

#include "fusion/rewriter.h"

namespace ge::fusion {

template <typename Visit>
void ForwardSearch::ForEachSuccessor(const ir::Node& node, Visit visit) {
  for (uint32_t i = 0; i < node.num_outputs(); ++i) {
    for (ir::InputSlot& use : node.uses(i)) visit(use.node());
  }
  for (ir::Node* next : node.control_outputs()) visit(next);
}

bool ForwardSearch::LeavesAndReturns(std::span<ir::Node* const> set) {
  set_.Clear();
  seen_.Clear();
  queue_.clear();
  int64_t last = std::numeric_limits<int64_t>::min();
  bool ordered = true;
  for (ir::Node* n : set) {
    if (n->graph() == nullptr) continue;
    set_.Insert(n);
    last = std::max(last, n->order());
    ordered = ordered && n->graph()->topologically_ordered();
  }
  if (!ordered) last = std::numeric_limits<int64_t>::max();

  bool returned = false;
  bool inside = true;  // while the successors of the set itself are visited
  auto visit = [&](ir::Node* n) {
    if (set_.Contains(n)) {
      returned = returned || !inside;
    } else if (n->order() <= last && seen_.Insert(n)) {
      queue_.push_back(n);
    }
  };
  for (ir::Node* n : set) {
    if (n->graph() != nullptr) ForEachSuccessor(*n, visit);
  }
  inside = false;
  for (size_t head = 0; head < queue_.size() && !returned; ++head) ForEachSuccessor(*queue_[head], visit);
  return returned;
}

const std::vector<ir::Node*>& ForwardSearch::ReachableUpTo(std::span<ir::Node* const> starts, int64_t last,
                                                           const NodeSet& barrier) {
  seen_.Clear();
  queue_.clear();
  auto visit = [&](ir::Node* n) {
    if (n->order() <= last && !barrier.Contains(n) && seen_.Insert(n)) queue_.push_back(n);
  };
  for (ir::Node* n : starts) visit(n);
  for (size_t head = 0; head < queue_.size(); ++head) ForEachSuccessor(*queue_[head], visit);
  return queue_;
}

bool FusingMakesCycle(const std::vector<ir::Node*>& nodes) { return ForwardSearch().LeavesAndReturns(nodes); }

}  // namespace ge::fusion
