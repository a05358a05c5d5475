#include "fusion/matcher.h"

#include "base/log.h"
#include "fusion/compiled_pattern.h"
#include "fusion/match_search.h"

namespace ge::fusion {
namespace {

// Large graphs do not fit into the cache; candidates this far ahead are fetched while one is tried.
constexpr size_t kAhead = 4;

}  // namespace

struct PatternMatcher::State {
  CompiledPattern compiled;
  ir::Graph* graph = nullptr;
  MatchResult result;
  std::unique_ptr<MatchSearch> search;
  // Nodes that were there at the start, so that a replacement that holds its own pattern can't go on for ever.
  std::vector<ir::Node*> candidates;
  size_t next = 0;
  bool warned = false;
  PatternExplanation* explanation = nullptr;
  SearchMiss miss;
};

PatternMatcher::PatternMatcher(const Pattern* pattern, ir::Graph* graph, PatternMatcherConfig config)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.graph = graph;
  validity_ = s.compiled.Compile(*pattern, config);
  s.result.pattern_ = pattern;
  if (validity_.ok() && s.compiled.TypesPresent(*graph)) Prepare();
}

void PatternMatcher::Prepare() {
  State& s = *state_;
  s.result.compiled_ = &s.compiled;
  s.result.bound_.resize(s.compiled.nodes.size());
  s.candidates = Candidates(*s.graph, s.compiled.nodes.front());
  s.search = std::make_unique<MatchSearch>(&s.compiled, s.graph, &s.result.bound_);
}

PatternMatcher::~PatternMatcher() = default;

const MatchResult* PatternMatcher::Next(bool other_nodes) {
  State& s = *state_;
  if (at_place_) {
    if (s.search->MatchAgain(other_nodes)) {
      new_place_ = false;
      return &s.result;
    }
    WarnIfGaveUp(*s.candidates[s.next - 1]);
  }
  at_place_ = new_place_ = false;
  while (s.next < s.candidates.size()) {
    ir::Node* root = s.candidates[s.next++];
    if (s.next + kAhead < s.candidates.size()) {
      // A node covers several cache lines; its input slots lie behind it.
      const auto* ahead = reinterpret_cast<const char*>(s.candidates[s.next + kAhead]);
      for (size_t line = 0; line < 4; ++line) __builtin_prefetch(ahead + 64 * line);
    }
    if (root->graph() == s.graph && s.search->MatchAt(root)) {
      at_place_ = new_place_ = true;
      return &s.result;
    }
    if (root->graph() == s.graph) WarnIfGaveUp(*root);
    if (s.explanation != nullptr && root->graph() == s.graph) {
      s.explanation->AddMiss({ShownNode(*root), s.miss.fitted, std::move(s.miss.reason)});
      s.miss = {};
    }
  }
  return nullptr;
}

void PatternMatcher::LeavePlace() {
  at_place_ = false;
  if (state_->search != nullptr) state_->search->Forget();
}

void PatternMatcher::WarnIfGaveUp(const ir::Node& root) {
  State& s = *state_;
  if (!s.search->gave_up() || s.warned) return;
  s.warned = true;
  GE_LOG(LogLevel::kWarning, "FUSION", "pattern '", s.result.pattern_->graph().name(), "' can be matched at ",
         ShownNode(root), " in more ways than are tried; ways past the limit are left out, there and at other nodes");
}

void PatternMatcher::Explain(PatternExplanation* explanation) {
  State& s = *state_;
  s.explanation = explanation;
  explanation->graph = s.graph->name();
  explanation->unusable = validity_.ok() ? std::string() : validity_.message();
  if (!validity_.ok()) return;
  explanation->size = s.compiled.inner_order.size();
  const PatternNode& root = s.compiled.nodes.front();
  explanation->root_type = root.type.view();
  explanation->candidates = static_cast<int64_t>(s.candidates.size());
  if (s.search == nullptr) {
    // It can't match, but how near it comes is still of interest.
    explanation->unusable = s.compiled.MissingTypes(*s.graph);
    Prepare();
    explanation->candidates = static_cast<int64_t>(s.candidates.size());
  }
  s.search->Explain(&s.miss);
}

bool PatternMatcher::StillMatches() const { return state_->search != nullptr && state_->search->Holds(); }

}  // namespace ge::fusion
