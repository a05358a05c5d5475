// What adapters of Python implementations call.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_CALLBACKS_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_CALLBACKS_H_

#include "loader/custom_op_bridge_abi.h"

namespace ge::custom_op_bridge {

const custom_op::PythonCustomOpAdapterCallbacks& Callbacks();

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_CALLBACKS_H_
