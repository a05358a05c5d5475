// Registration of fusion passes; the macros are in pattern_fusion_pass.h and decompose_pass.h.
#ifndef GE_FUSION_PASS_FUSION_PASS_REG_H_
#define GE_FUSION_PASS_FUSION_PASS_REG_H_

#include <cstdint>
#include <memory>

#include "ge/export.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "graph/ascend_string.h"
#include "register/register_custom_pass.h"

namespace ge {
inline namespace v1 {
namespace fusion {

using CreateFusionPassFn = FusionBasePass *(*)();

class GE_API FusionPassRegistrationData {
 public:
  explicit FusionPassRegistrationData(const AscendString &pass_name) : name_(pass_name) {}

  // kBeforeInferShape unless set.
  FusionPassRegistrationData &Stage(CustomPassStage stage) {
    stage_ = stage;
    return *this;
  }
  FusionPassRegistrationData &CreatePassFn(CreateFusionPassFn create) {
    create_ = create;
    return *this;
  }
  // "fusion_base", "pattern_fusion" or "decompose", for reports.
  FusionPassRegistrationData &Kind(const AscendString &kind) {
    kind_ = kind;
    return *this;
  }

  AscendString GetPassName() const { return name_; }
  CustomPassStage GetStage() const { return stage_; }
  CreateFusionPassFn GetCreatePassFn() const { return create_; }
  AscendString GetKind() const { return kind_; }
  AscendString ToString() const;

 private:
  AscendString name_;
  CustomPassStage stage_ = CustomPassStage::kBeforeInferShape;
  CreateFusionPassFn create_ = nullptr;
  AscendString kind_{"fusion_base"};
};

// Registers while it lives. The first registration of a name wins; a later one is told to the log.
class GE_API PassRegistrar {
 public:
  PassRegistrar(FusionPassRegistrationData &registration);  // NOLINT: implicit by design
  ~PassRegistrar();
  PassRegistrar(const PassRegistrar &) = delete;
  PassRegistrar &operator=(const PassRegistrar &) = delete;

 private:
  uint64_t token_ = 0;
};

inline const char *PassKindOf(const FusionBasePass *) { return "fusion_base"; }

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#define GE_FUSION_PASS_JOIN_(a, b) a##b
#define GE_FUSION_PASS_NAME_(number) GE_FUSION_PASS_JOIN_(ge_fusion_pass_, number)
#define GE_FUSION_PASS_REGISTRATION_(pass_class, ...)                                                        \
  [[maybe_unused]] static const ::ge::fusion::PassRegistrar GE_FUSION_PASS_NAME_(__COUNTER__) =             \
      ::ge::fusion::FusionPassRegistrationData(#pass_class)                                                  \
          .Kind(::ge::fusion::PassKindOf(static_cast<pass_class *>(nullptr)))                            \
          .CreatePassFn([]() -> ::ge::fusion::FusionBasePass * { return new pass_class(__VA_ARGS__); })

// REG_FUSION_PASS(Class).Stage(stage);
#define REG_FUSION_PASS(pass_class) GE_FUSION_PASS_REGISTRATION_(pass_class)

#endif  // GE_FUSION_PASS_FUSION_PASS_REG_H_
