#include "fusion/builtin/builtin_pass.h"

#include "fusion/builtin/passes.h"

namespace ge::fusion {
namespace {

constexpr auto kO1 = OptimizationLevel::kO1;
constexpr auto kO3 = OptimizationLevel::kO3;

// What removes nodes in between comes before what looks for neighbours; leftovers go last.
constexpr BuiltinPass kPasses[] = {
    {"DropOutPass", kO1, false, builtin::MakeDropOutPass},
    {"IdentityPass", kO3, false, builtin::MakeIdentityPass},
    {"ConstantFoldingPass", kO1, true, builtin::MakeConstantFoldingPass},
    {"CastRemovePass", kO3, false, builtin::MakeCastRemovePass},
    {"TransOpSymmetryEliminationPass", kO3, false, builtin::MakeTransposePass},
    {"NoUseReshapeRemovePass", kO3, false, builtin::MakeReshapePass},
    {"ConvBatchnormFusionPass", kO3, false, builtin::MakeConvBatchNormPass},
    {"CommonSubexpressionEliminationPass", kO3, false, builtin::MakeCommonSubexpressionPass},
    {"PrunePass", kO3, false, builtin::MakePrunePass},
};

}  // namespace

std::span<const BuiltinPass> BuiltinPasses() { return kPasses; }

}  // namespace ge::fusion
