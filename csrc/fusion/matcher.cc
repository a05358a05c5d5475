#include "fusion/matcher.h"

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
};

PatternMatcher::PatternMatcher(const Pattern* pattern, ir::Graph* graph, PatternMatcherConfig config)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.graph = graph;
  validity_ = s.compiled.Compile(*pattern, config);
  if (!validity_.ok() || !s.compiled.TypesPresent(*graph)) return;
  s.result.pattern_ = pattern;
  s.result.compiled_ = &s.compiled;
  s.result.bound_.resize(s.compiled.nodes.size());
  s.candidates = Candidates(*graph, s.compiled.nodes.front());
  s.search = std::make_unique<MatchSearch>(&s.compiled, graph, &s.result.bound_);
}

PatternMatcher::~PatternMatcher() = default;

const MatchResult* PatternMatcher::Next() {
  State& s = *state_;
  while (s.next < s.candidates.size()) {
    ir::Node* root = s.candidates[s.next++];
    if (s.next + kAhead < s.candidates.size()) {
      // A node covers several cache lines; its input slots lie behind it.
      const auto* ahead = reinterpret_cast<const char*>(s.candidates[s.next + kAhead]);
      for (size_t line = 0; line < 4; ++line) __builtin_prefetch(ahead + 64 * line);
    }
    if (root->graph() == s.graph && s.search->MatchAt(root)) return &s.result;
  }
  return nullptr;
}

bool PatternMatcher::StillMatches() const { return state_->search != nullptr && state_->search->Holds(); }

}  // namespace ge::fusion
