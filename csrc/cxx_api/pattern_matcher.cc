#include "cxx_api/access.h"
// After core.h, see there.
#include "ge/fusion/pattern_matcher.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace fusion {

struct PatternMatcher::Data {
  std::unique_ptr<Pattern> pattern;
  ge_core::ir::GraphPtr graph;
  std::unique_ptr<ge_core::fusion::PatternMatcher> matcher;
};

PatternMatcher::PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr &target_graph)
    : PatternMatcher(std::move(pattern), target_graph, nullptr) {}

PatternMatcher::PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr &target_graph,
                               std::unique_ptr<PatternMatcherConfig> config)
    : data_(std::make_unique<Data>()) {
  data_->pattern = std::move(pattern);
  if (target_graph != nullptr) data_->graph = Access::Core(*target_graph);
  if (data_->pattern == nullptr || data_->graph == nullptr) return;
  data_->matcher = std::make_unique<ge_core::fusion::PatternMatcher>(&Access::Core(*data_->pattern), data_->graph.get(),
                                                                     Access::Core(config.get()));
  v1::detail::StatusOf(data_->matcher->validity());
}

PatternMatcher::~PatternMatcher() = default;

std::unique_ptr<MatchResult> PatternMatcher::MatchNext() {
  if (data_->matcher == nullptr) return nullptr;
  // The caller may have replaced what was matched; other ways to match at the same place are for pattern passes.
  data_->matcher->LeavePlace();
  const ge_core::fusion::MatchResult *match = data_->matcher->Next();
  return match == nullptr ? nullptr : Access::Copy(*match, data_->pattern.get());
}

}  // namespace fusion
}  // namespace v1
}  // namespace ge
