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
  if (TryBind(pattern_.steps.front().node, root)) return Run(1);
  if (miss_ != nullptr) *miss_ = {0, 0, NodeDifference(pattern_.nodes[pattern_.steps.front().node], *root)};
  return false;
}

bool MatchSearch::Run(size_t step) {
  const size_t end = pattern_.steps.size();
  while (true) {
    bool fits = true;
    for (; fits && step < end; ++step) {
      const Step& s = pattern_.steps[step];
      if (s.kind == Step::Kind::kBack) {
        fits = Back(s);
        continue;
      }
      Choice choice;
      choice.step = static_cast<uint32_t>(step);
      if (s.kind == Step::Kind::kForward) {
        ir::Anchor from = bound_[s.from];
        uint32_t index = pattern_.nodes[s.from].role == Role::kWildcard ? from.index : s.index;
        ir::UseRange uses = index < from.node->num_outputs() ? from.node->uses(index) : ir::UseRange(nullptr);
        choice.use = uses.empty() ? nullptr : &*uses.begin();
      }
      fits = NextAlternative(choice);
      if (fits) choices_.push_back(choice);
    }
    if (miss_ != nullptr && !fits) NoteMiss(step - 1);
    if (fits) {
      if (SelfContained()) return true;
      if (miss_ != nullptr) NoteMiss(step);
      // The order of inputs that match anything changes nothing about that.
      while (!choices_.empty() && pattern_.steps[choices_.back().step].free) choices_.pop_back();
    }
    step = Backtrack();
    if (step == 0) return false;
  }
}

bool MatchSearch::MatchAgain() {
  size_t step = Backtrack();
  return step != 0 && Run(step);
}

size_t MatchSearch::Backtrack() {
  while (!choices_.empty()) {
    if (NextAlternative(choices_.back())) return choices_.back().step + 1;
    choices_.pop_back();
  }
  return 0;
}

bool MatchSearch::NextOrder(Choice& choice) {
  Binding& bound = bound_[pattern_.steps[choice.step].node];
  if (choice.candidate == 2) return false;
  bound.index = static_cast<uint32_t>(choice.candidate++);
  const ir::Node* node = bound.node;
  if (node->num_inputs() < 2 || node->input(0) == node->input(1)) choice.candidate = 2;
  return true;
}

bool MatchSearch::NextAlternative(Choice& choice) {
  const Step& s = pattern_.steps[choice.step];
  if (s.kind == Step::Kind::kOrder) return NextOrder(choice);
  if (s.kind == Step::Kind::kForward) {
    bool either = s.slot < 2 && pattern_.nodes[s.node].commutative;
    while (ir::InputSlot* use = choice.use) {
      choice.use = use->next_use();
      // With the same tensor on both sides there is one order only.
      bool swaps = either && use->index() < 2 && use->node()->input(0) != use->node()->input(1);
      if (use->index() != s.slot && !swaps) continue;
      if (!TryBind(s.node, use->node())) continue;
      bound_[s.node].index = use->index() ^ s.slot;
      return true;
    }
    return false;
  }
  auto list = std::find_if(root_lists_.begin(), root_lists_.end(), [&](auto& l) { return l.first == choice.step; });
  if (list == root_lists_.end()) {
    root_lists_.emplace_back(choice.step, Candidates(graph_, pattern_.nodes[s.node]));
    list = root_lists_.end() - 1;
  }
  while (choice.candidate < list->second.size()) {
    ir::Node* node = list->second[choice.candidate++];
    if (node->graph() == &graph_ && TryBind(s.node, node)) return true;
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
  return s.bound ? bound_[s.node].node == source.node : TryBind(s.node, source.node);
}

bool MatchSearch::TryBind(uint16_t number, ir::Node* node) {
  const PatternNode& p = pattern_.nodes[number];
  if (!Accepts(p, *node)) return false;
  for (uint32_t i = p.rivals.begin; i < p.rivals.end; ++i) {
    if (bound_[pattern_.rivals[i]].node == node) return false;
  }
  bound_[number] = {node, 0};
  return true;
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

bool MatchSearch::AcceptsSpecial(const PatternNode& p, const ir::Node& node) const {
  for (uint32_t i = p.absent.begin; i < p.absent.end; ++i) {
    uint32_t slot = pattern_.absent_slots[i];
    if (slot < node.num_inputs() && node.input(slot)) return false;
  }
  if (p.exact_outputs && node.num_outputs() != p.node->num_outputs()) return false;
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
bool MatchSearch::SelfContained() const {
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
    if (!is_input) return false;
  }
  return true;
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
  return SelfContained();
}

}  // namespace ge::fusion
