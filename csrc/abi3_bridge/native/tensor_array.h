// Tensors and arrays (NumPy, DLPack, the buffer protocol), without a copy where both sides have the same form.
#ifndef GE_ABI3_BRIDGE_NATIVE_TENSOR_ARRAY_H_
#define GE_ABI3_BRIDGE_NATIVE_TENSOR_ARRAY_H_

#include <nanobind/nanobind.h>

#include "ir/tensor.h"

namespace ge::bridge {

// Whether the object offers its elements as an array. Texts and bytes do not count.
bool IsArray(nanobind::handle h);
// A tensor that shares the array's memory and keeps the array alive. An array that is not contiguous, or lies on another
// byte order, is copied. False if its element type has no GE form.
bool TensorOfArray(nanobind::handle array, ir::Tensor* out);

// A read-only NumPy array over the tensor's memory; of types that NumPy lacks, by ml_dtypes if it is installed, else a
// float32 or integer array of its own.
nanobind::object NumpyOf(const ir::TensorPtr& tensor);
// An object with __dlpack__ over the tensor's memory.
nanobind::object DlpackOf(const ir::TensorPtr& tensor);

// The tensor, or a copy if its memory is that of a caller's array, which may still change.
ir::TensorPtr OwnValue(const ir::TensorPtr& tensor);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_TENSOR_ARRAY_H_
