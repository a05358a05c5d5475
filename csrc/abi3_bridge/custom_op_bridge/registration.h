// Prototypes and implementations from Python's registries to the core's.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_REGISTRATION_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_REGISTRATION_H_

#include "loader/custom_op_bridge_abi.h"

namespace ge::custom_op_bridge {

// Imports the plugins, then hands over all prototypes, all implementations and all ONNX plugins. The first problem ends it;
// what was handed over before stays until the loader unloads.
uint32_t RegisterCustomOps(const custom_op::PythonCustomOpRegistrar* registrar);

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_REGISTRATION_H_
