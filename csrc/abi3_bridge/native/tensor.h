// ge.graph.Tensor: a tensor value, either shared with a graph or made in Python.
#ifndef GE_ABI3_BRIDGE_NATIVE_TENSOR_H_
#define GE_ABI3_BRIDGE_NATIVE_TENSOR_H_

#include <nanobind/nanobind.h>

#include "ir/tensor.h"

namespace ge::bridge {

inline constexpr int kHostPlacement = 0;

struct PyTensor {
  ir::TensorPtr tensor;  // null once its handle was taken away
  int placement = kHostPlacement;
  // The GraphBuilder that has taken the tensor as an operator attribute; invalid before that.
  nanobind::object owner = {};
  bool owns = true;
};

nanobind::object NewTensor(ir::TensorPtr tensor);
// Nothing here can reach a device's memory.
[[noreturn]] void RaiseNoDevice();

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_TENSOR_H_
