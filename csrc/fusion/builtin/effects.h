// Which operators do more than compute their outputs from their inputs.
#ifndef GE_FUSION_BUILTIN_EFFECTS_H_
#define GE_FUSION_BUILTIN_EFFECTS_H_

#include "ir/symbol.h"

namespace ge::fusion::builtin {

// Changes something outside (a variable, a queue, another device), or may do so: operators of foreign domains.
bool HasEffects(ir::Symbol type);
// Two of them with equal inputs may differ in their outputs.
bool IsRandom(ir::Symbol type);

}  // namespace ge::fusion::builtin

#endif  // GE_FUSION_BUILTIN_EFFECTS_H_
