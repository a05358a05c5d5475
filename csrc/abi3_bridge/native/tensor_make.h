// The constructor of ge.graph.Tensor.
#ifndef GE_ABI3_BRIDGE_NATIVE_TENSOR_MAKE_H_
#define GE_ABI3_BRIDGE_NATIVE_TENSOR_MAKE_H_

#include <nanobind/nanobind.h>

#include "abi3_bridge/native/tensor.h"

namespace ge::bridge {

// `data`: a (nested) list, an array, or None; `file_path`: raw elements; neither: a tensor without elements.
void InitTensor(PyTensor* self, nanobind::handle data, nanobind::handle file_path, nanobind::handle data_type,
                nanobind::handle format, nanobind::handle shape, nanobind::handle placement);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_TENSOR_MAKE_H_
