// Elements of tensors as Python objects, both ways.
#ifndef GE_ABI3_BRIDGE_NATIVE_TENSOR_ELEMENTS_H_
#define GE_ABI3_BRIDGE_NATIVE_TENSOR_ELEMENTS_H_

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "ir/tensor.h"

namespace ge::bridge {

// "Failed to create Tensor: <why>".
[[noreturn]] void RaiseNotCreated(std::string_view why);

// Leaves of a (nested) list in row-major order, and its shape.
struct NestedList {
  std::vector<nanobind::object> leaves;
  std::vector<int64_t> shape;
};
// Failed to create Tensor, if the nesting is irregular.
NestedList ReadNested(nanobind::handle list);

// Bytes (or strings) of `values` as elements of the tensor's type, wrapped and rounded as the GE API does.
void FillElements(const std::vector<nanobind::object>& values, ir::Tensor* tensor);

// Number of elements the shape says; RuntimeError if the data do not fill it.
size_t ElementsOrRaise(const ir::Tensor& tensor);
// Nested lists that follow the shape, the bare element of a scalar, [] for a tensor without data.
nanobind::object NestedElements(const ir::Tensor& tensor);
// Bits of element i of a type of fewer than 64 bits.
uint32_t ElementBits(const ir::Tensor& tensor, size_t i);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_TENSOR_ELEMENTS_H_
