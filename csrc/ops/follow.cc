#include "ops/follow.h"

#include <cmath>

namespace ge::ops {

void FollowCopy(InferContext& ctx, size_t input) {
  if (const Values* v = ctx.values(input)) ctx.SetValues(0, *v);
}

void FollowUnary(InferContext& ctx, ScalarFn1 fn) {
  const Values* v = ctx.values(0);
  if (v == nullptr) return;
  std::span<Scalar> out = ctx.NewValues(v->size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = fn((*v)[i]);
  ctx.SetValues(0, {out, v->scalar});
}

void FollowBinary(InferContext& ctx, ScalarFn2 fn) {
  const Values* a = ctx.values(0);
  if (a == nullptr) return;
  const Values* b = ctx.values(1);
  if (b == nullptr || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
  size_t n = a->size() == 1 ? b->size() : a->size();
  std::span<Scalar> out = ctx.NewValues(n);
  for (size_t i = 0; i < n; ++i) out[i] = fn((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
  ctx.SetValues(0, {out, a->scalar && b->scalar});
}

namespace scalar {
namespace {

bool IsInt(const Scalar& s, int64_t v) { return s.is_int() && s.i == v; }
bool IsSize(const Scalar& s) { return s.kind == Scalar::Kind::kDim; }
bool SameSymbol(const Scalar& a, const Scalar& b) {
  return a.kind == Scalar::Kind::kDim && b.kind == Scalar::Kind::kDim && a.i == b.i && ir::IsSymbolic(a.i);
}
bool BothInts(const Scalar& a, const Scalar& b) { return a.is_int() && b.is_int(); }
bool BothNumbers(const Scalar& a, const Scalar& b) { return a.is_number() && b.is_number(); }
// Shape arithmetic in floats runs in float32.
Scalar Rounded(double v) { return Scalar::Float(static_cast<float>(v)); }
Scalar Truth(bool b) { return Scalar::Int(b); }

// -1, 0, 1; 2 when it cannot be told.
int Compare(const Scalar& a, const Scalar& b) {
  if (SameSymbol(a, b)) return 0;
  if (BothInts(a, b)) return a.i < b.i ? -1 : a.i > b.i;
  if (BothNumbers(a, b)) {
    if (std::isnan(a.number()) || std::isnan(b.number())) return 2;
    return a.number() < b.number() ? -1 : a.number() > b.number();
  }
  // A size is never negative.
  if (IsSize(b) && a.is_number() && a.number() < 0) return -1;
  if (IsSize(a) && b.is_number() && b.number() < 0) return 1;
  return 2;
}

bool NotNegative(const Scalar& s) { return IsSize(s) || (s.is_number() && s.number() >= 0); }
// What can be said of a sum, product or quotient that is not known: that of sizes is no negative number.
Scalar Open(const Scalar& a, const Scalar& b) {
  return NotNegative(a) && NotNegative(b) ? Scalar::Size(ir::kUnknownDim) : Scalar::Unknown();
}

}  // namespace

Scalar Add(const Scalar& a, const Scalar& b) {
  if (IsInt(a, 0)) return b;
  if (IsInt(b, 0)) return a;
  int64_t out;
  if (BothInts(a, b)) return __builtin_add_overflow(a.i, b.i, &out) ? Scalar::Unknown() : Scalar::Int(out);
  return BothNumbers(a, b) ? Rounded(a.number() + b.number()) : Open(a, b);
}

Scalar Sub(const Scalar& a, const Scalar& b) {
  if (IsInt(b, 0)) return a;
  if (SameSymbol(a, b)) return Scalar::Int(0);
  int64_t out;
  if (BothInts(a, b)) return __builtin_sub_overflow(a.i, b.i, &out) ? Scalar::Unknown() : Scalar::Int(out);
  return BothNumbers(a, b) ? Rounded(a.number() - b.number()) : Scalar::Unknown();
}

Scalar Mul(const Scalar& a, const Scalar& b) {
  if (IsInt(a, 1) || (a.kind == Scalar::Kind::kFloat && a.f == 1.0 && !b.is_int())) return b;
  if (IsInt(b, 1) || (b.kind == Scalar::Kind::kFloat && b.f == 1.0 && !a.is_int())) return a;
  if (IsInt(a, 0) || IsInt(b, 0)) return Scalar::Int(0);
  int64_t out;
  if (BothInts(a, b)) return __builtin_mul_overflow(a.i, b.i, &out) ? Scalar::Unknown() : Scalar::Int(out);
  return BothNumbers(a, b) ? Rounded(a.number() * b.number()) : Open(a, b);
}

Scalar Div(const Scalar& a, const Scalar& b) {
  if (IsInt(b, 1)) return a;
  if (BothInts(a, b)) {
    return b.i == 0 || (b.i == -1 && a.i == INT64_MIN) ? Scalar::Unknown() : Scalar::Int(a.i / b.i);
  }
  return BothNumbers(a, b) ? Rounded(a.number() / b.number()) : Open(a, b);
}

Scalar FloorDiv(const Scalar& a, const Scalar& b) {
  Scalar q = Div(a, b);
  if (BothInts(a, b) && q.is_int()) {
    return a.i % b.i != 0 && (a.i < 0) != (b.i < 0) ? Scalar::Int(q.i - 1) : q;
  }
  return q.kind == Scalar::Kind::kFloat ? Rounded(std::floor(q.f)) : q;
}

Scalar FloorMod(const Scalar& a, const Scalar& b) {
  if (!BothInts(a, b) || b.i == 0 || b.i == -1) return Scalar::Unknown();
  int64_t m = a.i % b.i;
  return Scalar::Int(m != 0 && (m < 0) != (b.i < 0) ? m + b.i : m);
}

Scalar Max(const Scalar& a, const Scalar& b) {
  int c = Compare(a, b);
  if (c != 2) return c >= 0 ? a : b;
  if (IsInt(a, 0) && IsSize(b)) return b;
  if (IsInt(b, 0) && IsSize(a)) return a;
  return NotNegative(a) || NotNegative(b) ? Scalar::Size(ir::kUnknownDim) : Scalar::Unknown();
}

Scalar Min(const Scalar& a, const Scalar& b) {
  int c = Compare(a, b);
  return c == 2 ? Scalar::Unknown() : c <= 0 ? a : b;
}

Scalar Equal(const Scalar& a, const Scalar& b) {
  int c = Compare(a, b);
  return c == 2 ? Scalar::Unknown() : Truth(c == 0);
}
Scalar NotEqual(const Scalar& a, const Scalar& b) { return Not(Equal(a, b)); }
Scalar Less(const Scalar& a, const Scalar& b) {
  int c = Compare(a, b);
  return c == 2 ? Scalar::Unknown() : Truth(c < 0);
}
Scalar LessEqual(const Scalar& a, const Scalar& b) {
  int c = Compare(a, b);
  return c == 2 ? Scalar::Unknown() : Truth(c <= 0);
}
Scalar Greater(const Scalar& a, const Scalar& b) { return Less(b, a); }
Scalar GreaterEqual(const Scalar& a, const Scalar& b) { return LessEqual(b, a); }
Scalar And(const Scalar& a, const Scalar& b) {
  if (IsInt(a, 0) || IsInt(b, 0)) return Truth(false);
  return BothInts(a, b) ? Truth(true) : Scalar::Unknown();
}
Scalar Or(const Scalar& a, const Scalar& b) {
  if ((a.is_int() && a.i != 0) || (b.is_int() && b.i != 0)) return Truth(true);
  return BothInts(a, b) ? Truth(false) : Scalar::Unknown();
}
Scalar Not(const Scalar& a) { return a.is_int() ? Truth(a.i == 0) : Scalar::Unknown(); }

Scalar Neg(const Scalar& a) {
  if (a.is_int() && a.i != INT64_MIN) return Scalar::Int(-a.i);
  return a.kind == Scalar::Kind::kFloat ? Scalar::Float(-a.f) : Scalar::Unknown();
}
Scalar Abs(const Scalar& a) {
  if (a.is_int() && a.i < 0) return Neg(a);
  return a.kind == Scalar::Kind::kFloat ? Scalar::Float(std::fabs(a.f)) : a;
}
Scalar Floor(const Scalar& a) { return a.kind == Scalar::Kind::kFloat ? Scalar::Float(std::floor(a.f)) : a; }
Scalar Ceil(const Scalar& a) { return a.kind == Scalar::Kind::kFloat ? Scalar::Float(std::ceil(a.f)) : a; }
Scalar Round(const Scalar& a) { return a.kind == Scalar::Kind::kFloat ? Scalar::Float(std::nearbyint(a.f)) : a; }

Scalar Cast(const Scalar& a, ir::DataType to) {
  if (!a.is_number()) {
    // A size of zero or more says nothing about truth.
    return to == ir::DataType::kBool ? Scalar::Unknown() : a;
  }
  if (to == ir::DataType::kBool) return Truth(a.number() != 0);
  if (ir::IsFloating(to)) return Rounded(a.number());
  bool narrow = to == ir::DataType::kInt32 && a.is_int() && (a.i < INT32_MIN || a.i > INT32_MAX);
  if (narrow) return Scalar::Unknown();
  if (a.is_int()) return a;
  // Beyond the integers a conversion has no defined result.
  if (!(a.f > -9.2e18 && a.f < 9.2e18)) return Scalar::Unknown();
  return Scalar::Int(static_cast<int64_t>(a.f));
}

}  // namespace scalar
}  // namespace ge::ops
