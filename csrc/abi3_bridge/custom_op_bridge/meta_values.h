// Attributes of a node as the function of register_op gets them.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_META_VALUES_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_META_VALUES_H_

#include <nanobind/nanobind.h>

#include "custom_op/node_info.h"

namespace ge::custom_op_bridge {

// By name; RuntimeError where a required one is not set.
nanobind::dict AttrsByName(const custom_op::NodeInfo& node);

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_META_VALUES_H_
