// The value classes of ge.runtime as the other files of this module use them.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_RUNTIME_VALUES_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_RUNTIME_VALUES_H_

#include <nanobind/nanobind.h>

#include "abi3_bridge/lease.h"
#include "abi3_bridge/native/convert.h"

namespace ge::bridge {

using PyShape = Held<gert::Shape>;
using PyStorageShape = Held<gert::StorageShape>;
using PyStorageFormat = Held<gert::StorageFormat>;
using PyExpandDimsType = Held<gert::ExpandDimsType>;
using PyRuntimeTensor = Held<gert::Tensor>;

// A list of ints (no bools) as a shape; TypeError with this text for anything else, ValueError for too many dims.
gert::Shape ShapeFromList(nb::handle list, const char* type_error);
template <typename T>
nb::object Lend(T* value, const LeasePtr& lease) {
  return nb::cast(Held<T>(value, lease), nb::rv_policy::move);
}

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_RUNTIME_VALUES_H_
