// The canonical prototype of an operator as the Python side gets it.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_IR_META_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_IR_META_H_

#include <nanobind/nanobind.h>

#include <string_view>

#include "ops/op_def.h"

namespace ge::custom_op_bridge {

// {"op_type", "inputs": [{"name", "kind"}], "attrs": [{"name", "type"}], "outputs": [{"name", "kind"}]} of whatever
// definition the core has, built-in ones too; None if it has none.
nanobind::object IrMeta(std::string_view op_type);

// "VT_INT", "VT_LIST_FLOAT": what the Python side calls the type of an attribute.
const char* AttrTypeName(ops::AttrType type);

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_IR_META_H_
