// A function a pass, each defined in the file of its rule.
#ifndef GE_FUSION_BUILTIN_PASSES_H_
#define GE_FUSION_BUILTIN_PASSES_H_

#include <memory>

#include "fusion/pass.h"

namespace ge::fusion::builtin {

std::unique_ptr<FusionBasePass> MakeDropOutPass();
std::unique_ptr<FusionBasePass> MakeIdentityPass();
std::unique_ptr<FusionBasePass> MakeConstantFoldingPass();
std::unique_ptr<FusionBasePass> MakeCastRemovePass();
std::unique_ptr<FusionBasePass> MakeTransposePass();
std::unique_ptr<FusionBasePass> MakeReshapePass();
std::unique_ptr<FusionBasePass> MakeConvBatchNormPass();
std::unique_ptr<FusionBasePass> MakeCommonSubexpressionPass();
std::unique_ptr<FusionBasePass> MakePrunePass();

}  // namespace ge::fusion::builtin

#endif  // GE_FUSION_BUILTIN_PASSES_H_
