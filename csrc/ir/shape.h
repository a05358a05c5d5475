// Shapes whose dims are numbers, unknown, or named symbols ("batch").
#ifndef GE_IR_SHAPE_H_
#define GE_IR_SHAPE_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"

namespace ge::ir {

// A dim >= 0 is a size. kUnknownDim is any size. Values <= kFirstSymbolicDim stand for a named size: equal values are
// equal sizes. The GE API sees -1 for both.
using Dim = int64_t;
inline constexpr Dim kUnknownDim = -1;
inline constexpr Dim kUnknownRankDim = -2;
inline constexpr Dim kFirstSymbolicDim = -16;
inline bool IsStatic(Dim d) { return d >= 0; }
inline bool IsSymbolic(Dim d) { return d <= kFirstSymbolicDim; }
// The same name gives the same dim, process-wide.
GE_API Dim SymbolicDim(std::string_view name);
// "" unless IsSymbolic(d).
GE_API std::string_view DimName(Dim d);

// Up to four dims in place, more on the heap.
class GE_API Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<Dim> dims) : Shape(std::span<const Dim>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const Dim> dims) { Assign(dims); }
  explicit Shape(const std::vector<Dim>& dims) : Shape(std::span<const Dim>(dims)) {}
  static Shape UnknownRank() { return Shape({kUnknownRankDim}); }

  Shape(const Shape& o) { Assign(o.dims()); }
  Shape(Shape&& o) noexcept { Steal(o); }
  Shape& operator=(const Shape& o) {
    if (this != &o) Assign(o.dims());
    return *this;
  }
  Shape& operator=(Shape&& o) noexcept {
    if (this != &o) {
      Free();
      Steal(o);
    }
    return *this;
  }
  ~Shape() { Free(); }

  bool unknown_rank() const { return size_ == 1 && data()[0] == kUnknownRankDim; }
  // REQUIRES: !unknown_rank() for a meaningful answer.
  size_t rank() const { return size_; }
  Dim operator[](size_t i) const { return data()[i]; }
  std::span<const Dim> dims() const { return {data(), size_}; }
  void Set(size_t i, Dim d) { mutable_data()[i] = d; }
  bool IsStatic() const {
    return std::all_of(data(), data() + size_, [](Dim d) { return d >= 0; });
  }
  // Product of the dims (1 for a scalar); -1 unless IsStatic().
  int64_t NumElements() const;
  // With -1 for named dims: what the GE API shows.
  std::vector<int64_t> ApiDims() const;
  // "[1, batch, -1]"
  std::string ToString() const;
  friend bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end());
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  static constexpr size_t kInline = 4;
  bool heap() const { return size_ > kInline; }
  const Dim* data() const { return heap() ? heap_ : inline_; }
  Dim* mutable_data() { return heap() ? heap_ : inline_; }
  void Free() {
    if (heap()) delete[] heap_;
    size_ = 0;
  }
  void Steal(Shape& o) {
    size_ = o.size_;
    if (heap()) {
      heap_ = o.heap_;
      o.size_ = 0;
    } else {
      std::copy(o.inline_, o.inline_ + size_, inline_);
    }
  }
  void Assign(std::span<const Dim> dims);

  size_t size_ = 0;
  union {
    Dim inline_[kInline];
    Dim* heap_;
  };
};

}  // namespace ge::ir

#endif  // GE_IR_SHAPE_H_
