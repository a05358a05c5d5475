#include "fusion/match_search.h"

#include <algorithm>

namespace ge::fusion {

std::vector<ir::Node*> Candidates(const ir::Graph& graph, const PatternNode& p) {
  if (p.role != Role::kConst) return graph.CountOfType(p.type) ? graph.NodesOfType(p.type) : std::vector<ir::Node*>();
  std::vector<ir::Node*> found;
  for (ir::Symbol type : {ir::Common().Const, ir::Common().Constant}) {
    if (graph.CountOfType(type) == 0) continue;
    const std::vector<ir::Node*>& some = graph.NodesOfType(type);
    found.insert(found.end(), some.begin(), some.end());
  }
  std::sort(found.begin(), found.end(), [](ir::Node* a, ir::Node* b) { return a->order() < b->order(); });
  return found;
}

bool MatchSearch::MatchAt(ir::Node* root) {
  choices_.clear();
  failures_ = offered_ = 0;
  gave_up_ = false;
  const Step& first = pattern_.steps.front();
  if (miss_ != nullptr) Forget();  // each root shall tell its own reasons
  if (Accepts(pattern_.nodes[first.node], *root)) {
    bound_[first.node] = {root, 0};
    return Run(1);
  }
  if (miss_ != nullptr) *miss_ = {0, 0, NodeDifference(pattern_.nodes[first.node], *root)};
  return false;
}

bool MatchSearch::Run(size_t step) {
  const size_t end = pattern_.steps.size();
  while (true) {
    bool fits = true;
    for (; step < end; ++step) {
      const Step& s = pattern_.steps[step];
      fits = s.kind == Step::Kind::kBack ? Back(s) : Choose(static_cast<uint32_t>(step));
      if (!fits) break;
    }
    if (fits && Leak() == nullptr) return true;
    if (miss_ != nullptr) NoteMiss(step);
    if (choices_.empty()) return false;
    FindReason(step);
    step = Recover();
    if (step == 0) return false;
  }
}

bool MatchSearch::Choose(uint32_t step) {
  const Step& s = pattern_.steps[step];
  all_counts_ = false;
  if (Hopeless(s, step)) return false;
  Choice& choice = choices_.emplace_back();
  choice.step = step;
  if (reasons_.size() < choices_.size()) reasons_.emplace_back();
  reasons_[choices_.size() - 1].clear();
  if (s.kind == Step::Kind::kForward) {
    ir::Anchor from = bound_[s.from];
    uint32_t index = pattern_.nodes[s.from].role == Role::kWildcard ? from.index : s.index;
    choice.use = &*from.node->uses(index).begin();
  } else if (s.kind == Step::Kind::kRoot) {
    StartList(choice);
  }
  if (NextAlternative(choice)) return true;
  Exhaust();
  return false;
}

bool MatchSearch::NextAlternative(Choice& choice) {
  switch (pattern_.steps[choice.step].kind) {
    case Step::Kind::kOrder: return NextOrder(choice);
    case Step::Kind::kForward: return NextUse(choice);
    default: return NextCandidate(choice);
  }
}

bool MatchSearch::NextOrder(Choice& choice) {
  Binding& bound = bound_[pattern_.steps[choice.step].node];
  if (choice.next == 2) return false;
  bound.index = static_cast<uint32_t>(choice.next++);
  const ir::Node* node = bound.node;
  if (node->num_inputs() < 2 || node->input(0) == node->input(1)) choice.next = 2;
  return true;
}

bool MatchSearch::NextUse(Choice& choice) {
  const Step& s = pattern_.steps[choice.step];
  const PatternNode& p = pattern_.nodes[s.node];
  bool either = s.slot < 2 && p.commutative;
  while (ir::InputSlot* use = choice.use) {
    choice.use = use->next_use();
    // With the same tensor on both sides there is one order only.
    bool swaps = either && use->index() < 2 && use->node()->input(0) != use->node()->input(1);
    if (use->index() != s.slot && !swaps) continue;
    uint32_t order = use->index() ^ s.slot;
    if (!Accepts(p, *use->node()) || Known(Impossible::Kind::kCandidate, s.node, use->node(), order)) continue;
    if (int rival = RivalOf(p, use->node()); rival >= 0) {
      Blame(static_cast<uint32_t>(rival));
      continue;
    }
    bound_[s.node] = {use->node(), order};
    return true;
  }
  return false;
}

MatchSearch::RootList& MatchSearch::ListOf(uint32_t step) {
  auto list = std::find_if(root_lists_.begin(), root_lists_.end(), [&](const RootList& l) { return l.step == step; });
  if (list == root_lists_.end()) {
    list = root_lists_.emplace(root_lists_.end());
    list->step = step;
    for (ir::Node* n : Candidates(graph_, pattern_.nodes[pattern_.steps[step].node])) {
      list->entries.push_back({n->order(), n});
    }
  }
  return *list;
}

// The nearest candidates come first: what belongs together mostly stands together.
void MatchSearch::StartList(Choice& choice) {
  RootList& list = ListOf(choice.step);
  std::vector<RootList::Entry>& entries = list.entries;
  if (list.dead * 8 > entries.size()) {
    entries.erase(std::remove_if(entries.begin(), entries.end(), [](const auto& e) { return e.node == nullptr; }),
                  entries.end());
    list.dead = 0;
  }
  const ir::Node* root = bound_[pattern_.steps.front().node].node;
  auto behind = std::partition_point(entries.begin(), entries.end(),
                                     [&](const RootList::Entry& e) { return e.order < root->order(); });
  choice.next = choice.before = static_cast<size_t>(behind - entries.begin());
}

bool MatchSearch::NextCandidate(Choice& choice) {
  const Step& s = pattern_.steps[choice.step];
  const PatternNode& p = pattern_.nodes[s.node];
  RootList& list = ListOf(choice.step);
  const int64_t here = bound_[pattern_.steps.front().node].node->order();
  while (choice.before > 0 || choice.next < list.entries.size()) {
    bool backwards = choice.next == list.entries.size() ||
                     (choice.before > 0 &&
                      here - list.entries[choice.before - 1].order <= list.entries[choice.next].order - here);
    choice.at = backwards ? --choice.before : choice.next++;
    RootList::Entry& entry = list.entries[choice.at];
    if (entry.node == nullptr) continue;
    if (entry.node->graph() != &graph_) {
      entry.node = nullptr;
      ++list.dead;
      continue;
    }
    if (!Accepts(p, *entry.node)) continue;
    if (int rival = RivalOf(p, entry.node); rival >= 0) {
      Blame(static_cast<uint32_t>(rival));
      continue;
    }
    bound_[s.node] = {entry.node, 0};
    return true;
  }
  return false;
}

bool MatchSearch::Back(const Step& s) {
  const ir::Node* from = bound_[s.from].node;
  uint32_t slot = GraphSlot(bound_[s.from], s.slot);
  if (slot >= from->num_inputs()) return false;
  ir::Anchor source = from->input(slot);
  if (!source) return false;
  const PatternNode& p = pattern_.nodes[s.node];
  if (p.role == Role::kWildcard) {
    if (s.bound) return bound_[s.node] == source;
    bound_[s.node] = source;
    return true;
  }
  if (source.index != s.index) return false;
  if (s.bound) return bound_[s.node].node == source.node;
  if (!Accepts(p, *source.node) || RivalOf(p, source.node) >= 0) return false;
  bound_[s.node] = {source.node, 0};
  return true;
}

int MatchSearch::RivalOf(const PatternNode& p, const ir::Node* node) const {
  for (uint32_t i = p.rivals.begin; i < p.rivals.end; ++i) {
    if (bound_[pattern_.rivals[i]].node == node) return pattern_.rivals[i];
  }
  return -1;
}

bool MatchSearch::Accepts(const PatternNode& p, const ir::Node& node) const {
  if (p.role == Role::kConst) return node.is_const() && AcceptsConst(p, node);
  if (p.type != node.type() || node.num_outputs() < p.min_outputs) return false;
  if (node.num_inputs() != p.num_inputs) {
    // Slots past the pattern's must be free; slots the node lacks count as free.
    for (uint32_t i = p.num_inputs; i < node.num_inputs(); ++i) {
      if (node.input(i)) return false;
    }
  }
  return !p.special || AcceptsSpecial(p, node);
}

namespace {

// Counts of dynamic outputs, in IR order; null where the number of outputs says enough.
const std::vector<int64_t>* OutputCounts(const ir::Node& node) {
  static const ir::Symbol counts("_dynamic_output_counts");
  return node.attr<std::vector<int64_t>>(counts);
}

}  // namespace

bool SameCounts(const ops::OpDef& def, const ir::Node& a, const ir::Node& b) {
  for (size_t i = 0; i < def.inputs().size() && def.has_dynamic_input(); ++i) {
    if (def.inputs()[i].kind != ops::IoKind::kDynamic) continue;
    if (ops::InputSlots(a, def, i).count != ops::InputSlots(b, def, i).count) return false;
  }
  const std::vector<int64_t>* x = OutputCounts(a);
  const std::vector<int64_t>* y = OutputCounts(b);
  return x == nullptr || y == nullptr || *x == *y;
}

bool MatchSearch::AcceptsSpecial(const PatternNode& p, const ir::Node& node) const {
  for (uint32_t i = p.absent.begin; i < p.absent.end; ++i) {
    uint32_t slot = pattern_.absent_slots[i];
    if (slot < node.num_inputs() && node.input(slot)) return false;
  }
  if (p.exact_outputs && node.num_outputs() != p.node->num_outputs()) return false;
  if (p.dynamic != nullptr && !SameCounts(*p.dynamic, *p.node, node)) return false;
  for (uint32_t i = p.attrs.begin; i < p.attrs.end; ++i) {
    const AttrCheck& check = pattern_.attr_checks[i];
    const ir::AttrValue* value = node.attrs().Find(check.name);
    if (value == nullptr) value = check.fallback;
    if (value == nullptr || check.expected == nullptr) {
      if (value != check.expected || check.required) return false;
    } else if (!ir::Equal(*value, *check.expected)) {
      return false;
    }
  }
  return true;
}

bool MatchSearch::AcceptsConst(const PatternNode& p, const ir::Node& node) const {
  if (!pattern_.config.const_value_match || p.value == nullptr) return true;
  const ir::Tensor* value = node.const_value();
  if (value == nullptr) return false;
  const ir::TensorDesc& a = p.value->desc;
  const ir::TensorDesc& b = value->desc;
  if (a.dtype != b.dtype || p.value->data.size() != value->data.size()) return false;
  auto same_dim = [](ir::Dim x, ir::Dim y) { return x == y || x == ir::kUnknownDim || y == ir::kUnknownDim; };
  std::span<const ir::Dim> x = a.shape.dims(), y = b.shape.dims();
  if (!std::equal(x.begin(), x.end(), y.begin(), y.end(), same_dim)) return false;
  std::span<const uint8_t> p_bytes = p.value->data.bytes(), bytes = value->data.bytes();
  return std::equal(p_bytes.begin(), p_bytes.end(), bytes.begin()) && p.value->strings == value->strings;
}

// Every consumer of an inner operator must be matched too. Matched edges are distinct uses, so comparing counts is enough.
const InnerUses* MatchSearch::Leak() const {
  for (const InnerUses& inner : pattern_.inner_uses) {
    const ir::Node* node = bound_[inner.node].node;
    bool contained = true;
    for (uint32_t o = 0; o < node->num_outputs(); ++o) {
      uint32_t expected = o < inner.num_outputs ? pattern_.use_counts[inner.first + o] : 0;
      contained = contained && node->num_uses(o) == expected;
    }
    if (contained) continue;
    // What also stands for a wildcard is an input and stays.
    bool is_input = std::any_of(pattern_.wildcards.begin(), pattern_.wildcards.end(),
                                [&](uint16_t w) { return bound_[w].node == node; });
    if (!is_input) return &inner;
  }
  return nullptr;
}

bool MatchSearch::Holds() const {
  for (size_t i = 0; i < bound_.size(); ++i) {
    const PatternNode& p = pattern_.nodes[i];
    if (bound_[i].node->graph() != &graph_) return false;
    if (p.role != Role::kWildcard && !Accepts(p, *bound_[i].node)) return false;
  }
  for (const Step& s : pattern_.steps) {
    if (s.kind == Step::Kind::kRoot || s.kind == Step::Kind::kOrder) continue;
    // For both kinds: `consumer`'s slot is fed by `producer`.
    bool back = s.kind == Step::Kind::kBack;
    uint16_t producer = back ? s.node : s.from;
    Binding bound = bound_[back ? s.from : s.node];
    const ir::Node* consumer = bound.node;
    uint32_t slot = GraphSlot(bound, s.slot);
    if (slot >= consumer->num_inputs()) return false;
    ir::Anchor expected = bound_[producer];
    if (pattern_.nodes[producer].role != Role::kWildcard) expected.index = s.index;
    if (consumer->input(slot) != expected) return false;
  }
  return Leak() == nullptr;
}

}  // namespace ge::fusion
