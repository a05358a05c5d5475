// ge.graph.Tensor: a tensor value, either shared with a graph or made in Python.
#ifndef GE_ABI3_BRIDGE_NATIVE_TENSOR_H_
#define GE_ABI3_BRIDGE_NATIVE_TENSOR_H_

#include <nanobind/nanobind.h>

#include "ir/tensor.h"

namespace ge::bridge {

struct PyTensor {
  ir::TensorPtr tensor;
  int placement = 0;
  // The GraphBuilder that has taken the tensor as an operator attribute; invalid before that.
  nanobind::object owner;
};

nanobind::object NewTensor(ir::TensorPtr tensor);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_TENSOR_H_
