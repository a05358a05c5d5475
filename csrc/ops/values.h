// Integer (and small float) contents of tensors that are followed through shape arithmetic.
#ifndef GE_OPS_VALUES_H_
#define GE_OPS_VALUES_H_

#include <deque>
#include <span>
#include <vector>

#include "base/arena.h"
#include "ir/graph.h"

namespace ge::ops {

// One element: a number, a size that is not known as a number (kUnknownDim or a symbolic dim), or anything at all.
struct Scalar {
  enum class Kind : uint8_t { kInt, kFloat, kDim, kUnknown };
  Kind kind = Kind::kUnknown;
  union {
    int64_t i = ir::kUnknownDim;
    double f;
  };

  static Scalar Int(int64_t v) { return Make(Kind::kInt, v); }
  static Scalar Float(double v) {
    Scalar s;
    s.kind = Kind::kFloat;
    s.f = v;
    return s;
  }
  // A size: a number when the dim is static.
  static Scalar Size(ir::Dim d) { return Make(ir::IsStatic(d) ? Kind::kInt : Kind::kDim, d); }
  static Scalar Unknown() { return {}; }

  bool is_int() const { return kind == Kind::kInt; }
  bool is_number() const { return kind == Kind::kInt || kind == Kind::kFloat; }
  double number() const { return kind == Kind::kFloat ? f : static_cast<double>(i); }
  // As a dim; negative numbers are no sizes, floats are cut off.
  ir::Dim dim() const {
    if (kind == Kind::kFloat) return f >= 0 && f < 9e15 ? static_cast<ir::Dim>(f) : ir::kUnknownDim;
    return kind == Kind::kInt && i < 0 ? ir::kUnknownDim : i;
  }

 private:
  static Scalar Make(Kind kind, int64_t v) {
    Scalar s;
    s.kind = kind;
    s.i = v;
    return s;
  }
};

// The elements of a tensor of rank 0 or 1.
struct Values {
  std::span<const Scalar> items;
  bool scalar = false;

  size_t size() const { return items.size(); }
  const Scalar& operator[](size_t i) const { return items[i]; }
};

// Longer tensors are not followed: shapes, axes and pads are short.
inline constexpr size_t kMaxFollowed = 64;

// What is known about the contents of the outputs of one graph's nodes.
class ValueStore {
 public:
  explicit ValueStore(const ir::Graph& graph) : first_(graph.all_created().size(), kNone) {}

  // Null when nothing is known. Small constants are read when first asked for.
  const Values* Find(ir::Anchor anchor);
  // Room for n elements that lives as long as the store.
  std::span<Scalar> New(size_t n) { return {arena_.AllocateArray<Scalar>(n), n}; }
  void Set(ir::Anchor anchor, Values values);

 private:
  struct Entry {
    uint32_t index;
    uint32_t next;
    Values values;
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  const Values* ReadConst(ir::Node* node);

  std::vector<uint32_t> first_;  // by node id: the first entry of that node
  std::deque<Entry> entries_;
  Arena arena_;
  std::vector<int64_t> ints_;
  std::vector<double> floats_;
};

}  // namespace ge::ops

#endif  // GE_OPS_VALUES_H_
