// PatternFusionPass: what to look for, whether it may be replaced, what to put there instead.
#ifndef GE_FUSION_PASS_PATTERN_FUSION_PASS_H_
#define GE_FUSION_PASS_PATTERN_FUSION_PASS_H_

#include <memory>
#include <vector>

#include "ge/export.h"
#include "ge/fusion/match_result.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/pattern_matcher_config.h"
#include "graph/graph.h"

namespace ge {
inline namespace v1 {
namespace fusion {

class GE_API PatternFusionPass : public FusionBasePass {
 public:
  PatternFusionPass();
  explicit PatternFusionPass(std::unique_ptr<PatternMatcherConfig> config);
  ~PatternFusionPass() override;
  Status Run(GraphPtr &graph, CustomPassContext &context) override;

 protected:
  // Asked once in every run.
  virtual std::vector<PatternUniqPtr> Patterns() = 0;
  virtual bool MeetRequirements(const std::unique_ptr<MatchResult> &match_result);
  // A null pointer fails the pass.
  virtual GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &match_result) = 0;

 private:
  friend struct detail::Access;

  std::unique_ptr<PatternMatcherConfig> config_;
};

// The same with the context in its hooks.
class GE_API PatternFusionPassV2 : public FusionBasePass {
 public:
  PatternFusionPassV2();
  explicit PatternFusionPassV2(std::unique_ptr<PatternMatcherConfig> config);
  ~PatternFusionPassV2() override;
  Status Run(GraphPtr &graph, CustomPassContext &context) override;

 protected:
  virtual std::vector<PatternUniqPtr> Patterns() = 0;
  virtual bool MeetRequirements(const std::unique_ptr<MatchResult> &match_result, CustomPassContext &context);
  virtual GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &match_result, CustomPassContext &context) = 0;

 private:
  friend struct detail::Access;

  std::unique_ptr<PatternMatcherConfig> config_;
};

inline const char *PassKindOf(const PatternFusionPass *) { return "pattern_fusion"; }
inline const char *PassKindOf(const PatternFusionPassV2 *) { return "pattern_fusion"; }

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_PASS_PATTERN_FUSION_PASS_H_
