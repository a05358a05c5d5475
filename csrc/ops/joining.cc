// Concatenating, stacking, splitting, tiling and padding.
#include <algorithm>

#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Dim;
using ir::Shape;

namespace {

// ---- concatenation --------------------------------------------------------------------------------------------------

void FollowConcat(InferContext& ctx, size_t x) {
  size_t n = 0;
  for (size_t k = 0; k < ctx.count(x); ++k) {
    const Values* v = ctx.values(x, k);
    if (v == nullptr) {
      // One part may be unknown while its length is not.
      const Shape& s = ctx.shape(x, k);
      if (s.unknown_rank() || s.rank() != 1 || !ir::IsStatic(s[0])) return;
      n += static_cast<size_t>(s[0]);
    } else {
      n += v->size();
    }
    if (n > kMaxFollowed) return;
  }
  std::span<Scalar> out = ctx.NewValues(n);
  size_t at = 0;
  for (size_t k = 0; k < ctx.count(x); ++k) {
    if (const Values* v = ctx.values(x, k)) {
      for (const Scalar& s : v->items) out[at++] = s;
    } else {
      for (Dim i = 0; i < ctx.shape(x, k)[0]; ++i) out[at++] = Scalar::Unknown();
    }
  }
  ctx.SetValues(0, {out, false});
}

bool IsInteger(DataType t) { return t == DataType::kInt32 || t == DataType::kInt64; }

}  // namespace

Status ConcatBy(InferContext& ctx, size_t x, std::optional<int64_t> axis) {
  size_t n = ctx.count(x);
  DataType type = ctx.dtype(x);
  size_t known = n;
  for (size_t k = n; k > 0; --k) {
    if (!ctx.shape(x, k - 1).unknown_rank()) known = k - 1;
    if (type == DataType::kUndefined) type = ctx.dtype(x, k - 1);
  }
  if (known == n) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  const Shape& first = ctx.shape(x, known);
  size_t rank = first.rank();
  if (!axis) {
    ctx.SetOutput(0, DimList(rank, ir::kUnknownDim), type);
    return Status::Ok();
  }
  if (rank == 0) return ctx.Error("tensors of rank 1 or more", "a scalar");
  size_t at = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, *axis, rank, &at));
  DimList dims(first.dims());
  dims[at] = 0;
  for (size_t k = 0; k < n; ++k) {
    const Shape& s = ctx.shape(x, k);
    if (s.unknown_rank()) {
      dims[at] = ir::kUnknownDim;
      continue;
    }
    if (s.rank() != rank) {
      return ctx.Error(StrCat("tensors of one rank, ", rank),
                       StrCat(ctx.InputText(x, k), " of shape '", s.ToString(), "'"));
    }
    for (size_t i = 0; i < rank; ++i) {
      if (i == at) {
        // The sum of nothing and a named size keeps the name.
        dims[i] = k == 0 ? s[i] : AddDims(dims[i], s[i]);
      } else if (!MergeDim(dims[i], s[i], &dims[i])) {
        return ctx.Error(StrCat("equal dims except along axis ", at),
                         StrCat("'", first.ToString(), "' and '", s.ToString(), "'"));
      }
    }
  }
  ctx.SetOutput(0, dims, type);
  if (rank == 1 && IsInteger(type)) FollowConcat(ctx, x);
  return Status::Ok();
}

namespace {

Status InferConcatD(InferContext& ctx) { return ConcatBy(ctx, 0, ctx.Int(Names().concat_dim)); }
Status InferConcat(InferContext& ctx) { return ConcatBy(ctx, 1, ctx.int_value(0)); }
Status InferConcatV2(InferContext& ctx) { return ConcatBy(ctx, 0, ctx.int_value(1)); }

// Stacking along a new axis.
Status InferPack(InferContext& ctx) {
  size_t n = ctx.count(0);
  Shape merged = Shape::UnknownRank();
  DataType type = ctx.dtype(0);
  bool followed = n <= kMaxFollowed;
  for (size_t k = 0; k < n; ++k) {
    const Shape& s = ctx.shape(0, k);
    const Values* v = ctx.values(0, k);
    followed = followed && v != nullptr && v->scalar;
    if (s.unknown_rank()) continue;
    if (merged.unknown_rank()) {
      merged = s;
      continue;
    }
    bool fits = s.rank() == merged.rank();
    for (size_t i = 0; fits && i < s.rank(); ++i) {
      Dim d;
      fits = MergeDim(merged[i], s[i], &d);
      if (fits) merged.Set(i, d);
    }
    if (!fits) {
      return ctx.Error("tensors of one shape", StrCat("'", merged.ToString(), "' and '", s.ToString(), "'"));
    }
  }
  if (merged.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  size_t axis = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().axis), merged.rank() + 1, &axis));
  DimList dims;
  for (size_t i = 0; i <= merged.rank(); ++i) {
    if (i == axis) dims.push_back(static_cast<Dim>(n));
    if (i < merged.rank()) dims.push_back(merged[i]);
  }
  ctx.SetOutput(0, dims, type);
  if (!followed) return Status::Ok();
  std::span<Scalar> out = ctx.NewValues(n);
  for (size_t k = 0; k < n; ++k) out[k] = (*ctx.values(0, k))[0];
  ctx.SetValues(0, {out, false});
  return Status::Ok();
}

Status InferUnpack(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  size_t axis = 0;
  if (!x.unknown_rank()) GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().axis), x.rank(), &axis));
  DimList dims;
  for (size_t i = 0; !x.unknown_rank() && i < x.rank(); ++i) {
    if (i != axis) dims.push_back(x[i]);
  }
  const Values* v = ctx.values(0);
  for (size_t k = 0; k < ctx.num_outputs(); ++k) {
    if (x.unknown_rank()) {
      ctx.SetUnknown(k, ctx.dtype(0));
    } else {
      ctx.SetOutput(k, dims, ctx.dtype(0));
    }
    if (v != nullptr && k < v->size()) ctx.SetValues(k, {v->items.subspan(k, 1), true});
  }
  return Status::Ok();
}

// ---- splits ---------------------------------------------------------------------------------------------------------

}  // namespace

Status SplitBy(InferContext& ctx, size_t x_input, std::optional<int64_t> axis, const std::optional<DimList>& sizes) {
  const Shape& x = ctx.shape(x_input);
  DataType type = ctx.dtype(x_input);
  size_t n = ctx.num_outputs();
  if (x.unknown_rank() || !axis) {
    for (size_t k = 0; k < n; ++k) {
      if (x.unknown_rank()) {
        ctx.SetUnknown(k, type);
      } else {
        ctx.SetOutput(k, DimList(x.rank(), ir::kUnknownDim), type);
      }
    }
    return Status::Ok();
  }
  size_t at = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, *axis, x.rank(), &at));
  DimList parts(n, ir::kUnknownDim);
  if (sizes && !sizes->empty()) {
    if (sizes->size() != n) return ctx.Error(StrCat("a size for each of ", n, " outputs"), StrCat(sizes->size()));
    Dim sum = 0;
    size_t rest = n;
    for (size_t k = 0; k < n; ++k) {
      parts[k] = (*sizes)[k];
      if (parts[k] < 0) {
        if (rest != n) return ctx.Error("at most one -1 among the sizes", "two");
        rest = k;
      } else {
        sum = AddDims(sum, parts[k]);
      }
    }
    if (ir::IsStatic(x[at]) && (rest == n ? sum != x[at] : sum > x[at])) {
      return ctx.Error(StrCat("sizes that add up to dim ", at, " of '", x.ToString(), "'"), StrCat("'", sum, "'"));
    }
    if (rest != n) parts[rest] = ir::IsStatic(x[at]) ? x[at] - sum : ir::kUnknownDim;
  } else if (sizes && n > 0) {
    int64_t whole = static_cast<int64_t>(n);
    if (ir::IsStatic(x[at]) && x[at] % whole != 0) {
      return ctx.Error(StrCat("dim ", at, " of '", x.ToString(), "' to divide into ", n, " parts"),
                       StrCat("size '", x[at], "'"));
    }
    if (ir::IsStatic(x[at])) parts = DimList(n, x[at] / whole);
    if (n == 1) parts[0] = x[at];
  }
  const Values* v = ctx.values(x_input);
  size_t start = 0;
  for (size_t k = 0; k < n; ++k) {
    DimList dims(x.dims());
    dims[at] = parts[k];
    ctx.SetOutput(k, dims, type);
    if (v == nullptr || parts[k] < 0 || start + static_cast<size_t>(parts[k]) > v->size()) {
      v = nullptr;
      continue;
    }
    ctx.SetValues(k, {v->items.subspan(start, static_cast<size_t>(parts[k])), false});
    start += static_cast<size_t>(parts[k]);
  }
  return Status::Ok();
}

namespace {

Status InferSplit(InferContext& ctx) { return SplitBy(ctx, 1, ctx.int_value(0), DimList()); }
Status InferSplitD(InferContext& ctx) { return SplitBy(ctx, 0, ctx.Int(Names().split_dim), DimList()); }
Status InferSplitV(InferContext& ctx) { return SplitBy(ctx, 0, ctx.int_value(2), ctx.ints(1)); }
Status InferSplitVD(InferContext& ctx) {
  static const ir::Symbol size_splits("size_splits");
  return SplitBy(ctx, 0, ctx.Int(Names().split_dim), DimList(ctx.Ints(size_splits)));
}

// ---- tiles and pads -------------------------------------------------------------------------------------------------

Status TileBy(InferContext& ctx, const Values* repeats) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || repeats == nullptr) {
    const Shape& s = ctx.shape(1);
    bool longer = !s.unknown_rank() && s.rank() == 1 && !x.unknown_rank() && ir::IsStatic(s[0]) &&
                  s[0] <= static_cast<Dim>(x.rank());
    if (longer) {
      ctx.SetOutput(0, DimList(x.rank(), ir::kUnknownDim), ctx.dtype(0));
    } else {
      ctx.SetUnknown(0, ctx.dtype(0));
    }
    return Status::Ok();
  }
  size_t rank = std::max(x.rank(), repeats->size());
  DimList dims;
  for (size_t i = 0; i < rank; ++i) {
    Dim size = i + x.rank() >= rank ? x[i + x.rank() - rank] : 1;
    Scalar times = i + repeats->size() >= rank ? (*repeats)[i + repeats->size() - rank] : Scalar::Int(1);
    if (times.is_int() && times.i < 0) return ctx.Error("repeats of 0 or more", StrCat("'", times.i, "'"));
    dims.push_back(MultiplyDims(size, times.dim()));
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status InferTile(InferContext& ctx) { return TileBy(ctx, ctx.values(1)); }

Status InferTileD(InferContext& ctx) {
  std::vector<Scalar> items;
  for (int64_t m : ctx.Ints(Names().multiples)) items.push_back(Scalar::Int(m));
  Values repeats{items, false};
  return TileBy(ctx, &repeats);
}

}  // namespace

Status PadBy(InferContext& ctx, const Values* pads, bool contiguous, const std::optional<DimList>& axes) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetOutput(0, x, ctx.dtype(0));
    return Status::Ok();
  }
  size_t n = axes ? axes->size() : x.rank();
  DimList dims(x.dims());
  if (pads != nullptr && pads->size() != 2 * n) {
    return ctx.Error(StrCat("two pads for each of ", n, " dims"), StrCat(pads->size()));
  }
  for (size_t i = 0; i < n; ++i) {
    size_t d = i;
    if (axes) GE_RETURN_IF_ERROR(NormalizeAxis(ctx, (*axes)[i], x.rank(), &d));
    if (pads == nullptr) {
      dims[d] = ir::kUnknownDim;
      continue;
    }
    const Scalar& begin = (*pads)[contiguous ? 2 * i : i];
    const Scalar& end = (*pads)[contiguous ? 2 * i + 1 : n + i];
    if (!begin.is_int() || !end.is_int()) {
      dims[d] = ir::kUnknownDim;
      continue;
    }
    int64_t both;
    if (__builtin_add_overflow(begin.i, end.i, &both)) return ctx.Error("pads within int64", "a sum beyond");
    dims[d] = AddDim(x[d], both);
    if (ir::IsStatic(x[d]) && both < -x[d]) {
      return ctx.Error(StrCat("pads that leave something of dim ", d, " of '", x.ToString(), "'"),
                       StrCat("'", begin.i, "' and '", end.i, "'"));
    }
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

namespace {

// The pads of a [rank, 2] tensor, which is not followed, read in place.
bool ReadPads(InferContext& ctx, Values* out) {
  if (const Values* v = ctx.values(1)) {
    *out = *v;
    return true;
  }
  const ir::Tensor* t = ctx.const_input(1);
  std::vector<int64_t> numbers;
  if (t == nullptr || t->data.size() > 1024 || !ir::ReadIntegers(*t, &numbers)) return false;
  std::span<Scalar> items = ctx.NewValues(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) items[i] = Scalar::Int(numbers[i]);
  *out = {items, false};
  return true;
}

Status InferPad(InferContext& ctx) {
  Values pads;
  bool known = ReadPads(ctx, &pads);
  std::optional<DimList> axes;
  // An importer may set the padded axes beside the IR.
  if (ctx.HasAttr(Names().axes)) axes = DimList(ctx.Ints(Names().axes));
  return PadBy(ctx, known ? &pads : nullptr, ctx.Bool(Names().paddings_contiguous, true), axes);
}

Status InferPadD(InferContext& ctx) {
  static const ir::Symbol paddings("paddings");
  const auto* lists = AttrOrDefault<std::vector<std::vector<int64_t>>>(*ctx.node(), ctx.def(), paddings);
  std::vector<Scalar> items;
  if (lists != nullptr) {
    for (const auto& pair : *lists) {
      for (int64_t p : pair) items.push_back(Scalar::Int(p));
    }
  }
  Values pads{items, false};
  return PadBy(ctx, &pads, true, std::nullopt);
}

}  // namespace

void RegisterJoining(OpRegistrar& r) {
  r.Op("Concat", "math").Input("concat_dim", kIndex)
      .DynamicInput("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0).IntAttr("N", 1).Infer(InferConcat);
  r.Op("ConcatD", "math")
      .DynamicInput("x", kReal | kBool | kC64 | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .Output("y", kReal | kBool | kC64 | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .RequiredAttr("concat_dim", AttrType::kInt).IntAttr("N", 1).Infer(InferConcatD);
  r.Op("ConcatV2D", "legacy").DynamicInput("x", kIntegers | kFloats).Output("y", kIntegers | kFloats)
      .RequiredAttr("concat_dim", AttrType::kInt).IntAttr("N", 1).Infer(InferConcatD);
  r.Op("ConcatV2", "math").DynamicInput("x", (kAll - kResource) | kF8E4M3 | kF8E5M2 | kF8E8M0 | kHiF8)
      .Input("concat_dim", kIndex).Output("y", (kAll - kResource) | kF8E4M3 | kF8E5M2 | kF8E8M0 | kHiF8)
      .IntAttr("N", 1).Infer(InferConcatV2);
  r.Op("Pack", "math").DynamicInput("x", kBasic | kBool | kString).Output("y", kBasic | kBool | kString)
      .IntAttr("axis", 0).IntAttr("N", 1).MovesDims().Infer(InferPack);
  r.Op("Unpack", "math").Input("x", kBasic).DynamicOutput("y", kBasic).RequiredAttr("num", AttrType::kInt)
      .IntAttr("axis", 0).MovesDims().Infer(InferUnpack);
  r.Op("Split", "math").Input("split_dim", kI32).Input("x", (kBasic - kC32) | kBool)
      .DynamicOutput("y", (kBasic - kC32) | kBool).RequiredAttr("num_split", AttrType::kInt).Infer(InferSplit);
  r.Op("SplitD", "math").Input("x", kIntegers | kFloats | kBool).DynamicOutput("y", kIntegers | kFloats | kBool)
      .RequiredAttr("split_dim", AttrType::kInt).RequiredAttr("num_split", AttrType::kInt).Infer(InferSplitD);
  r.Op("SplitV", "math").Input("x", kAll - kC32 - kResource).Input("size_splits", kIndex).Input("split_dim", kIndex)
      .DynamicOutput("y", kAll - kC32 - kResource).RequiredAttr("num_split", AttrType::kInt).Infer(InferSplitV);
  r.Op("SplitVD", "legacy").Input("x", kIntegers | kF32 | kF16 | kBool)
      .DynamicOutput("y", kIntegers | kF32 | kF16 | kBool).RequiredAttr("size_splits", AttrType::kListInt)
      .RequiredAttr("split_dim", AttrType::kInt).RequiredAttr("num_split", AttrType::kInt).Infer(InferSplitVD);
  r.Op("Tile", "math").Input("x", (kBasic - kC32) | kBool | kF8E4M3 | kF8E5M2 | kHiF8).Input("multiples", kIndex)
      .Output("y", (kBasic - kC32) | kBool | kF8E4M3 | kF8E5M2 | kHiF8).Infer(InferTile);
  r.Op("TileD", "legacy").Input("x", kF32 | kF16 | kI32).Output("y", kF32 | kF16 | kI32)
      .RequiredAttr("multiples", AttrType::kListInt).Infer(InferTileD);
  r.Op("Pad", "math").Input("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .Input("paddings", kIndex)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2).Infer(InferPad);
  r.Op("PadV2", "math").Input("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .Input("paddings", kIndex)
      .Input("constant_values", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2).Infer(InferPad);
  r.Op("PadV3", "math").Input("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .Input("paddings", kIndex)
      .OptionalInput("constant_values", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .StringAttr("mode", "constant").BoolAttr("paddings_contiguous", true).Infer(InferPad);
  r.Op("MirrorPad", "math").Input("x", (kOrdinary - kC32) | kF8E4M3 | kF8E5M2 | kF8E8M0 | kHiF8)
      .Input("paddings", kIndex).Output("y", (kOrdinary - kC32) | kF8E4M3 | kF8E5M2 | kF8E8M0 | kHiF8)
      .RequiredAttr("mode", AttrType::kString).Infer(InferPad);
  r.Op("PadD", "legacy").Input("x", kF32 | kF16 | kI32).Output("y", kF32 | kF16 | kI32)
      .RequiredAttr("paddings", AttrType::kListListInt).Infer(InferPadD);
  r.Op("PadV3D", "legacy").Input("x", kF32 | kF16 | kI8 | kU8).Output("y", kF32 | kF16 | kI8 | kU8)
      .RequiredAttr("paddings", AttrType::kListListInt).IntAttr("constant_values", 0).StringAttr("mode", "constant")
      .BoolAttr("paddings_contiguous", true).Infer(InferPadD);
}

}  // namespace ge::ops
