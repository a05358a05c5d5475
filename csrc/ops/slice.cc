// Slices, concatenations, splits, tiles and pads.
#include <algorithm>

#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::Dim;
using ir::Shape;

Status KeepRank(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetOutput(0, x, ctx.dtype(0));
  } else {
    ctx.SetOutput(0, DimList(x.rank(), ir::kUnknownDim), ctx.dtype(0));
  }
  return Status::Ok();
}

// ---- slices ---------------------------------------------------------------------------------------------------------

// One dim of a strided slice, bounds clamped as numpy does.
struct Slice {
  int64_t begin, end, step;
  bool begin_open, end_open;  // from the very start, to the very end
  // Backwards from before the first element takes the first one, as ONNX has it; numpy takes none.
  bool begin_inside = false;
};

// False if the number of elements cannot be told for this dim.
bool SliceRange(Dim size, const Slice& s, int64_t* first, int64_t* count) {
  if (!ir::IsStatic(size)) return false;
  // Backwards to the largest number: nothing, says ONNX; onnxruntime takes all down to the first element.
  if (s.begin_inside && s.step < 0 && !s.end_open && (s.end == INT32_MAX || s.end == INT64_MAX)) return false;
  int64_t low = s.step > 0 ? 0 : -1, high = s.step > 0 ? size : size - 1;
  auto clamp = [&](int64_t v) { return std::clamp(v < 0 ? v + size : v, low, high); };
  int64_t begin = s.begin_open ? (s.step > 0 ? 0 : size - 1) : clamp(s.begin);
  if (s.begin_inside && begin < 0 && size > 0) begin = 0;
  int64_t end = s.end_open ? (s.step > 0 ? size : -1) : clamp(s.end);
  *first = begin;
  // Steps may be as large as int64 is: count without adding them up.
  if (s.step > 0) {
    *count = end > begin ? (end - begin - 1) / s.step + 1 : 0;
  } else {
    *count = begin > end ? (begin - end - 1) / -(s.step + (s.step == INT64_MIN)) + 1 : 0;
  }
  return true;
}

Dim SlicedSize(Dim size, const Slice& s) {
  int64_t first, count;
  if (SliceRange(size, s, &first, &count)) return count;
  // Of an unknown dim: all of it, or nothing.
  constexpr int64_t kFar = INT32_MAX;
  if (s.step == 1 && (s.begin_open || s.begin == 0) && (s.end_open || s.end >= kFar)) return size;
  if (s.step == -1 && (s.begin_open || s.begin == -1) && (s.end_open || s.end <= -kFar)) return size;
  bool same_side = (s.begin < 0) == (s.end < 0) && !s.begin_open && !s.end_open;
  if (same_side && s.step > 0 && s.end <= s.begin) return 0;
  return ir::kUnknownDim;
}

void FollowSlice(InferContext& ctx, const Slice& s, bool scalar) {
  const Values* v = ctx.values(0);
  int64_t first, count;
  if (v == nullptr || !SliceRange(static_cast<Dim>(v->size()), s, &first, &count)) return;
  if (scalar) count = std::min<int64_t>(count, 1);
  std::span<Scalar> out = ctx.NewValues(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(i)] = (*v)[static_cast<size_t>(first + i * s.step)];
  ctx.SetValues(0, {out, scalar});
}

struct Masks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

Masks MasksOf(const InferContext& ctx) {
  return {ctx.Int(Names().begin_mask), ctx.Int(Names().end_mask), ctx.Int(Names().ellipsis_mask),
          ctx.Int(Names().new_axis_mask), ctx.Int(Names().shrink_axis_mask)};
}

bool Bit(int64_t mask, size_t i) { return i < 63 && (mask >> i & 1) != 0; }

// Entries may be unknown (no number): the dim is then unknown unless a mask decides.
struct SliceSpec {
  DimList begin, end, step;
  std::vector<bool> known;
};

Status StridedSliceBy(InferContext& ctx, const SliceSpec& spec, const Masks& masks) {
  const Shape& x = ctx.shape(0);
  size_t n = spec.begin.size();
  size_t consumed = 0;
  bool has_ellipsis = false;
  for (size_t i = 0; i < n; ++i) {
    bool ellipsis = Bit(masks.ellipsis, i);
    if (ellipsis && has_ellipsis) return ctx.Error("at most one ellipsis", "two bits in ellipsis_mask");
    has_ellipsis |= ellipsis;
    if (!ellipsis && !Bit(masks.new_axis, i)) ++consumed;
  }
  if (consumed > x.rank()) {
    return ctx.Error(StrCat("slices of at most ", x.rank(), " dims of '", x.ToString(), "'"), StrCat(consumed));
  }
  static const ir::Symbol by_axes("StridedSliceV2");
  bool inside = ctx.def().type() == by_axes;
  DimList dims;
  size_t from = 0;
  for (size_t i = 0; i < n; ++i) {
    if (Bit(masks.ellipsis, i)) {
      for (size_t k = consumed; k < x.rank(); ++k) dims.push_back(x[from++]);
      continue;
    }
    if (Bit(masks.new_axis, i)) {
      dims.push_back(1);
      continue;
    }
    Dim size = x[from++];
    Slice s{spec.begin[i], spec.end[i], spec.step[i], Bit(masks.begin, i), Bit(masks.end, i), inside};
    if (spec.known[i] && s.step == 0) return ctx.Error("steps other than 0", "'0'");
    if (Bit(masks.shrink, i)) {
      bool outside = spec.known[i] && ir::IsStatic(size) && (s.begin < -size || s.begin >= size);
      if (outside) return ctx.Error(StrCat("an index inside a dim of size ", size), StrCat("'", s.begin, "'"));
      if (spec.known[i] && x.rank() == 1) {
        const Values* v = ctx.values(0);
        size_t at = static_cast<size_t>(s.begin < 0 && ir::IsStatic(size) ? s.begin + size : s.begin);
        if (v != nullptr && at < v->size()) ctx.SetValues(0, {v->items.subspan(at, 1), true});
      }
      continue;
    }
    dims.push_back(spec.known[i] ? SlicedSize(size, s) : ir::kUnknownDim);
    if (spec.known[i] && x.rank() == 1 && n == 1) FollowSlice(ctx, s, false);
  }
  while (from < x.rank()) dims.push_back(x[from++]);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

// Puts begin, end and steps together; false when not even their number is known.
bool ReadSpec(const Values* begin, const Values* end, const Values* step, SliceSpec* out) {
  if (begin == nullptr && end == nullptr) return false;
  size_t n = begin != nullptr ? begin->size() : end->size();
  if ((end != nullptr && end->size() != n) || (step != nullptr && step->size() != n)) return false;
  for (size_t i = 0; i < n; ++i) {
    bool known = begin != nullptr && end != nullptr && (*begin)[i].is_int() && (*end)[i].is_int() &&
                 (step == nullptr || (*step)[i].is_int());
    out->begin.push_back(known ? (*begin)[i].i : 0);
    out->end.push_back(known ? (*end)[i].i : 0);
    out->step.push_back(known && step != nullptr ? (*step)[i].i : 1);
    out->known.push_back(known);
  }
  return true;
}

Status InferStridedSlice(InferContext& ctx) {
  SliceSpec spec;
  if (ctx.shape(0).unknown_rank() || !ReadSpec(ctx.values(1), ctx.values(2), ctx.values(3), &spec)) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  return StridedSliceBy(ctx, spec, MasksOf(ctx));
}

Status InferStridedSliceD(InferContext& ctx) {
  if (ctx.shape(0).unknown_rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  ir::Symbol begin_name("begin");
  SliceSpec spec;
  spec.begin = DimList(ctx.Ints(begin_name));
  spec.end = DimList(ctx.Ints(Names().end));
  spec.step = DimList(ctx.Ints(Names().strides));
  size_t n = spec.begin.size();
  if (spec.end.size() != n || (!spec.step.empty() && spec.step.size() != n)) {
    return ctx.Error("begin, end and strides of one length",
                     StrCat(n, ", ", spec.end.size(), " and ", spec.step.size()));
  }
  if (spec.step.empty()) spec.step = DimList(n, 1);
  spec.known.assign(n, true);
  return StridedSliceBy(ctx, spec, MasksOf(ctx));
}

// With axes beside begin and end the entries belong to those dims; masks do not apply then.
Status InferStridedSliceByAxes(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  const Values* begin = ctx.values(1);
  const Values* end = ctx.values(2);
  const Values* step = ctx.values(4);
  if (ctx.has_input(4) && step == nullptr) return KeepRank(ctx);
  Masks masks;
  if (ctx.def().FindAttr(Names().begin_mask) != nullptr) masks = MasksOf(ctx);
  bool masked = masks.ellipsis != 0 || masks.new_axis != 0 || masks.shrink != 0;
  SliceSpec spec;
  if (!ReadSpec(begin, end, step, &spec)) {
    if (masked) {
      ctx.SetUnknown(0, ctx.dtype(0));
      return Status::Ok();
    }
    auto axes = ctx.ints(3);
    if (!axes) return KeepRank(ctx);
    // Only the named dims change.
    std::vector<bool> sliced;
    GE_RETURN_IF_ERROR(AxisFlags(ctx, *axes, x.rank(), &sliced));
    DimList dims(x.dims());
    for (size_t i = 0; i < x.rank(); ++i) {
      if (sliced[i]) dims[i] = ir::kUnknownDim;
    }
    ctx.SetOutput(0, dims, ctx.dtype(0));
    return Status::Ok();
  }
  if (!ctx.has_input(3)) return StridedSliceBy(ctx, spec, masks);
  auto axes = ctx.ints(3);
  if (!axes) return KeepRank(ctx);
  if (axes->size() != spec.begin.size()) {
    return ctx.Error(StrCat("as many axes as begins, ", spec.begin.size()), StrCat(axes->size()));
  }
  std::vector<bool> flags;
  GE_RETURN_IF_ERROR(AxisFlags(ctx, *axes, x.rank(), &flags));
  DimList dims(x.dims());
  for (size_t i = 0; i < axes->size(); ++i) {
    size_t axis = 0;
    GE_RETURN_IF_ERROR(NormalizeAxis(ctx, (*axes)[i], x.rank(), &axis));
    if (!spec.known[i]) {
      dims[axis] = ir::kUnknownDim;
      continue;
    }
    if (spec.step[i] == 0) return ctx.Error("steps other than 0", "'0'");
    Slice s{spec.begin[i], spec.end[i], spec.step[i], Bit(masks.begin, i), Bit(masks.end, i), true};
    dims[axis] = SlicedSize(x[axis], s);
    if (x.rank() == 1) FollowSlice(ctx, s, false);
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

// Offsets and sizes; a size of -1 takes the rest.
Status SliceBySize(InferContext& ctx, const std::optional<DimList>& offsets, const std::optional<DimList>& sizes) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || !sizes) return KeepRank(ctx);
  if (sizes->size() != x.rank() || (offsets && offsets->size() != x.rank())) {
    return ctx.Error(StrCat("an offset and a size for each of ", x.rank(), " dims"),
                     StrCat(offsets ? offsets->size() : 0, " and ", sizes->size()));
  }
  DimList dims(x.dims());
  for (size_t i = 0; i < x.rank(); ++i) {
    Dim size = (*sizes)[i];
    if (size < 0) {
      dims[i] = offsets && (*offsets)[i] >= 0 ? AddDim(x[i], -(*offsets)[i]) : ir::kUnknownDim;
      continue;
    }
    if (offsets && ir::IsStatic(x[i]) && ((*offsets)[i] < 0 || (*offsets)[i] > x[i] || size > x[i] - (*offsets)[i])) {
      return ctx.Error(StrCat("a slice inside dim ", i, " of '", x.ToString(), "'"),
                       StrCat("offset '", (*offsets)[i], "' and size '", size, "'"));
    }
    dims[i] = size;
  }
  if (x.rank() == 1 && offsets && ir::IsStatic(x[0])) {
    int64_t end = (*sizes)[0] < 0 ? 0 : (*offsets)[0] + (*sizes)[0];
    FollowSlice(ctx, {(*offsets)[0], end, 1, false, (*sizes)[0] < 0}, false);
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status InferSlice(InferContext& ctx) { return SliceBySize(ctx, ctx.ints(1), ctx.ints(2)); }

Status InferSliceD(InferContext& ctx) {
  ir::Symbol offsets_name("offsets"), size_name("size");
  return SliceBySize(ctx, DimList(ctx.Ints(offsets_name)), DimList(ctx.Ints(size_name)));
}

}  // namespace

void RegisterSlice(OpRegistrar& r) {
  r.Op("Slice", "math").Input("x", kBasic | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2)
      .Input("offsets", kIndex).Input("size", kIndex)
      .Output("y", kBasic | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0 | kF4E2M1 | kF4E1M2).Infer(InferSlice);
  r.Op("SliceD", "legacy").Input("x", kBasic).Output("y", kBasic).RequiredAttr("offsets", AttrType::kListInt)
      .RequiredAttr("size", AttrType::kListInt).Infer(InferSliceD);
  r.Op("StridedSlice", "math").Input("x", kBasic | kHiF8 | kF8E5M2 | kF8E4M3).Input("begin", kIndex)
      .Input("end", kIndex).Input("strides", kIndex).Output("y", kBasic | kHiF8 | kF8E5M2 | kF8E4M3)
      .IntAttr("begin_mask", 0).IntAttr("end_mask", 0).IntAttr("ellipsis_mask", 0).IntAttr("new_axis_mask", 0)
      .IntAttr("shrink_axis_mask", 0).Infer(InferStridedSlice);
  r.Op("StridedSliceD", "legacy").Input("x", kFloats | kIndex | kI8 | kU8 | kBool | kC32 | kC64)
      .Output("y", kFloats | kIndex | kI8 | kU8 | kBool | kC32 | kC64).RequiredAttr("begin", AttrType::kListInt)
      .RequiredAttr("end", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt).IntAttr("begin_mask", 0)
      .IntAttr("end_mask", 0).IntAttr("ellipsis_mask", 0).IntAttr("new_axis_mask", 0).IntAttr("shrink_axis_mask", 0)
      .Infer(InferStridedSliceD);
  r.Op("StridedSliceV2", "math").Input("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0)
      .Input("begin", kIndex).Input("end", kIndex).OptionalInput("axes", kIndex).OptionalInput("strides", kIndex)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0).IntAttr("begin_mask", 0)
      .IntAttr("end_mask", 0).IntAttr("ellipsis_mask", 0).IntAttr("new_axis_mask", 0).IntAttr("shrink_axis_mask", 0)
      .Infer(InferStridedSliceByAxes);
  r.Op("StridedSliceV3", "math").Input("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0)
      .Input("begin", kIndex).Input("end", kIndex).OptionalInput("axes", kIndex).OptionalInput("strides", kIndex)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF8E8M0).Infer(InferStridedSliceByAxes);
}

}  // namespace ge::ops
