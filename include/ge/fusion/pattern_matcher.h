// PatternMatcher: the places of a graph that match, one after the other.
#ifndef GE_FUSION_PATTERN_MATCHER_H_
#define GE_FUSION_PATTERN_MATCHER_H_

#include <memory>

#include "ge/export.h"
#include "ge/fusion/match_result.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/pattern_matcher_config.h"
#include "graph/graph.h"

namespace ge {
inline namespace v1 {
namespace fusion {

class GE_API PatternMatcher {
 public:
  PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr &target_graph);
  PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr &target_graph,
                 std::unique_ptr<PatternMatcherConfig> config);
  ~PatternMatcher();
  PatternMatcher(const PatternMatcher &) = delete;
  PatternMatcher &operator=(const PatternMatcher &) = delete;

  // Null when there is none left, or the pattern is not valid (the log says why). Nodes that were added to the graph since
  // the matcher was made are no roots of matches. The graph may be changed between two calls.
  std::unique_ptr<MatchResult> MatchNext();

 private:
  struct Data;

  std::unique_ptr<Data> data_;
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_PATTERN_MATCHER_H_
