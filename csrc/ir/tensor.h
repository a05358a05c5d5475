// TensorDesc (shape, layout, element type) and Tensor (a desc and shared bytes).
#ifndef GE_IR_TENSOR_H_
#define GE_IR_TENSOR_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/export.h"
#include "base/mapped_file.h"
#include "ir/shape.h"
#include "ir/types.h"

namespace ge::ir {

struct TensorDesc {
  Shape shape = Shape::UnknownRank();
  DataType dtype = DataType::kUndefined;
  Format format = Format::kND;
  Format origin_format = Format::kND;
  // Null: same as shape.
  std::shared_ptr<const Shape> origin_shape;

  TensorDesc() = default;
  TensorDesc(Shape s, DataType t, Format f = Format::kND)
      : shape(std::move(s)), dtype(t), format(f), origin_format(f) {}
  const Shape& OriginShape() const { return origin_shape ? *origin_shape : shape; }
};

// Bytes with an owner: memory of its own, or a piece of a mapped file.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<const void> owner, const uint8_t* data, size_t size)
      : owner_(std::move(owner)), data_(data), size_(size) {}
  static Buffer Of(std::vector<uint8_t> bytes) {
    auto held = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
    const uint8_t* p = held->data();
    size_t n = held->size();
    return Buffer(std::move(held), p, n);
  }
  static Buffer Mapped(std::shared_ptr<const MappedFile> file, size_t offset, size_t size) {
    const uint8_t* p = file->data() + offset;
    return Buffer(std::move(file), p, size);
  }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Immutable once shared (TensorPtr), so that graphs, undo records and threads can hold the same one.
// Elements lie little-endian, row-major, sub-byte types packed with the first element in the low bits.
struct Tensor {
  TensorDesc desc;
  Buffer data;
  // Elements of a DT_STRING tensor; `data` is empty then.
  std::vector<std::string> strings;

  // REQUIRES: data holds elements of T at any alignment.
  template <typename T>
  T At(size_t i) const {
    T v;
    std::memcpy(&v, data.data() + i * sizeof(T), sizeof(T));
    return v;
  }
};
using TensorPtr = std::shared_ptr<const Tensor>;

template <typename T>
TensorPtr MakeTensor(DataType dtype, Shape shape, std::span<const T> values) {
  auto t = std::make_shared<Tensor>();
  t->desc = TensorDesc(std::move(shape), dtype);
  const auto* p = reinterpret_cast<const uint8_t*>(values.data());
  t->data = Buffer::Of(std::vector<uint8_t>(p, p + values.size_bytes()));
  return t;
}
// A scalar float32, int64 or int32 tensor.
inline TensorPtr ScalarTensor(float v) { return MakeTensor<float>(DataType::kFloat, {}, std::span(&v, 1)); }
inline TensorPtr ScalarTensor(int64_t v) { return MakeTensor<int64_t>(DataType::kInt64, {}, std::span(&v, 1)); }
inline TensorPtr ScalarTensor(int32_t v) { return MakeTensor<int32_t>(DataType::kInt32, {}, std::span(&v, 1)); }

// Elements of an integer (8 to 64 bit) or bool tensor widened to int64; false for other types or a size mismatch.
GE_API bool ReadIntegers(const Tensor& tensor, std::vector<int64_t>* out);
// Elements of a float, double, half, bf16 or integer tensor as double; false for other types.
GE_API bool ReadNumbers(const Tensor& tensor, std::vector<double>* out);

}  // namespace ge::ir

#endif  // GE_IR_TENSOR_H_
