#include "fusion/rewritten_places.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ge::fusion {
namespace {

// Larger places are only counted: they say no more than the operators that came and went.
constexpr size_t kMaxNodes = 500;

// A node that is gone (only before), new (only after) or changed (both).
struct Item {
  ir::Node* before = nullptr;  // in the copy
  ir::Node* after = nullptr;
};

void AddUnique(ir::Anchor anchor, std::vector<ir::Anchor>* list) {
  if (anchor && std::find(list->begin(), list->end(), anchor) == list->end()) list->push_back(anchor);
}

// One graph and its copy.
class Comparison {
 public:
  using Nodes = std::unordered_map<const ir::Node*, ir::Node*>;
  Comparison(ir::Graph* graph, ir::Graph* copy, const Nodes& copies, const Nodes& originals)
      : graph_(graph), copies_(copies), originals_(originals) {
    for (ir::Node* c : copy->nodes()) AddIfGoneOrChanged(c);
    for (ir::Node* n : graph->nodes()) {
      if (copies_.count(n) == 0) Add({nullptr, n});
    }
    AddReconnected();
    Group();
  }

  void AddTo(PassTrace* trace) {
    std::map<size_t, std::vector<size_t>> groups;  // by their first item
    for (size_t i = 0; i < items_.size(); ++i) {
      if (!shown_with_readers_.count(i) || grouped_[i]) groups[Root(i)].push_back(i);
    }
    for (const auto& [root, members] : groups) AddPlace(members, trace);
  }

 private:
  ir::Node* Original(const ir::Node* copy) const { return originals_.at(copy); }
  bool IsAlive(const ir::Node* copy) const { return Original(copy)->graph() == graph_; }
  // The same output in the graph as it is now.
  ir::Anchor Now(ir::Anchor before) const {
    return before ? ir::Anchor{Original(before.node), before.index} : ir::Anchor();
  }
  // -1: not an item.
  int64_t ItemOf(const ir::Node* node) const {
    auto found = numbers_.find(node);
    return found == numbers_.end() ? -1 : static_cast<int64_t>(found->second);
  }

  void Add(Item item) {
    if (item.before != nullptr) numbers_.emplace(item.before, items_.size());
    if (item.after != nullptr) numbers_.emplace(item.after, items_.size());
    items_.push_back(item);
  }

  void AddIfGoneOrChanged(ir::Node* copy) {
    ir::Node* n = Original(copy);
    if (!IsAlive(copy)) return Add({copy, nullptr});
    if (n->type() != copy->type() || n->const_value() != copy->const_value() || ShownAttrs(*n) != ShownAttrs(*copy)) {
      Add({copy, n});
    }
  }

  // Nodes that stayed but read something else. Most only see that their neighbour was replaced; those whose constant
  // was replaced, or who read another node that was there before, are part of a place.
  void AddReconnected() {
    std::vector<Item> more;
    for (ir::Node* n : graph_->nodes()) {
      auto found = copies_.find(n);
      if (found == copies_.end() || ItemOf(n) >= 0) continue;
      const ir::Node* copy = found->second;
      for (uint32_t i = 0; i < std::min(n->num_inputs(), copy->num_inputs()); ++i) {
        ir::Anchor before = copy->input(i), after = n->input(i);
        if (Now(before) == after) continue;
        bool was_item = before && ItemOf(before.node) >= 0, is_item = after && ItemOf(after.node) >= 0;
        bool constants = was_item && is_item && before.node->is_const() && after.node->is_const();
        if (!constants && (was_item || is_item)) continue;
        more.push_back({found->second, n});
        break;
      }
    }
    for (const Item& item : more) Add(item);
  }

  size_t Root(size_t i) const {
    while (groups_[i] != i) i = groups_[i];
    return i;
  }
  void Join(size_t a, size_t b) {
    a = Root(a), b = Root(b);
    groups_[std::max(a, b)] = std::min(a, b);
  }

  void Group() {
    groups_.resize(items_.size());
    std::iota(groups_.begin(), groups_.end(), size_t{0});
    grouped_.resize(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) {
      for (const ir::Node* n : {items_[i].before, items_[i].after}) {
        if (n != nullptr) JoinSources(n, i);
      }
    }
    for (ir::Node* n : graph_->nodes()) {
      auto found = copies_.find(n);
      if (found != copies_.end() && ItemOf(n) < 0) NoteReader(*n, *found->second);
    }
  }

  void JoinSources(const ir::Node* n, size_t item) {
    for (uint32_t slot = 0; slot < n->num_inputs(); ++slot) {
      ir::Anchor source = n->input(slot);
      int64_t other = source ? ItemOf(source.node) : -1;
      if (other < 0) continue;
      // Places that share a constant are places of their own, and each shows it.
      if (source.node->is_const()) {
        shown_with_readers_.insert(static_cast<size_t>(other));
      } else {
        Join(item, static_cast<size_t>(other));
      }
    }
  }

  // A node that stayed tells what the output of a place has become.
  void NoteReader(const ir::Node& node, const ir::Node& copy) {
    for (uint32_t i = 0; i < std::min(node.num_inputs(), copy.num_inputs()); ++i) {
      ir::Anchor before = copy.input(i), after = node.input(i);
      if (!before || !after) continue;
      int64_t was = ItemOf(before.node), is = ItemOf(after.node);
      if (was < 0 && is < 0) continue;
      if (was >= 0 && is >= 0) Join(static_cast<size_t>(was), static_cast<size_t>(is));
      for (int64_t item : {was, is}) {
        if (item >= 0) grouped_[static_cast<size_t>(item)] = true;
      }
      results_[static_cast<size_t>(was >= 0 ? was : is)].emplace_back(before, after);
    }
  }

  static void AddWithConstants(ir::Node* node, const Comparison& all, std::vector<ir::Node*>* part) {
    auto add = [part](ir::Node* n) {
      if (std::find(part->begin(), part->end(), n) == part->end()) part->push_back(n);
    };
    add(node);
    for (uint32_t i = 0; i < node->num_inputs(); ++i) {
      ir::Anchor source = node->input(i);
      if (source && source.node->is_const() && all.ItemOf(source.node) >= 0) add(source.node);
    }
  }

  void AddPlace(const std::vector<size_t>& members, PassTrace* trace) const {
    if (trace->full() || members.size() > kMaxNodes) {
      ++trace->more;
      return;
    }
    std::vector<ir::Node*> before, after;
    std::vector<ir::Anchor> results_before, results_after, inputs, inputs_now;
    for (size_t i : members) {
      if (items_[i].before != nullptr) AddWithConstants(items_[i].before, *this, &before);
      if (items_[i].after != nullptr) AddWithConstants(items_[i].after, *this, &after);
    }
    for (size_t i : members) {
      auto found = results_.find(i);
      if (found == results_.end()) continue;
      for (const auto& [was, is] : found->second) {
        bool known = false;
        for (size_t k = 0; k < results_before.size() && !known; ++k) {
          known = results_before[k] == was && results_after[k] == is;
        }
        if (known) continue;
        results_before.push_back(was);
        results_after.push_back(is);
      }
    }
    auto outside = [&before](ir::Anchor a) {
      return a && std::find(before.begin(), before.end(), a.node) == before.end();
    };
    auto earlier = [](const ir::Node* a, const ir::Node* b) { return a->order() < b->order(); };
    std::sort(before.begin(), before.end(), earlier);
    for (const ir::Node* n : before) {
      for (uint32_t i = 0; i < n->num_inputs(); ++i) {
        if (outside(n->input(i))) AddUnique(n->input(i), &inputs);
      }
    }
    for (ir::Anchor a : results_before) {
      if (outside(a)) AddUnique(a, &inputs);
    }
    for (ir::Anchor a : inputs) inputs_now.push_back(Now(a));
    TracedRewrite rewrite;
    rewrite.graph = graph_->name();
    rewrite.before = CopyPart(before, inputs, results_before);
    rewrite.after = CopyPart(after, inputs_now, results_after);
    trace->rewrites.push_back(std::move(rewrite));
  }

  ir::Graph* graph_;
  const Nodes& copies_;
  const Nodes& originals_;
  std::vector<Item> items_;
  std::unordered_map<const ir::Node*, size_t> numbers_;
  std::vector<size_t> groups_;             // of an item: one of its group that comes before it, or itself
  std::vector<bool> grouped_;              // a node that stayed reads it, before or after
  std::set<size_t> shown_with_readers_;    // constants that items read
  std::map<size_t, std::vector<std::pair<ir::Anchor, ir::Anchor>>> results_;  // before and after, by item
};

}  // namespace

RewrittenPlaces::RewrittenPlaces(const ir::GraphPtr& graph)
    : graph_(graph), copy_(graph->Clone()), subgraphs_(graph->subgraphs()) {
  Pair(graph.get(), copy_.get());
}

void RewrittenPlaces::Pair(ir::Graph* graph, ir::Graph* copy) {
  pairs_.emplace_back(graph, copy);
  // A copy has its nodes in the same order.
  ir::Node* n = graph->first();
  for (ir::Node* c : copy->nodes()) {
    copies_.emplace(n, c);
    originals_.emplace(c, n);
    for (size_t i = 0; i < c->subgraphs().size(); ++i) Pair(n->subgraphs()[i].graph, c->subgraphs()[i].graph);
    n = n->next();
  }
}

void RewrittenPlaces::AddTo(PassTrace* trace) const {
  std::vector<ir::GraphPtr> now = graph_->subgraphs();
  for (const auto& [graph, copy] : pairs_) {
    bool there = graph == graph_.get() ||
                 std::any_of(now.begin(), now.end(), [g = graph](const ir::GraphPtr& sub) { return sub.get() == g; });
    if (there) Comparison(graph, copy, copies_, originals_).AddTo(trace);
  }
}

}  // namespace ge::fusion
