// One node that is to be computed now: its constant inputs, its attributes, room for the result.
#ifndef GE_FUSION_BUILTIN_FOLD_CALL_H_
#define GE_FUSION_BUILTIN_FOLD_CALL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "ops/op_def.h"

namespace ge::fusion::fold {

using Dims = std::vector<int64_t>;

class Call {
 public:
  // `inputs`: a tensor for each connected slot, null for the others. A result takes `limit` bytes at most.
  Call(const ir::Node& node, std::span<const ir::Tensor* const> inputs, int64_t limit)
      : node_(node), def_(ops::FindOp(node.type())), inputs_(inputs), limit_(limit) {}

  const ir::Node& node() const { return node_; }
  size_t num_inputs() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  // REQUIRES: has(i).
  const ir::Tensor& in(size_t i) const { return *inputs_[i]; }
  ir::DataType dtype(size_t i) const { return in(i).desc.dtype; }
  Dims dims(size_t i) const {
    std::span<const ir::Dim> d = in(i).desc.shape.dims();
    return {d.begin(), d.end()};
  }
  const uint8_t* data(size_t i) const { return in(i).data.data(); }
  int64_t count(size_t i) const { return in(i).desc.shape.NumElements(); }
  // The contents of an integer input; nothing if it is not connected or of another type.
  std::optional<Dims> Ints(size_t i) const;
  // The one element of an integer input.
  std::optional<int64_t> IntOf(size_t i) const;

  // Attributes as set, else their declared default, else the fallback.
  int64_t Int(const char* name, int64_t fallback) const;
  bool Bool(const char* name, bool fallback) const;
  std::optional<Dims> IntList(const char* name) const;

  // Bytes for the result, zeroed; null if it would be too large.
  uint8_t* New(ir::DataType type, const Dims& dims);
  // The result is input i under another shape.
  bool Share(size_t i, const Dims& dims);
  // Null before New or Share.
  ir::TensorPtr TakeResult();

 private:
  const ir::Node& node_;
  const ops::OpDef* def_;
  std::span<const ir::Tensor* const> inputs_;
  int64_t limit_;
  ir::TensorDesc desc_;
  std::vector<uint8_t> bytes_;
  ir::TensorPtr shared_;
  bool made_ = false;
};

// False: this node can't be computed, or the result is not defined everywhere.
using Kernel = bool (*)(Call&);

// The kernel for an operator whose inputs are all constant; null if there is none.
Kernel FindKernel(ir::Symbol type);

// Product of sizes; -1 if one is negative or it does not fit.
int64_t Elements(const Dims& dims);
// An axis in [0, rank), counted from the end when negative; nothing if it is outside.
std::optional<size_t> Axis(int64_t axis, size_t rank);

}  // namespace ge::fusion::fold

#endif  // GE_FUSION_BUILTIN_FOLD_CALL_H_
