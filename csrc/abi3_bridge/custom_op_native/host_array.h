// Tensors of callbacks and NumPy arrays over the same memory.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_HOST_ARRAY_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_HOST_ARRAY_H_

#include <nanobind/nanobind.h>

#include "custom_op/runtime_tensor.h"

namespace ge::bridge {

// An array of the tensor's storage shape that keeps the memory alive; TypeError if NumPy has no such data type.
nanobind::object ArrayOver(const gert::Tensor& tensor);
// A tensor that shares the array's memory and keeps the array alive; an array that is not contiguous is copied. TypeError
// if the object is no array of a data type that tensors have; `what` names it there.
gert::Tensor TensorOver(nanobind::handle array, bool writable, std::string_view what);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_HOST_ARRAY_H_
