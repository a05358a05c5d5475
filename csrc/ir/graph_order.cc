#include "ir/graph.h"

#include <algorithm>
#include <queue>

#include "base/strings.h"
#include "ir/journal.h"

namespace ge::ir {

Status Graph::TopologicalSort() {
  if (ordered_) return Status::Ok();
  // Kahn's algorithm with the present position as priority: stable, and linear when little is out of place.
  std::unordered_map<const Node*, uint32_t> waiting;
  waiting.reserve(num_nodes_);
  auto earlier = [](const Node* a, const Node* b) { return a->order_ > b->order_; };
  std::priority_queue<Node*, std::vector<Node*>, decltype(earlier)> ready(earlier);
  for (Node* n = first_; n != nullptr; n = n->next_) {
    uint32_t count = n->num_connected_inputs() + static_cast<uint32_t>(n->control_inputs().size());
    if (count == 0) {
      ready.push(n);
    } else {
      waiting.emplace(n, count);
    }
  }
  std::vector<Node*> sorted;
  sorted.reserve(num_nodes_);
  auto release = [&](Node* n) {
    auto found = waiting.find(n);
    if (--found->second == 0) {
      waiting.erase(found);
      ready.push(n);
    }
  };
  while (!ready.empty()) {
    Node* n = ready.top();
    ready.pop();
    sorted.push_back(n);
    for (uint32_t i = 0; i < n->num_outputs_; ++i) {
      for (InputSlot& use : n->uses(i)) release(use.node_);
    }
    for (Node* c : n->control_outputs()) release(c);
  }
  if (sorted.size() != num_nodes_) {
    // Walk backwards from any node left over: among these there is a cycle.
    Node* n = const_cast<Node*>(waiting.begin()->first);
    for (const auto& entry : waiting) {
      if (entry.first->order_ < n->order_) n = const_cast<Node*>(entry.first);
    }
    std::vector<Node*> path;
    while (std::find(path.begin(), path.end(), n) == path.end()) {
      path.push_back(n);
      Node* back = nullptr;
      for (uint32_t i = 0; i < n->num_inputs_ && back == nullptr; ++i) {
        Node* source = n->inputs_[i].source_.node;
        if (source != nullptr && waiting.count(source)) back = source;
      }
      for (Node* c : n->control_inputs()) {
        if (back == nullptr && waiting.count(c)) back = c;
      }
      n = back;
    }
    std::string cycle;
    auto begin = std::find(path.begin(), path.end(), n);
    for (auto it = path.rbegin(); it != std::make_reverse_iterator(begin); ++it) {
      if (path.rbegin() - it < -8) {
        cycle += " -> ...";
        break;
      }
      cycle = cycle.empty() ? StrCat("'", (*it)->name_, "'") : StrCat(cycle, " -> '", (*it)->name_, "'");
    }
    return Status::Error(StrCat("graph '", name_, "' has a cycle: ", cycle, " -> '", (*path.rbegin())->name_, "'"));
  }
  auto relink = [this](const std::vector<Node*>& nodes, bool ordered) {
    first_ = last_ = nullptr;
    int64_t order = 0;
    for (Node* n : nodes) {
      n->prev_ = last_;
      n->next_ = nullptr;
      (last_ ? last_->next_ : first_) = n;
      n->order_ = order += kOrderGap;
      last_ = n;
    }
    ordered_ = ordered;
    by_type_fresh_ = false;
  };
  if (Journal* j = journal()) {
    std::vector<Node*> before;
    before.reserve(num_nodes_);
    for (Node* n = first_; n != nullptr; n = n->next_) before.push_back(n);
    j->Custom([relink, before = std::move(before)] { relink(before, false); });
  }
  relink(sorted, true);
  return Status::Ok();
}

}  // namespace ge::ir
