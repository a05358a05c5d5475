// The passes that come with the compiler: names and levels of GE's own graph passes.
#ifndef GE_FUSION_BUILTIN_BUILTIN_PASS_H_
#define GE_FUSION_BUILTIN_BUILTIN_PASS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/export.h"
#include "fusion/pass.h"

namespace ge::fusion {

// --oo_level: a pass belongs to its own level and those above it.
enum class OptimizationLevel : uint8_t { kO1 = 1, kO3 = 3 };

struct BuiltinPass {
  std::string_view name;
  OptimizationLevel level;
  bool folds_constants;  // --oo_constant_folding switches it, too
  std::unique_ptr<FusionBasePass> (*create)();
};

// In the order in which they run, between the stages AfterInferShape and AfterBuiltinFusionPass.
GE_API std::span<const BuiltinPass> BuiltinPasses();

// What their reports have as kind and as source.
inline constexpr std::string_view kBuiltinKind = "built_in";
inline constexpr std::string_view kBuiltinSource = "built-in";

}  // namespace ge::fusion

#endif  // GE_FUSION_BUILTIN_BUILTIN_PASS_H_
