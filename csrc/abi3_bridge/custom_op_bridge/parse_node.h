// ONNX plugins of Python.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_PARSE_NODE_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_PARSE_NODE_H_

#include <nanobind/nanobind.h>

namespace ge::custom_op_bridge {

// Hands a descriptor of ge.onnx_plugin (its dict) to the core; raises std::runtime_error if the core refuses it.
void RegisterPlugin(nanobind::handle descriptor);

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_PARSE_NODE_H_
