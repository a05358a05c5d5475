// Which choice of a search to change after a failure, and what the failure teaches.
#include <algorithm>

#include "fusion/match_search.h"

namespace ge::fusion {
namespace {

// Ways to match offered at one root, and as many tried that come to the same.
constexpr size_t kMaxWays = 1000;
constexpr size_t kMaxSame = 10000;
// Failures at one root before the search gives up there; large lists of candidates may fail one by one.
constexpr size_t kMaxFailures = 1 << 18;
// Remembering costs more than a few failures do.
constexpr size_t kLearnAfter = 16;

bool IsIn(uint32_t fact, const std::vector<uint32_t>& reason) {
  return std::find(reason.begin(), reason.end(), fact) != reason.end();
}

}  // namespace

size_t MatchSearch::FailureLimit() const { return kMaxFailures + 8 * graph_.num_nodes(); }

bool MatchSearch::MatchAgain(bool other_nodes) {
  if (pattern_.any_commutative) {
    if (offered_ == 0) ways_.clear();
    NoteWay();
  }
  if (++offered_ == kMaxWays) {
    gave_up_ = true;
    return false;
  }
  for (size_t same = 0; same < kMaxSame; ++same) {
    for (Choice& c : choices_) c.solved = true;
    while (other_nodes && !choices_.empty() && pattern_.steps[choices_.back().step].free) choices_.pop_back();
    all_counts_ = true;
    size_t step = Recover();
    if (step == 0 || !Run(step)) return false;
    if (!pattern_.any_commutative || NoteWay()) return true;
  }
  gave_up_ = true;
  return false;
}

// Whether no earlier way had the same nodes, inputs, outputs and captures.
bool MatchSearch::NoteWay() {
  std::vector<uint64_t> way;
  auto word = [](const ir::Node* node) { return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(node)); };
  for (uint16_t number : pattern_.inner_order) way.push_back(word(bound_[number].node));
  std::sort(way.begin(), way.end());
  for (uint16_t w : pattern_.wildcards) way.insert(way.end(), {word(bound_[w].node), bound_[w].index});
  for (const auto* anchors : {&pattern_.outputs, &pattern_.captures}) {
    for (NumberedAnchor a : *anchors) way.push_back(a.number < 0 ? 0 : word(bound_[a.number].node));
  }
  return ways_.insert(std::move(way)).second;
}

size_t MatchSearch::Recover() {
  while (!choices_.empty()) {
    if (!all_counts_) {
      uint32_t latest = 0;
      for (uint32_t fact : reason_) latest = std::max(latest, pattern_.decided_by[fact]);
      while (!choices_.empty() && choices_.back().step > latest) choices_.pop_back();
      if (choices_.empty()) break;
    }
    Choice& choice = choices_.back();
    if (++failures_ > FailureLimit()) {
      gave_up_ = true;
      choices_.clear();
      break;
    }
    if (!all_counts_) {
      bool own = true;
      for (uint32_t fact : reason_) {
        if (pattern_.decided_by[fact] == choice.step) continue;
        own = false;
        Blame(fact);
      }
      if (own && failures_ > kLearnAfter) LearnAboutCandidate(choice);
    }
    if (NextAlternative(choice)) return choice.step + 1;
    Exhaust();
  }
  return 0;
}

void MatchSearch::Exhaust() {
  const Choice choice = choices_.back();
  const Step& s = pattern_.steps[choice.step];
  if (s.kind != Step::Kind::kRoot) Blame(s.kind == Step::Kind::kForward ? s.from : s.node);
  reason_.swap(reasons_[choices_.size() - 1]);
  choices_.pop_back();
  all_counts_ = choice.solved;
  if (choice.solved || failures_ <= kLearnAfter) return;
  if (s.kind == Step::Kind::kRoot) {
    if (reason_.empty()) impossible_.insert({Impossible::Kind::kStep, choice.step, nullptr, 0});
  } else if (reason_.size() == 1) {
    bool order = s.kind == Step::Kind::kOrder;
    Binding bound = bound_[order ? s.node : s.from];
    bool wildcard = !order && pattern_.nodes[s.from].role == Role::kWildcard;
    impossible_.insert({order ? Impossible::Kind::kEither : Impossible::Kind::kStep, order ? s.node : choice.step,
                        bound.node, wildcard ? bound.index : 0});
  }
}

bool MatchSearch::Hopeless(const Step& s, uint32_t step) {
  bool hopeless = false;
  if (s.kind == Step::Kind::kForward) {
    ir::Anchor from = bound_[s.from];
    bool wildcard = pattern_.nodes[s.from].role == Role::kWildcard;
    uint32_t index = wildcard ? from.index : s.index;
    hopeless = index >= from.node->num_outputs() || from.node->num_uses(index) < s.uses ||
               Known(Impossible::Kind::kStep, step, from.node, wildcard ? index : 0);
  } else if (s.kind == Step::Kind::kOrder) {
    hopeless = Known(Impossible::Kind::kEither, s.node, bound_[s.node].node, 0);
  } else {
    hopeless = Known(Impossible::Kind::kStep, step, nullptr, 0);
  }
  if (!hopeless) return false;
  reason_.clear();
  if (s.kind != Step::Kind::kRoot) reason_.push_back(s.kind == Step::Kind::kForward ? s.from : s.node);
  return true;
}

void MatchSearch::FindReason(size_t step) {
  if (step == pattern_.steps.size()) {
    all_counts_ = false;
    ReasonOfLeak();
    return;
  }
  const Step& s = pattern_.steps[step];
  if (s.kind != Step::Kind::kBack) return;  // found when the choice was exhausted
  all_counts_ = false;
  reason_.assign(1, pattern_.FactOf(s.from, s.slot));
  if (s.bound) {
    reason_.push_back(s.node);
    return;
  }
  const ir::Node* from = bound_[s.from].node;
  uint32_t slot = GraphSlot(bound_[s.from], s.slot);
  const PatternNode& p = pattern_.nodes[s.node];
  if (slot >= from->num_inputs() || !from->input(slot) || from->input(slot).index != s.index) return;
  int rival = RivalOf(p, from->input(slot).node);
  if (rival >= 0 && Accepts(p, *from->input(slot).node)) reason_.push_back(static_cast<uint32_t>(rival));
}

// An inner node keeps its consumers whatever is chosen, but it would do as an input: the choices of inputs count where one
// of its consumers could take it as such.
void MatchSearch::ReasonOfLeak() {
  uint16_t number = Leak()->node;
  const ir::Node* node = bound_[number].node;
  reason_.assign(1, number);
  int from = pattern_.bound_from[number];
  const std::vector<ir::Symbol>& types = pattern_.input_types;
  bool consumer_counts = false, inputs_count = false;
  for (uint32_t o = 0; o < node->num_outputs(); ++o) {
    for (ir::InputSlot& use : node->uses(o)) {
      if (std::find(types.begin(), types.end(), use.node()->type()) == types.end()) continue;
      bool own = from >= 0 && bound_[from].node == use.node();
      (own ? consumer_counts : inputs_count) = true;
    }
  }
  if (consumer_counts && !IsIn(static_cast<uint32_t>(from), reason_)) {
    reason_.push_back(static_cast<uint32_t>(from));
  }
  if (!inputs_count) return;
  for (uint32_t fact : pattern_.wildcard_facts) {
    if (!IsIn(fact, reason_)) reason_.push_back(fact);
  }
}

void MatchSearch::Blame(uint32_t fact) {
  Reason& reason = reasons_[choices_.size() - 1];
  if (!IsIn(fact, reason)) reason.push_back(fact);
}

// Nothing but the candidate itself was in the way.
void MatchSearch::LearnAboutCandidate(const Choice& choice) {
  const Step& s = pattern_.steps[choice.step];
  if (s.kind == Step::Kind::kForward) {
    impossible_.insert({Impossible::Kind::kCandidate, s.node, bound_[s.node].node, bound_[s.node].index});
  } else if (s.kind == Step::Kind::kRoot) {
    RootList& list = ListOf(choice.step);
    if (list.all.empty()) list.all = list.entries;
    list.entries[choice.at].node = nullptr;
    ++list.dead;
  }
}

void MatchSearch::Forget() {
  if (!impossible_.empty()) impossible_.clear();
  for (RootList& list : root_lists_) {
    if (list.all.empty()) continue;
    list.entries = std::move(list.all);
    list.all.clear();
    list.dead = 0;
  }
}

}  // namespace ge::fusion
