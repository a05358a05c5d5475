// ge.custom_op's RuntimeAttrs: the attributes of a callback's node.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_RUNTIME_ATTRS_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_RUNTIME_ATTRS_H_

#include <nanobind/nanobind.h>

#include "abi3_bridge/lease.h"
#include "custom_op/node_info.h"

namespace ge::bridge {

struct PyRuntimeAttrs {
  const custom_op::NodeInfo* node = nullptr;
  LeasePtr lease;
};

// RuntimeError if the node's type has no prototype: then nothing is known of its attributes.
nanobind::object NewRuntimeAttrs(const custom_op::NodeInfo& node, const LeasePtr& lease);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_RUNTIME_ATTRS_H_
