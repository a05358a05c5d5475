// Attribute values between Python and the IR: one set of rules for graphs, nodes, descs and scopes.
#ifndef GE_ABI3_BRIDGE_NATIVE_ATTR_VALUE_H_
#define GE_ABI3_BRIDGE_NATIVE_ATTR_VALUE_H_

#include <nanobind/nanobind.h>

#include <string>

#include "ir/attr.h"

namespace ge::bridge {

// str, float, bool, DataType, Tensor, int, or a list of float, bool, int, str; ValueError for anything else.
ir::AttrValue AttrFromPython(nanobind::handle value);
// Invalid, with the reason in `problem`, for values that have no Python form.
nanobind::object AttrToPython(const ir::AttrValue& value, std::string* problem);
// The same for any kind an operator may declare as a default, nested and empty lists included.
nanobind::object DefaultToPython(const ir::AttrValue& value);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_ATTR_VALUE_H_
