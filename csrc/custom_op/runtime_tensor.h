// Tensors as the callbacks of a custom operator see them.
#ifndef GE_CUSTOM_OP_RUNTIME_TENSOR_H_
#define GE_CUSTOM_OP_RUNTIME_TENSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/export.h"
#include "ir/types.h"

namespace gert {

using ge::ir::DataType;
using ge::ir::Format;

// What devices ask of an allocation. The host keeps to it, so that sizes agree.
inline constexpr size_t kMemoryAlignment = 512;
// REQUIRES: the sum fits.
constexpr size_t AlignUp(size_t size) { return (size + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment; }

// Dims in place: a context makes many of them.
class Shape {
 public:
  static constexpr size_t kMaxDims = 25;
  static constexpr char kName[] = "shape";  // for messages

  Shape() = default;  // a scalar
  // Dims past the limit are dropped; callers check Fits first.
  explicit Shape(std::span<const int64_t> dims) {
    for (int64_t dim : dims) Append(dim);
  }
  static bool Fits(size_t num_dims) { return num_dims <= kMaxDims; }

  size_t dim_num() const { return size_; }
  bool is_scalar() const { return size_ == 0; }
  int64_t operator[](size_t i) const { return dims_[i]; }
  void Set(size_t i, int64_t dim) { dims_[i] = dim; }
  // No effect at the limit.
  void Append(int64_t dim) {
    if (size_ < kMaxDims) dims_[size_++] = dim;
  }
  void Clear() { size_ = 0; }
  std::span<const int64_t> dims() const { return {dims_.data(), size_}; }
  // Product of the dims, 1 for a scalar; -1 if a dim is unknown or the product does not fit.
  int64_t NumElements() const {
    int64_t n = 1;
    for (int64_t dim : dims()) {
      if (dim < 0 || __builtin_mul_overflow(n, dim, &n)) return -1;
    }
    return n;
  }

 private:
  uint32_t size_ = 0;
  std::array<int64_t, kMaxDims> dims_{};
};

struct StorageShape {
  static constexpr char kName[] = "storage shape";
  Shape origin;
  Shape storage;
};

// Which dims of the storage shape were put in beside those of the origin shape, one bit each.
class GE_API ExpandDimsType {
 public:
  static constexpr size_t kMaxSize = 56;
  static constexpr char kName[] = "expand dims type";

  ExpandDimsType() = default;
  // "1100": a character per dim of the full shape, '1' where one was put in. Longer texts count as none.
  explicit ExpandDimsType(std::string_view rule);
  // The length in the top 8 bits, below them the mask with the first dim in the lowest bit.
  explicit ExpandDimsType(int64_t rule);

  uint64_t full_size() const { return size_; }
  bool IsExpandIndex(uint64_t i) const { return i < size_ && ((mask_ >> i) & 1) != 0; }
  void SetExpandIndex(uint64_t i) {
    if (i < kMaxSize) mask_ |= uint64_t{1} << i;
  }

 private:
  uint64_t size_ = 0;
  uint64_t mask_ = 0;
};

struct StorageFormat {
  static constexpr char kName[] = "storage format";
  Format origin = Format::kND;
  Format storage = Format::kND;
  ExpandDimsType expand_dims;
};

enum class Placement : uint8_t { kOnDeviceHbm = 0, kOnHost = 1, kFollowing = 2, kOnDeviceP2p = 3, kEnd = 4 };

struct Tensor {
  static constexpr char kName[] = "tensor";
  StorageShape shape;
  StorageFormat format;
  DataType dtype = DataType::kUndefined;
  Placement placement = Placement::kOnHost;
  bool writable = false;  // whether the callback may change the contents
  bool allocated = false;
  void* addr = nullptr;
  size_t size = 0;  // in bytes
  std::shared_ptr<void> owner;  // of the memory
};

}  // namespace gert

#endif  // GE_CUSTOM_OP_RUNTIME_TENSOR_H_
