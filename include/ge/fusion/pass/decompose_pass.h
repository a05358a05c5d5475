// DecomposePass: replaces single nodes of given types.
#ifndef GE_FUSION_PASS_DECOMPOSE_PASS_H_
#define GE_FUSION_PASS_DECOMPOSE_PASS_H_

#include <memory>
#include <vector>

#include "ge/export.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"
#include "ge/fusion/pattern.h"
#include "graph/gnode.h"
#include "graph/graph.h"

namespace ge {
inline namespace v1 {
namespace fusion {

// The replacement has an input for each distinct tensor the node reads, and all outputs of the node.
class GE_API DecomposePass : public FusionBasePass {
 public:
  explicit DecomposePass(const std::vector<AscendString> &op_types);
  ~DecomposePass() override;
  Status Run(GraphPtr &graph, CustomPassContext &context) override;

 protected:
  virtual bool MeetRequirements(const GNode &matched_node);
  // A null pointer fails the pass.
  virtual GraphUniqPtr Replacement(const GNode &matched_node) = 0;

 private:
  friend struct detail::Access;

  std::vector<AscendString> op_types_;
};

// The same with the context in its hooks.
class GE_API DecomposePassV2 : public FusionBasePass {
 public:
  explicit DecomposePassV2(const std::vector<AscendString> &op_types);
  ~DecomposePassV2() override;
  Status Run(GraphPtr &graph, CustomPassContext &context) override;

 protected:
  virtual bool MeetRequirements(const GNode &matched_node, CustomPassContext &context);
  virtual GraphUniqPtr Replacement(const GNode &matched_node, CustomPassContext &context) = 0;

 private:
  friend struct detail::Access;

  std::vector<AscendString> op_types_;
};

inline const char *PassKindOf(const DecomposePass *) { return "decompose"; }
inline const char *PassKindOf(const DecomposePassV2 *) { return "decompose"; }

}  // namespace fusion
}  // namespace v1
}  // namespace ge

// REG_DECOMPOSE_PASS(Class, {"Type", ...}).Stage(stage); the class has a constructor that takes the types.
#define REG_DECOMPOSE_PASS(pass_class, ...) \
  GE_FUSION_PASS_REGISTRATION_(pass_class, ::std::vector<::ge::AscendString> __VA_ARGS__)

#endif  // GE_FUSION_PASS_DECOMPOSE_PASS_H_
