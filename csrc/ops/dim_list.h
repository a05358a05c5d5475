// A growing list of dims that stays off the heap for usual ranks.
#ifndef GE_OPS_DIM_LIST_H_
#define GE_OPS_DIM_LIST_H_

#include <algorithm>
#include <span>
#include <vector>

#include "ir/shape.h"

namespace ge::ops {

class DimList {
 public:
  DimList() = default;
  explicit DimList(std::span<const ir::Dim> dims) {
    for (ir::Dim d : dims) push_back(d);
  }
  DimList(size_t n, ir::Dim d) {
    for (size_t i = 0; i < n; ++i) push_back(d);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ir::Dim* begin() { return data(); }
  ir::Dim* end() { return data() + size_; }
  const ir::Dim* begin() const { return data(); }
  const ir::Dim* end() const { return data() + size_; }
  ir::Dim& operator[](size_t i) { return data()[i]; }
  ir::Dim operator[](size_t i) const { return data()[i]; }
  operator std::span<const ir::Dim>() const { return {data(), size_}; }  // NOLINT: implicit by design

  void push_back(ir::Dim d) {
    if (size_ == kInline) more_.assign(inline_, inline_ + kInline);
    if (size_ >= kInline) {
      more_.push_back(d);
    } else {
      inline_[size_] = d;
    }
    ++size_;
  }
  void erase(size_t at) {
    std::copy(data() + at + 1, data() + size_, data() + at);
    if (size_ - 1 == kInline) {
      std::copy(more_.begin(), more_.begin() + kInline, inline_);
      more_.clear();
    } else if (size_ > kInline) {
      more_.pop_back();
    }
    --size_;
  }

 private:
  static constexpr size_t kInline = 8;
  ir::Dim* data() { return size_ > kInline ? more_.data() : inline_; }
  const ir::Dim* data() const { return size_ > kInline ? more_.data() : inline_; }
  size_t size_ = 0;
  ir::Dim inline_[kInline];
  std::vector<ir::Dim> more_;
};

}  // namespace ge::ops

#endif  // GE_OPS_DIM_LIST_H_
