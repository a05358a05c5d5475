// The hooks of Python passes as the C ABI has them.
#ifndef GE_ABI3_BRIDGE_BRIDGE_HOOKS_H_
#define GE_ABI3_BRIDGE_BRIDGE_HOOKS_H_

#include "loader/bridge_abi.h"

namespace ge::bridge {

const ge_pass_hooks& Hooks();

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_BRIDGE_HOOKS_H_
