// Shapes as data, and operators that only rearrange dims.
#include <algorithm>

#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Dim;
using ir::Shape;

// Sizes of dims [start, end) as a followed vector.
void FollowSizes(InferContext& ctx, size_t slot, const Shape& x, size_t start, size_t end) {
  std::span<Scalar> sizes = ctx.NewValues(end - start);
  for (size_t i = start; i < end; ++i) sizes[i - start] = Scalar::Size(x[i]);
  ctx.SetValues(slot, {sizes, false});
}

// An importer may set start and end beside the IR: the part of the shape that is wanted.
Status InferShape(InferContext& ctx) {
  DataType type = ctx.Type(Names().dtype, DataType::kInt32);
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetOutput(0, Shape{ir::kUnknownDim}, type);
    return Status::Ok();
  }
  auto rank = static_cast<int64_t>(x.rank());
  auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  int64_t start = clamp(ctx.Int(Names().start, 0));
  int64_t end = std::max(start, clamp(ctx.Int(Names().end, rank)));
  ctx.SetOutput(0, Shape{end - start}, type);
  FollowSizes(ctx, 0, x, static_cast<size_t>(start), static_cast<size_t>(end));
  return Status::Ok();
}

Status InferShapeN(InferContext& ctx) {
  DataType type = ctx.Type(Names().dtype, DataType::kInt32);
  for (size_t k = 0; k < ctx.count(0); ++k) {
    const Shape& x = ctx.shape(0, k);
    ctx.SetOutput(k, Shape{x.unknown_rank() ? ir::kUnknownDim : static_cast<Dim>(x.rank())}, type);
    if (!x.unknown_rank()) FollowSizes(ctx, k, x, 0, x.rank());
  }
  return Status::Ok();
}

Status InferSize(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), ctx.Type(Names().dtype, DataType::kInt32));
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) return Status::Ok();
  Dim n = 1;
  for (Dim d : x.dims()) n = MultiplyDims(n, d);
  std::span<Scalar> out = ctx.NewValues(1);
  out[0] = Scalar::Size(n);
  ctx.SetValues(0, {out, true});
  return Status::Ok();
}

Status InferRank(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), DataType::kInt32);
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) return Status::Ok();
  std::span<Scalar> out = ctx.NewValues(1);
  out[0] = Scalar::Int(static_cast<int64_t>(x.rank()));
  ctx.SetValues(0, {out, true});
  return Status::Ok();
}

// ---- Reshape --------------------------------------------------------------------------------------------------------

// Removes from both lists the symbols they share, and multiplies the numbers; false if an unknown size remains.
bool CancelSizes(std::span<const Dim> total, std::span<const Dim> part, int64_t* total_size, int64_t* part_size) {
  DimList left;
  *total_size = *part_size = 1;
  for (Dim d : total) {
    if (d == ir::kUnknownDim) return false;
    if (!ir::IsStatic(d)) {
      left.push_back(d);
    } else if (__builtin_mul_overflow(*total_size, d, total_size)) {
      return false;
    }
  }
  for (Dim d : part) {
    if (d == ir::kUnknownDim) return false;
    if (ir::IsStatic(d)) {
      if (__builtin_mul_overflow(*part_size, d, part_size)) return false;
      continue;
    }
    auto found = std::find(left.begin(), left.end(), d);
    if (found == left.end()) return false;
    left.erase(static_cast<size_t>(found - left.begin()));
  }
  if (left.empty()) return true;
  return false;
}

// Finds the one dim at `hole` from the sizes of all others; also where a single symbol is left over.
Dim FillHole(std::span<const Dim> x, const DimList& target, size_t hole) {
  DimList others;
  for (size_t i = 0; i < target.size(); ++i) {
    if (i != hole) others.push_back(target[i]);
  }
  int64_t total, part;
  if (CancelSizes(x, others, &total, &part)) {
    return part > 0 && total % part == 0 ? total / part : ir::kUnknownDim;
  }
  // One symbol more on the left, and equal numbers: the hole is that symbol.
  for (Dim d : x) {
    if (!ir::IsSymbolic(d)) continue;
    DimList with(others);
    with.push_back(d);
    if (CancelSizes(x, with, &total, &part) && total == part && total > 0) return d;
  }
  return ir::kUnknownDim;
}

Status CheckElements(const InferContext& ctx, const Shape& x, const DimList& target) {
  int64_t from = x.NumElements();
  int64_t to = Shape(std::span<const Dim>(target)).NumElements();
  if (from < 0 || to < 0 || from == to) return Status::Ok();
  return ctx.Error(StrCat("a shape of ", from, " elements, as many as '", x.ToString(), "' has"),
                   StrCat("'", Shape(std::span<const Dim>(target)).ToString(), "'"));
}

// `wanted` holds numbers (0: that dim of x unless zeros are meant, -1: what is left) and sizes.
Status ReshapeTo(InferContext& ctx, const Shape& x, const Values& wanted, bool allow_zero, DimList* out) {
  size_t hole = SIZE_MAX, unknown = SIZE_MAX, unknowns = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Scalar& s = wanted[i];
    Dim d = s.dim();
    if (s.is_int() && s.i < -1) return ctx.Error("dims from -1 upwards in the new shape", StrCat("'", s.i, "'"));
    if (s.is_int() && s.i == -1) {
      if (hole != SIZE_MAX) return ctx.Error("at most one -1 in the new shape", "two");
      hole = i;
    } else if (s.is_int() && s.i == 0 && !allow_zero) {
      if (!x.unknown_rank() && i >= x.rank()) {
        return ctx.Error(StrCat("0 only where the input '", x.ToString(), "' has a dim"), StrCat("0 at ", i));
      }
      d = x.unknown_rank() ? ir::kUnknownDim : x[i];
    }
    if (d == ir::kUnknownDim && i != hole) {
      unknown = i;
      ++unknowns;
    }
    out->push_back(d);
  }
  if (x.unknown_rank()) return Status::Ok();
  // One unknown size follows from the others as -1 does.
  if (hole == SIZE_MAX && unknowns == 1) hole = unknown;
  if (hole != SIZE_MAX && unknowns == (hole == unknown ? 1u : 0u)) {
    (*out)[hole] = FillHole(x.dims(), *out, hole);
    int64_t total, part;
    DimList others(*out);
    others.erase(hole);
    // A size that is not known may be zero where one of the others is.
    if (hole != unknown && CancelSizes(x.dims(), others, &total, &part) && part > 0 && total % part != 0) {
      return ctx.Error(StrCat("a new shape that divides '", x.ToString(), "'"),
                       StrCat("dims whose product is '", part, "' beside one open dim"));
    }
  }
  return CheckElements(ctx, x, *out);
}

Status InferReshape(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  DataType type = ctx.dtype(0);
  const Values* wanted = ctx.values(1);
  int64_t axis = ctx.Int(Names().axis), num_axes = ctx.Int(Names().num_axes, -1);
  bool part = axis != 0 || num_axes != -1;
  if (wanted == nullptr || (part && x.unknown_rank())) {
    const Shape& s = ctx.shape(1);
    bool known_rank = !part && !s.unknown_rank() && s.rank() == 1 && ir::IsStatic(s[0]) && s[0] <= 64;
    if (known_rank) {
      ctx.SetOutput(0, DimList(static_cast<size_t>(s[0]), ir::kUnknownDim), type);
    } else {
      ctx.SetUnknown(0, type);
    }
    return Status::Ok();
  }
  Shape inner = x;
  size_t first = 0, last = x.rank();
  if (part) {
    auto rank = static_cast<int64_t>(x.rank());
    if (axis < 0) axis += rank + 1;
    bool inside = axis >= 0 && axis <= rank && num_axes <= rank - axis;
    int64_t end = num_axes < 0 || !inside ? rank : axis + num_axes;
    if (!inside) {
      return ctx.Error(StrCat("axis and num_axes inside rank ", rank), StrCat("'", axis, "' and '", num_axes, "'"));
    }
    first = static_cast<size_t>(axis);
    last = static_cast<size_t>(end);
    inner = Shape(x.dims().subspan(first, last - first));
  }
  DimList target;
  GE_RETURN_IF_ERROR(ReshapeTo(ctx, inner, *wanted, ctx.Bool(Names().allowzero), &target));
  if (part) {
    DimList all;
    for (size_t i = 0; i < first; ++i) all.push_back(x[i]);
    for (Dim d : target) all.push_back(d);
    for (size_t i = last; i < x.rank(); ++i) all.push_back(x[i]);
    target = all;
  }
  ctx.SetOutput(0, target, type);
  if (const Values* v = ctx.values(0); v != nullptr && target.size() <= 1) ctx.SetValues(0, {v->items, target.empty()});
  return Status::Ok();
}

// ---- Squeeze, Unsqueeze ---------------------------------------------------------------------------------------------

}  // namespace

Status SqueezeBy(InferContext& ctx, bool known, const DimList& axes) {
  const Shape& x = ctx.shape(0);
  if (!known || x.unknown_rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  std::vector<bool> gone;
  GE_RETURN_IF_ERROR(AxisFlags(ctx, axes, x.rank(), &gone));
  if (axes.empty()) {
    for (size_t i = 0; i < x.rank(); ++i) {
      // Whether an unknown dim goes is open, and with it the rank.
      if (!ir::IsStatic(x[i])) {
        ctx.SetUnknown(0, ctx.dtype(0));
        return Status::Ok();
      }
      gone[i] = x[i] == 1;
    }
  }
  DimList dims;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (!gone[i]) {
      dims.push_back(x[i]);
    } else if (ir::IsStatic(x[i]) && x[i] != 1) {
      return ctx.Error(StrCat("size 1 of the dim ", i, " to squeeze"), StrCat("shape '", x.ToString(), "'"));
    }
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  if (const Values* v = ctx.values(0)) ctx.SetValues(0, {v->items, dims.empty()});
  return Status::Ok();
}

Status UnsqueezeBy(InferContext& ctx, bool known, const DimList& axes) {
  const Shape& x = ctx.shape(0);
  if (!known || x.unknown_rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  size_t rank = x.rank() + axes.size();
  std::vector<bool> fresh;
  GE_RETURN_IF_ERROR(AxisFlags(ctx, axes, rank, &fresh));
  DimList dims;
  for (size_t i = 0, from = 0; i < rank; ++i) dims.push_back(fresh[i] ? 1 : x[from++]);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  if (const Values* v = ctx.values(0); v != nullptr && rank <= 1) ctx.SetValues(0, {v->items, rank == 0});
  return Status::Ok();
}

namespace {

Status InferSqueeze(InferContext& ctx) { return SqueezeBy(ctx, true, DimList(ctx.Ints(Names().axis))); }
Status InferUnsqueeze(InferContext& ctx) { return UnsqueezeBy(ctx, true, DimList(ctx.Ints(Names().axes))); }

Status InferUnsqueezeByAxis(InferContext& ctx) { return UnsqueezeBy(ctx, true, DimList(ctx.Ints(Names().axis))); }

Status InferSqueezeByInput(InferContext& ctx) {
  if (!ctx.has_input(1)) return SqueezeBy(ctx, true, {});
  auto axes = ctx.ints(1);
  return SqueezeBy(ctx, axes.has_value(), axes.value_or(DimList()));
}

Status InferUnsqueezeByInput(InferContext& ctx) {
  auto axes = ctx.ints(1);
  if (!axes && !ctx.shape(0).unknown_rank()) {
    // The number of axes alone gives the rank.
    const Shape& s = ctx.shape(1);
    if (!s.unknown_rank() && s.rank() == 1 && ir::IsStatic(s[0]) && s[0] <= 64) {
      ctx.SetOutput(0, DimList(ctx.shape(0).rank() + static_cast<size_t>(s[0]), ir::kUnknownDim), ctx.dtype(0));
      return Status::Ok();
    }
  }
  return UnsqueezeBy(ctx, axes.has_value(), axes.value_or(DimList()));
}

// ---- flattening, transposing ----------------------------------------------------------------------------------------

Dim Product(std::span<const Dim> dims) {
  Dim n = 1;
  for (Dim d : dims) n = MultiplyDims(n, d);
  return n;
}

Status InferFlatten(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetOutput(0, Shape{ir::kUnknownDim, ir::kUnknownDim}, ctx.dtype(0));
    return Status::Ok();
  }
  auto rank = static_cast<int64_t>(x.rank());
  int64_t axis = ctx.Int(Names().axis, 1);
  if (axis < -rank || axis > rank) {
    return ctx.Error(StrCat("an axis from ", -rank, " to ", rank), StrCat("'", axis, "'"));
  }
  auto cut = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  ctx.SetOutput(0, Shape{Product(x.dims().first(cut)), Product(x.dims().subspan(cut))}, ctx.dtype(0));
  return Status::Ok();
}

// Dims [axis, end_axis] become one.
Status InferFlattenV2(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || x.rank() == 0) {
    ctx.SetOutput(0, x.unknown_rank() ? x : Shape{1}, ctx.dtype(0));
    return Status::Ok();
  }
  size_t first = 0, last = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().axis, 1), x.rank(), &first));
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().end_axis, -1), x.rank(), &last));
  if (last < first) return ctx.Error("end_axis not before axis", StrCat("'", last, "' before '", first, "'"));
  DimList dims(x.dims().first(first));
  dims.push_back(Product(x.dims().subspan(first, last - first + 1)));
  for (size_t i = last + 1; i < x.rank(); ++i) dims.push_back(x[i]);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status TransposeBy(InferContext& ctx, bool known, std::span<const int64_t> perm) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    if (known && !perm.empty()) {
      ctx.SetOutput(0, DimList(perm.size(), ir::kUnknownDim), ctx.dtype(0));
    } else {
      ctx.SetOutput(0, x, ctx.dtype(0));
    }
    return Status::Ok();
  }
  if (!known) {
    ctx.SetOutput(0, DimList(x.rank(), ir::kUnknownDim), ctx.dtype(0));
    return Status::Ok();
  }
  DimList dims;
  if (perm.empty()) {
    for (size_t i = x.rank(); i > 0; --i) dims.push_back(x[i - 1]);
  } else {
    if (perm.size() != x.rank()) {
      return ctx.Error(StrCat("a perm of ", x.rank(), " axes"), StrCat(perm.size()));
    }
    std::vector<bool> used;
    GE_RETURN_IF_ERROR(AxisFlags(ctx, perm, x.rank(), &used));
    for (int64_t p : perm) dims.push_back(x[static_cast<size_t>(p < 0 ? p + static_cast<int64_t>(x.rank()) : p)]);
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status InferTranspose(InferContext& ctx) {
  if (!ctx.has_input(1)) return TransposeBy(ctx, true, {});
  auto perm = ctx.ints(1);
  return TransposeBy(ctx, perm.has_value(), perm ? std::span<const Dim>(*perm) : std::span<const Dim>());
}

Status InferTransposeD(InferContext& ctx) { return TransposeBy(ctx, true, ctx.Ints(Names().perm)); }

Status InferPermute(InferContext& ctx) {
  static const ir::Symbol order("order");
  return TransposeBy(ctx, true, ctx.Ints(order));
}

}  // namespace

void RegisterShape(OpRegistrar& r) {
  r.Op("Shape", "math").Input("x", kAll).Output("y", kIndex).IntAttr("dtype", TypeNumber(DataType::kInt32))
      .MovesDims().Infer(InferShape);
  r.Op("ShapeN", "math").DynamicInput("x", kIntegers | kFloating | kBool | kString).DynamicOutput("y", kIndex)
      .IntAttr("dtype", TypeNumber(DataType::kInt32)).MovesDims().Infer(InferShapeN);
  r.Op("Size", "nn").Input("x", kAll).Output("y", kIndex).IntAttr("dtype", TypeNumber(DataType::kInt32))
      .Infer(InferSize);
  r.Op("Rank", "math").Input("x", kIntegers | kFloating | kBool | kString).Output("y", kI32).Infer(InferRank);
  r.Op("Reshape", "math").Input("x", kAll).Input("shape", kIndex).Output("y", kAll).IntAttr("axis", 0)
      .IntAttr("num_axes", -1).MovesDims().Infer(InferReshape);
  r.Op("Squeeze", "math").Input("x", kAll).Output("y", kAll).IntsAttr("axis").MovesDims().Infer(InferSqueeze);
  r.Op("SqueezeV2", "math").Input("x", kAll).Output("y", kAll).IntsAttr("axis").MovesDims().Infer(InferSqueeze);
  r.Op("SqueezeV3", "math").Input("x", kAll).OptionalInput("axes", kI64).Output("y", kAll)
      .MovesDims().Infer(InferSqueezeByInput);
  r.Op("Unsqueeze", "math").Input("x", kAll).Output("y", kAll).IntsAttr("axes").MovesDims().Infer(InferUnsqueeze);
  r.Op("UnsqueezeV2", "math").Input("x", kAll).Output("y", kAll).IntsAttr("axis").MovesDims()
      .Infer(InferUnsqueezeByAxis);
  r.Op("UnsqueezeV3", "math").Input("x", kAll).Input("axes", kI64).Output("y", kAll).MovesDims()
      .Infer(InferUnsqueezeByInput);
  r.Op("ExpandDims", "math").Input("x", kAll).Input("axis", kIndex).Output("y", kAll).MovesDims()
      .Infer(InferUnsqueezeByInput);
  r.Op("Flatten", "math").Input("x", kAll).Output("y", kAll).IntAttr("axis", 1).MovesDims().Infer(InferFlatten);
  r.Op("FlattenV2", "legacy").Input("x", kIntegers | kF32 | kF16).Output("y", kIntegers | kF32 | kF16)
      .IntAttr("axis", 1).IntAttr("end_axis", -1).MovesDims().Infer(InferFlattenV2);
  r.Op("Transpose", "math").Input("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3).Input("perm", kIndex)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3).MovesDims().Infer(InferTranspose);
  r.Op("TransposeD", "transformer").Input("x", kIntegers | kF32 | kF16).Output("y", kIntegers | kF32 | kF16)
      .RequiredAttr("perm", AttrType::kListInt).MovesDims().Infer(InferTransposeD);
  r.Op("Permute", "math").Input("x", kF32 | kF16).Output("y", kF32 | kF16).IntsAttr("order", {0})
      .MovesDims().Infer(InferPermute);
}

}  // namespace ge::ops
