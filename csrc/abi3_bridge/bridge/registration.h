// Handing the passes of the Python registry to the core.
#ifndef GE_ABI3_BRIDGE_BRIDGE_REGISTRATION_H_
#define GE_ABI3_BRIDGE_BRIDGE_REGISTRATION_H_

#include "loader/bridge_abi.h"

namespace ge::bridge {

// register_passes of the C ABI.
int32_t RegisterPasses(const ge_pass_registrar* registrar, const ge_error_sink* errors);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_BRIDGE_REGISTRATION_H_
