#include "ops/shape_math.h"

#include "base/strings.h"

namespace ge::ops {

using ir::Dim;
using ir::IsStatic;
using ir::kUnknownDim;
using ir::Shape;

bool BroadcastDim(Dim a, Dim b, Dim* out) {
  if (a == b || b == 1) {
    *out = a;
  } else if (a == 1) {
    *out = b;
  } else if (IsStatic(a) && IsStatic(b)) {
    return false;
  } else {
    // The unknown side is 1 or equal to the number; two different unknowns may be either.
    *out = IsStatic(a) ? a : IsStatic(b) ? b : kUnknownDim;
  }
  return true;
}

bool MergeDim(Dim a, Dim b, Dim* out) {
  if (a == b) {
    *out = a;
  } else if (IsStatic(a) && IsStatic(b)) {
    return false;
  } else if (IsStatic(a) || IsStatic(b)) {
    *out = IsStatic(a) ? a : b;
  } else {
    *out = a != kUnknownDim ? a : b;
  }
  return true;
}

Status Broadcast(const InferContext& ctx, const Shape& a, const Shape& b, Shape* out) {
  if (a == b) {
    *out = a;
    return Status::Ok();
  }
  if (a.unknown_rank() || b.unknown_rank()) {
    *out = Shape::UnknownRank();
    return Status::Ok();
  }
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  size_t shift = longer.rank() - shorter.rank();
  Shape result = longer;
  for (size_t i = 0; i < shorter.rank(); ++i) {
    Dim d;
    if (!BroadcastDim(longer[shift + i], shorter[i], &d)) {
      return ctx.Error("shapes that broadcast", StrCat("'", a.ToString(), "' and '", b.ToString(), "'"));
    }
    result.Set(shift + i, d);
  }
  *out = std::move(result);
  return Status::Ok();
}

Status BroadcastInputs(const InferContext& ctx, size_t n, Shape* out) {
  *out = ctx.shape(0);
  for (size_t i = 1; i < n; ++i) {
    if (ctx.count(i) == 0) continue;
    Shape both;
    GE_RETURN_IF_ERROR(Broadcast(ctx, *out, ctx.shape(i), &both));
    *out = std::move(both);
  }
  return Status::Ok();
}

Status NormalizeAxis(const InferContext& ctx, int64_t axis, size_t rank, size_t* out) {
  auto r = static_cast<int64_t>(rank);
  if (r == 0) return ctx.Error("a tensor of rank 1 or more", StrCat("a scalar for axis '", axis, "'"));
  if (axis < -r || axis >= r) {
    return ctx.Error(StrCat("an axis from ", -r, " to ", r - 1, " for rank ", r), StrCat("'", axis, "'"));
  }
  *out = static_cast<size_t>(axis < 0 ? axis + r : axis);
  return Status::Ok();
}

Status AxisFlags(const InferContext& ctx, std::span<const int64_t> axes, size_t rank, std::vector<bool>* out) {
  out->assign(rank, false);
  for (int64_t axis : axes) {
    size_t i = 0;
    GE_RETURN_IF_ERROR(NormalizeAxis(ctx, axis, rank, &i));
    if ((*out)[i]) return ctx.Error("every axis once", StrCat("axis '", axis, "' twice"));
    (*out)[i] = true;
  }
  return Status::Ok();
}

Status CheckRank(const InferContext& ctx, size_t input, size_t rank) {
  const Shape& s = ctx.shape(input);
  if (s.unknown_rank() || s.rank() == rank) return Status::Ok();
  return ctx.Error(StrCat(ctx.InputText(input), " of rank ", rank), StrCat("shape '", s.ToString(), "'"));
}

Dim MultiplyDims(Dim a, Dim b) {
  if (a == 0 || b == 0) return 0;
  if (a == 1) return b;
  if (b == 1) return a;
  Dim out;
  return IsStatic(a) && IsStatic(b) && !__builtin_mul_overflow(a, b, &out) ? out : kUnknownDim;
}

Dim AddDims(Dim a, Dim b) {
  if (a == 0) return b;
  if (b == 0) return a;
  Dim out;
  return IsStatic(a) && IsStatic(b) && !__builtin_add_overflow(a, b, &out) ? out : kUnknownDim;
}

Dim AddDim(Dim d, int64_t n) {
  if (n == 0) return d;
  Dim out;
  return IsStatic(d) && !__builtin_add_overflow(d, n, &out) && out >= 0 ? out : kUnknownDim;
}

Shape CommonShape(const Shape& a, const Shape& b) {
  if (a.unknown_rank() || b.unknown_rank() || a.rank() != b.rank()) return Shape::UnknownRank();
  Shape out = a;
  for (size_t i = 0; i < a.rank(); ++i) out.Set(i, CommonDim(a[i], b[i]));
  return out;
}

DimList SizesOf(std::span<const int64_t> sizes) {
  DimList dims;
  for (int64_t n : sizes) dims.push_back(SizeOrUnknown(n));
  return dims;
}

ir::DataType PromoteTypes(ir::DataType a, ir::DataType b) {
  using T = ir::DataType;
  if (a == b || b == T::kUndefined) return a;
  if (a == T::kUndefined) return b;
  auto rank = [](T t) {
    switch (t) {
      case T::kBool: return 1;
      case T::kUint8: return 2;
      case T::kInt8: return 3;
      case T::kUint16: return 4;
      case T::kInt16: return 5;
      case T::kUint32: return 6;
      case T::kInt32: return 7;
      case T::kUint64: return 8;
      case T::kInt64: return 9;
      case T::kFloat16:
      case T::kBf16: return 10;
      case T::kFloat: return 11;
      case T::kDouble: return 12;
      case T::kComplex32: return 13;
      case T::kComplex64: return 14;
      case T::kComplex128: return 15;
      default: return 0;
    }
  };
  // Neither 16-bit float holds the other; nor do int8 and uint8.
  if (rank(a) == 10 && rank(b) == 10) return T::kFloat;
  if (rank(a) + rank(b) == 5 && rank(a) >= 2 && rank(b) >= 2) return T::kInt16;
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace ge::ops
