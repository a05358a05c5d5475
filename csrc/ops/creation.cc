// Tensors made from sizes, ranges, random numbers and one-hot codes; broadcasting to a given shape.
#include <algorithm>
#include <cmath>

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

// Dims out of a followed shape; of unknown contents only the rank may be known.
bool DimsOf(const InferContext& ctx, size_t input, DimList* out) {
  if (const Values* v = ctx.values(input)) {
    for (const Scalar& s : v->items) out->push_back(s.dim());
    return true;
  }
  const Shape& s = ctx.shape(input);
  if (s.unknown_rank() || s.rank() != 1 || !ir::IsStatic(s[0]) || s[0] > 64) return false;
  *out = DimList(static_cast<size_t>(s[0]), ir::kUnknownDim);
  return true;
}

void SetShaped(InferContext& ctx, size_t shape_input, DataType type) {
  DimList dims;
  if (DimsOf(ctx, shape_input, &dims)) {
    ctx.SetOutput(0, dims, type);
  } else {
    ctx.SetUnknown(0, type);
  }
}

Status CheckSizes(const InferContext& ctx, size_t input) {
  const Values* v = ctx.values(input);
  for (size_t i = 0; v != nullptr && i < v->size(); ++i) {
    if ((*v)[i].is_int() && (*v)[i].i < 0) return ctx.Error("sizes of 0 or more", StrCat("'", (*v)[i].i, "'"));
  }
  return Status::Ok();
}

Status InferFill(InferContext& ctx) {
  GE_RETURN_IF_ERROR(CheckSizes(ctx, 0));
  SetShaped(ctx, 0, ctx.dtype(1));
  const Values* value = ctx.values(1);
  const Values* size = ctx.values(0);
  if (value == nullptr || size == nullptr || value->size() != 1 || size->size() > 1) return Status::Ok();
  Scalar n = size->size() == 1 ? (*size)[0] : Scalar::Int(1);
  if (!n.is_int() || n.i > static_cast<int64_t>(kMaxFollowed)) return Status::Ok();
  std::span<Scalar> out = ctx.NewValues(static_cast<size_t>(n.i));
  for (Scalar& s : out) s = (*value)[0];
  ctx.SetValues(0, {out, size->size() == 0});
  return Status::Ok();
}

Status InferFillD(InferContext& ctx) {
  static const ir::Symbol dims("dims");
  ctx.SetOutput(0, SizesOf(ctx.Ints(dims)), ctx.dtype(0));
  return Status::Ok();
}

// The sizes are the first input, the type an attribute.
Status InferBySizes(InferContext& ctx) {
  GE_RETURN_IF_ERROR(CheckSizes(ctx, 0));
  SetShaped(ctx, 0, ctx.Type(Names().dtype, DataType::kFloat));
  return Status::Ok();
}

// Integers between two bounds have the bounds' type.
Status InferRandomInt(InferContext& ctx) {
  SetShaped(ctx, 0, ctx.dtype(1));
  return Status::Ok();
}

Status InferMultinomial(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Values* n = ctx.values(1);
  Dim samples = n != nullptr && n->size() == 1 ? (*n)[0].dim() : ir::kUnknownDim;
  Dim rows = !x.unknown_rank() && x.rank() == 2 ? x[0] : ir::kUnknownDim;
  ctx.SetOutput(0, Shape{rows, samples}, ctx.Type(Names().dtype, DataType::kInt64));
  return Status::Ok();
}

Status InferRandomLike(InferContext& ctx) {
  DataType type = ctx.Type(Names().dtype);
  ctx.SetOutput(0, ctx.shape(0), type == DataType::kUndefined ? ctx.dtype(0) : type);
  return Status::Ok();
}

// ---- broadcasting to a shape ----------------------------------------------------------------------------------------

Status BroadcastTo(InferContext& ctx, const DimList& target) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  Shape out;
  GE_RETURN_IF_ERROR(Broadcast(ctx, x, Shape(std::span<const Dim>(target)), &out));
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

Status InferExpand(InferContext& ctx) {
  DimList target;
  if (!DimsOf(ctx, 1, &target)) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  // A single-element x that is followed fills a short vector.
  const Values* v = ctx.values(0);
  if (v != nullptr && v->size() == 1 && target.size() == 1 && ir::IsStatic(target[0]) && target[0] <= 64) {
    std::span<Scalar> out = ctx.NewValues(static_cast<size_t>(std::max<Dim>(target[0], 1)));
    for (Scalar& s : out) s = (*v)[0];
    if (target[0] > 0) ctx.SetValues(0, {out, false});
  }
  return BroadcastTo(ctx, target);
}

Status InferExpandD(InferContext& ctx) {
  DimList target;
  for (int64_t d : ctx.Ints(Names().shape)) target.push_back(d < 0 ? 1 : d);
  return BroadcastTo(ctx, target);
}

// ---- ranges ---------------------------------------------------------------------------------------------------------

// One number out of a followed scalar or a constant of any numeric type.
std::optional<Scalar> NumberOf(const InferContext& ctx, size_t input) {
  const Values* v = ctx.values(input);
  if (v == nullptr || v->size() != 1) return std::nullopt;
  return (*v)[0];
}

Status InferRange(InferContext& ctx) {
  DataType type = PromoteTypes(PromoteTypes(ctx.dtype(0), ctx.dtype(1)), ctx.dtype(2));
  auto start = NumberOf(ctx, 0), limit = NumberOf(ctx, 1), delta = NumberOf(ctx, 2);
  Dim count = ir::kUnknownDim;
  bool closed = ctx.Bool(Names().is_closed);
  if (start && limit && delta && start->is_number() && limit->is_number() && delta->is_number()) {
    double step = delta->number();
    if (step == 0) return ctx.Error("a step other than 0", "'0'");
    double n = (limit->number() - start->number()) / step;
    n = closed ? std::floor(n) + 1 : std::ceil(n);
    if (n < 9e15) count = n > 0 ? static_cast<Dim>(n) : 0;
  } else if (start && limit && delta && !closed && start->is_int() && start->i == 0 && delta->is_int() &&
             delta->i == 1) {
    count = limit->dim();
  }
  ctx.SetOutput(0, Shape{count}, type);
  bool short_ints =
      ir::IsStatic(count) && count <= static_cast<Dim>(kMaxFollowed) && start->is_int() && delta->is_int();
  if (!short_ints) return Status::Ok();
  std::span<Scalar> out = ctx.NewValues(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = scalar::Add(*start, scalar::Mul(*delta, Scalar::Int(static_cast<int64_t>(i))));
  }
  ctx.SetValues(0, {out, false});
  return Status::Ok();
}

Status InferLinSpace(InferContext& ctx) {
  const Values* n = ctx.values(2);
  ctx.SetOutput(0, Shape{n != nullptr && n->size() == 1 ? (*n)[0].dim() : ir::kUnknownDim}, ctx.dtype(0));
  return Status::Ok();
}

// ---- one-hot codes and diagonals ------------------------------------------------------------------------------------

}  // namespace

Status InferNewAxis(InferContext& ctx, Dim depth, DataType type) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  size_t axis = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().axis, -1), x.rank() + 1, &axis));
  DimList dims;
  for (size_t i = 0; i <= x.rank(); ++i) {
    if (i == axis) dims.push_back(depth);
    if (i < x.rank()) dims.push_back(x[i]);
  }
  ctx.SetOutput(0, dims, type);
  return Status::Ok();
}

namespace {

Status InferOneHot(InferContext& ctx) {
  const Values* depth = ctx.values(1);
  return InferNewAxis(ctx, depth != nullptr && depth->size() == 1 ? (*depth)[0].dim() : ir::kUnknownDim, ctx.dtype(2));
}

Status InferOneHotD(InferContext& ctx) {
  static const ir::Symbol depth("depth");
  int64_t d = ctx.Int(depth);
  return InferNewAxis(ctx, d < 0 ? ir::kUnknownDim : d, ctx.dtype(1));
}

Status InferEye(InferContext& ctx) {
  static const ir::Symbol rows("num_rows"), columns("num_columns"), batch("batch_shape");
  DimList dims = SizesOf(ctx.Ints(batch));
  int64_t r = ctx.Int(rows), c = ctx.Int(columns);
  dims.push_back(SizeOrUnknown(r));
  dims.push_back(SizeOrUnknown(c > 0 ? c : r));
  ctx.SetOutput(0, dims, ctx.Type(Names().dtype, DataType::kFloat));
  return Status::Ok();
}

// Each vector becomes the diagonal of a square matrix.
Status InferMatrixDiag(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  DimList dims;
  if (x.unknown_rank() || x.rank() == 0) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  for (Dim d : x.dims()) dims.push_back(d);
  dims.push_back(x[x.rank() - 1]);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status InferMatrixDiagPart(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || x.rank() < 2) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  DimList dims(x.dims().first(x.rank() - 2));
  Dim a = x[x.rank() - 2], b = x[x.rank() - 1];
  dims.push_back(a == b ? a : ir::IsStatic(a) && ir::IsStatic(b) ? std::min(a, b) : ir::kUnknownDim);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status InferMatrixDeterminant(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || x.rank() < 2) {
    ctx.SetUnknown(0, ctx.dtype(0));
  } else {
    ctx.SetOutput(0, DimList(x.dims().first(x.rank() - 2)), ctx.dtype(0));
  }
  return Status::Ok();
}

// Diagonals side by side in the last dims of the input, k tells which; numbers of rows and columns may be -1.
Status InferMatrixDiagV2(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || x.rank() == 0) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  auto k = ctx.ints(1);
  auto rows = ctx.int_value(2), columns = ctx.int_value(3);
  // One diagonal takes one dim of the input, a band of them two.
  bool single = k && (k->size() == 1 || (k->size() == 2 && (*k)[0] == (*k)[1]));
  if (!k || k->empty() || (!single && x.rank() < 2)) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  DimList dims(x.dims().first(x.rank() - (single ? 1 : 2)));
  Dim length = x[x.rank() - 1];
  int64_t low = (*k)[0], high = (*k)[k->size() - 1];
  // The least matrix that holds the longest diagonal, where nothing is said.
  auto least = [&](int64_t shift) { return AddDim(length, std::max<int64_t>(shift, 0)); };
  bool rows_given = rows && *rows >= 0, columns_given = columns && *columns >= 0;
  bool known = rows && columns && low > -(int64_t{1} << 40) && high < (int64_t{1} << 40);
  dims.push_back(rows_given ? *rows : known ? least(-high) : ir::kUnknownDim);
  dims.push_back(columns_given ? *columns : known ? least(low) : ir::kUnknownDim);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void RegisterCreation(OpRegistrar& r) {
  r.Op("Fill", "math").Input("dims", kIndex).Input("value", kAll - kC32 - kResource)
      .Output("y", kAll - kC32 - kResource).Infer(InferFill);
  r.Op("FillD", "legacy").Input("value", kReal | kBool).Output("y", kReal | kBool)
      .RequiredAttr("dims", AttrType::kListInt).Infer(InferFillD);
  r.Op("Empty", "nn").Input("shape", kI32).Output("y", (kOrdinary - kC32) | kString)
      .IntAttr("dtype", TypeNumber(DataType::kInt32)).BoolAttr("init", false).Infer(InferBySizes);
  r.Op("RandomStandardNormal", "math").Input("shape", kIndex).Output("y", kFloatsAndDouble)
      .RequiredAttr("dtype", AttrType::kType).IntAttr("seed", 0).IntAttr("seed2", 0).Infer(InferBySizes);
  r.Op("RandomUniform", "math").Input("shape", kIndex).Output("y", kFloatsAndDouble)
      .RequiredAttr("dtype", AttrType::kType).IntAttr("seed", 0).IntAttr("seed2", 0).Infer(InferBySizes);
  r.Op("TruncatedNormal", "math").Input("shape", kIndex).Output("y", kFloatsAndDouble).IntAttr("seed", 0)
      .IntAttr("seed2", 0).TypeAttr("dtype", DataType::kFloat).Infer(InferBySizes);
  r.Op("StatelessRandomUniformV2", "math").Input("shape", kIndex).Input("key", kU64).Input("counter", kU64)
      .Input("alg", kI32).Output("y", kFloatsAndDouble).TypeAttr("dtype", DataType::kFloat).Infer(InferBySizes);
  r.Op("StatelessRandomNormalV2", "math").Input("shape", kIndex).Input("key", kU64).Input("counter", kU64)
      .Input("alg", kI32).Output("y", kFloatsAndDouble).TypeAttr("dtype", DataType::kFloat).Infer(InferBySizes);
  r.Op("StatelessTruncatedNormalV2", "math").Input("shape", kIndex).Input("key", kU64).Input("counter", kU64)
      .Input("alg", kI32).Output("y", kFloatsAndDouble).TypeAttr("dtype", DataType::kFloat).Infer(InferBySizes);
  r.Op("RandomUniformInt", "math").Input("shape", kIndex).Input("min", kIndex).Input("max", kIndex)
      .Output("y", kIndex).IntAttr("seed", 0).IntAttr("seed2", 0).Infer(InferRandomInt);
  r.Op("Multinomial", "math").Input("logits", kFloating).Input("num_samples", kI32).Output("y", kIndex)
      .TypeAttr("dtype", DataType::kInt64).IntAttr("seed", 0).IntAttr("seed2", 0).Infer(InferMultinomial);
  r.Op("StatelessBernoulliV2", "math").Input("x", kFloating).Input("seed", kI64).Input("offset", kI64)
      .Output("y", kReal | kBool).TypeAttr("dtype", DataType::kUndefined).Infer(InferRandomLike);
  r.Op("Expand", "math").Input("x", kFloats | kIndex | kI8 | kU8 | kBool).Input("shape", kIndex)
      .Output("y", kFloats | kIndex | kI8 | kU8 | kBool).Infer(InferExpand);
  r.Op("BroadcastTo", "math").Input("x", (kAll - kResource) | kF8E4M3 | kF8E5M2 | kHiF8).Input("shape", kIndex)
      .Output("y", (kAll - kResource) | kF8E4M3 | kF8E5M2 | kHiF8).Infer(InferExpand);
  r.Op("ExpandD", "legacy").Input("x", kF32 | kF16 | kI8 | kI32 | kU8 | kBool)
      .Output("y", kF32 | kF16 | kI8 | kI32 | kU8 | kBool).RequiredAttr("shape", AttrType::kListInt)
      .Infer(InferExpandD);
  r.Op("BroadcastToD", "legacy").Input("x", kBasic).Output("y", kBasic).RequiredAttr("shape", AttrType::kListInt)
      .Infer(InferExpandD);
  r.Op("Range", "math").Input("start", kFloatsAndDouble | kIndex).Input("limit", kFloatsAndDouble | kIndex)
      .Input("delta", kFloatsAndDouble | kIndex).Output("y", kFloatsAndDouble | kIndex).BoolAttr("is_closed", false)
      .Infer(InferRange);
  r.Op("LinSpace", "math").Input("start", kFloatsAndDouble | kI8 | kI16 | kI32 | kU8)
      .Input("stop", kFloatsAndDouble | kI8 | kI16 | kI32 | kU8).Input("num", kIndex)
      .Output("output", kFloatsAndDouble | kI8 | kI16 | kI32 | kU8).Infer(InferLinSpace);
  r.Op("OneHot", "math").Input("x", kIndex | kU8).Input("depth", kIndex).Input("on_value", kBasic)
      .Input("off_value", kBasic).Output("y", kBasic).IntAttr("axis", -1).MovesDims().Infer(InferOneHot);
  r.Op("OneHotD", "math").Input("x", kI32 | kU8).Input("on_value", kF32 | kF16 | kI8 | kI32 | kU8)
      .Input("off_value", kF32 | kF16 | kI8 | kI32 | kU8).Output("y", kF32 | kF16 | kI8 | kI32 | kU8)
      .RequiredAttr("depth", AttrType::kInt).IntAttr("axis", -1).MovesDims().Infer(InferOneHotD);
  r.Op("Eye", "math").Output("y", kBasic | kBool).RequiredAttr("num_rows", AttrType::kInt).IntAttr("num_columns", 0)
      .IntsAttr("batch_shape").IntAttr("dtype", 0).Infer(InferEye);
  r.Op("MatrixDiag", "math").Input("x", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3)
      .Output("y", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3).Infer(InferMatrixDiag);
  r.Op("MatrixDiagPart", "math").Input("x", kBasic).Output("y", kBasic).Infer(InferMatrixDiagPart);
  r.Op("MatrixDeterminant", "legacy").Input("x", kF32 | kF64 | kC64 | kC128).Output("y", kF32 | kF64 | kC64 | kC128)
      .Infer(InferMatrixDeterminant);
  r.Op("MatrixDiagV2", "math").Input("diagonal", kBasic).Input("k", kI32).Input("num_rows", kI32)
      .Input("num_cols", kI32).Input("padding_value", kBasic).Output("output", kBasic).MovesDims()
      .Infer(InferMatrixDiagV2);
}

}  // namespace ge::ops
