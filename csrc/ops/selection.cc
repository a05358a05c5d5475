// Gathering, scattering, selecting and sorting.
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

void FollowGather(InferContext& ctx) {
  const Values* x = ctx.values(0);
  const Values* at = ctx.values(1);
  if (x == nullptr || at == nullptr || x->scalar) return;
  auto n = static_cast<int64_t>(x->size());
  std::span<Scalar> out = ctx.NewValues(at->size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Scalar& index = (*at)[i];
    bool inside = index.is_int() && index.i >= -n && index.i < n;
    out[i] = inside ? (*x)[static_cast<size_t>(index.i < 0 ? index.i + n : index.i)] : Scalar::Unknown();
  }
  ctx.SetValues(0, {out, at->scalar});
}

// Dims before the axis, then those of the indices (without the batch dims), then the rest.
Status GatherBy(InferContext& ctx, std::optional<int64_t> axis, int64_t batch_dims) {
  const Shape& x = ctx.shape(0);
  const Shape& indices = ctx.shape(1);
  DataType type = ctx.dtype(0);
  if (x.unknown_rank() || indices.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  if (batch_dims < 0) batch_dims += static_cast<int64_t>(indices.rank());
  if (batch_dims < 0 || batch_dims > static_cast<int64_t>(std::min(x.rank(), indices.rank()))) {
    return ctx.Error("batch_dims inside both ranks", StrCat("'", batch_dims, "'"));
  }
  auto batch = static_cast<size_t>(batch_dims);
  if (x.rank() == 0) return ctx.Error(StrCat(ctx.InputText(0), " of rank 1 or more"), "a scalar");
  if (!axis) {
    ctx.SetOutput(0, DimList(x.rank() + indices.rank() - 1 - batch, ir::kUnknownDim), type);
    return Status::Ok();
  }
  size_t at = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, *axis, x.rank(), &at));
  if (at < batch) return ctx.Error("an axis behind the batch dims", StrCat("'", at, "'"));
  DimList dims(x.dims().first(at));
  for (size_t i = batch; i < indices.rank(); ++i) dims.push_back(indices[i]);
  for (size_t i = at + 1; i < x.rank(); ++i) dims.push_back(x[i]);
  ctx.SetOutput(0, dims, type);
  if (x.rank() == 1) FollowGather(ctx);
  return Status::Ok();
}

Status InferGather(InferContext& ctx) {
  int64_t batch_dims = ctx.Int(Names().batch_dims);
  return GatherBy(ctx, batch_dims, batch_dims);
}
Status InferGatherV2(InferContext& ctx) { return GatherBy(ctx, ctx.int_value(2), ctx.Int(Names().batch_dims)); }
Status InferGatherV2D(InferContext& ctx) { return GatherBy(ctx, ctx.Int(Names().axis), 0); }
Status InferEmbedding(InferContext& ctx) { return GatherBy(ctx, 0, 0); }

Status InferGatherNd(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Shape& indices = ctx.shape(1);
  if (x.unknown_rank() || indices.unknown_rank() || indices.rank() == 0 ||
      !ir::IsStatic(indices[indices.rank() - 1])) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  // An importer may set batch_dims beside the IR.
  int64_t batch = ctx.Int(Names().batch_dims);
  Dim depth = indices[indices.rank() - 1];
  if (batch < 0 || batch >= static_cast<int64_t>(indices.rank()) || batch + depth > static_cast<int64_t>(x.rank())) {
    return ctx.Error(StrCat("indices into at most ", x.rank(), " dims of '", x.ToString(), "'"),
                     StrCat("index tuples of ", depth, " behind ", batch, " batch dims"));
  }
  DimList dims(indices.dims().first(indices.rank() - 1));
  for (size_t i = static_cast<size_t>(batch + depth); i < x.rank(); ++i) dims.push_back(x[i]);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status InferGatherElements(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Shape& index = ctx.shape(1);
  if (!x.unknown_rank() && !index.unknown_rank() && x.rank() != index.rank()) {
    return ctx.Error("data and index of one rank", StrCat("'", x.ToString(), "' and '", index.ToString(), "'"));
  }
  if (index.unknown_rank() && !x.unknown_rank()) {
    ctx.SetOutput(0, DimList(x.rank(), ir::kUnknownDim), ctx.dtype(0));
  } else {
    ctx.SetOutput(0, index, ctx.dtype(0));
  }
  return Status::Ok();
}

// Updated tensors keep shape and type of the first input.
Status InferLikeFirst(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

// The shape comes as the third input.
Status InferScatterNd(InferContext& ctx) {
  const Values* shape = ctx.values(2);
  if (shape == nullptr) {
    ctx.SetUnknown(0, ctx.dtype(1));
    return Status::Ok();
  }
  DimList dims;
  for (const Scalar& s : shape->items) dims.push_back(s.dim());
  ctx.SetOutput(0, dims, ctx.dtype(1));
  return Status::Ok();
}

Status InferSelect(InferContext& ctx) {
  Shape values, out;
  GE_RETURN_IF_ERROR(Broadcast(ctx, ctx.shape(1), ctx.shape(2), &values));
  GE_RETURN_IF_ERROR(Broadcast(ctx, values, ctx.shape(0), &out));
  ctx.SetOutput(0, out, PromoteTypes(ctx.dtype(1), ctx.dtype(2)));
  const Values* c = ctx.values(0);
  const Values* a = c ? ctx.values(1) : nullptr;
  const Values* b = a ? ctx.values(2) : nullptr;
  if (b == nullptr) return Status::Ok();
  size_t n = std::max({c->size(), a->size(), b->size()});
  for (const Values* v : {c, a, b}) {
    if (v->size() != n && v->size() != 1) return Status::Ok();
  }
  auto at = [](const Values& v, size_t i) { return v[v.size() == 1 ? 0 : i]; };
  std::span<Scalar> followed = ctx.NewValues(n);
  for (size_t i = 0; i < n; ++i) {
    Scalar condition = at(*c, i);
    followed[i] = condition.is_int() ? at(condition.i != 0 ? *a : *b, i) : Scalar::Unknown();
  }
  ctx.SetValues(0, {followed, c->scalar && a->scalar && b->scalar});
  return Status::Ok();
}

// A condition of rank 1 selects whole rows, so the values decide.
Status InferSelectRows(InferContext& ctx) {
  const Shape& a = ctx.shape(1);
  ctx.SetOutput(0, a.unknown_rank() ? ctx.shape(2) : a, ctx.dtype(1));
  return Status::Ok();
}

// Positions of what is not zero: as many as the contents say.
Status InferNonZero(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  // A scalar has no row, says ONNX; onnxruntime gives it one.
  Dim rank = x.unknown_rank() || x.rank() == 0 ? ir::kUnknownDim : static_cast<Dim>(x.rank());
  bool columns = ctx.Bool(Names().transpose);
  DataType type = ctx.Type(Names().dtype, DataType::kInt64);
  ctx.SetOutput(0, columns ? Shape{rank, ir::kUnknownDim} : Shape{ir::kUnknownDim, rank}, type);
  return Status::Ok();
}

Status InferMaskedSelect(InferContext& ctx) {
  ctx.SetOutput(0, Shape{ir::kUnknownDim}, ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

Status TopBy(InferContext& ctx, Dim k, int64_t dim, DataType index_type) {
  const Shape& x = ctx.shape(0);
  Shape out = x;
  if (!x.unknown_rank()) {
    size_t axis = 0;
    GE_RETURN_IF_ERROR(NormalizeAxis(ctx, dim, x.rank(), &axis));
    if (ir::IsStatic(k) && ir::IsStatic(x[axis]) && k > x[axis]) {
      return ctx.Error(StrCat("k up to ", x[axis], ", the size of dim ", axis), StrCat("'", k, "'"));
    }
    out.Set(axis, k);
  }
  ctx.SetOutput(0, out, ctx.dtype(0));
  ctx.SetOutput(1, out, index_type);
  return Status::Ok();
}

namespace {

Dim CountOf(const InferContext& ctx, size_t input) {
  const Values* v = ctx.values(input);
  return v != nullptr && v->size() == 1 ? (*v)[0].dim() : ir::kUnknownDim;
}

Status InferTopK(InferContext& ctx) {
  DataType index_type = ctx.Type(Names().indices_dtype, DataType::kInt32);
  return TopBy(ctx, CountOf(ctx, 1), ctx.Int(Names().dim, -1), index_type);
}

Status InferTopKD(InferContext& ctx) {
  static const ir::Symbol k("k");
  return TopBy(ctx, SizeOrUnknown(ctx.Int(k)), ctx.Int(Names().dim, -1), DataType::kInt32);
}

Status InferSort(InferContext& ctx) {
  static const ir::Symbol index_type("y2_dtype");
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  ctx.SetOutput(1, ctx.shape(0), ctx.Type(index_type, DataType::kInt32));
  return Status::Ok();
}

// The distinct elements, and where each input element went.
Status InferUnique(InferContext& ctx) {
  static const ir::Symbol out_idx("out_idx");
  DataType index = ctx.Type(out_idx, DataType::kInt32);
  int64_t n = ctx.shape(0).unknown_rank() ? -1 : ctx.shape(0).NumElements();
  ctx.SetOutput(0, Shape{ir::kUnknownDim}, ctx.dtype(0));
  ctx.SetOutput(1, Shape{n < 0 ? ir::kUnknownDim : n}, index);
  ctx.SetOutput(2, Shape{ir::kUnknownDim}, index);
  return Status::Ok();
}

Status InferSearchSorted(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(1), ctx.Type(Names().dtype, DataType::kInt64));
  return Status::Ok();
}

}  // namespace

void RegisterSelection(OpRegistrar& r) {
  r.Op("Gather", "nn").Input("x", (kBasic - kC32) | kBool).Input("indices", kIndex)
      .Output("y", (kBasic - kC32) | kBool).BoolAttr("validate_indices", true).IntAttr("batch_dims", 0)
      .BoolAttr("is_preprocessed", false).BoolAttr("negative_index_support", false).MovesDims().Infer(InferGather);
  r.Op("GatherV2", "nn").Input("x", (kAll - kC32 - kResource) | kF8E4M3 | kF8E5M2 | kF8E8M0)
      .Input("indices", kIndex).Input("axis", kIndex)
      .Output("y", (kAll - kC32 - kResource) | kF8E4M3 | kF8E5M2 | kF8E8M0).IntAttr("batch_dims", 0)
      .BoolAttr("is_preprocessed", false).BoolAttr("negative_index_support", false).MovesDims().Infer(InferGatherV2);
  r.Op("GatherV2D", "legacy").Input("x", kIntegers | kF32 | kF16).Input("indices", kIndex)
      .Output("y", kIntegers | kF32 | kF16).RequiredAttr("axis", AttrType::kInt).MovesDims().Infer(InferGatherV2D);
  r.Op("Embedding", "nn").Input("x", kOrdinary - kC128).Input("indices", kIndex).Output("y", kOrdinary - kC128)
      .MovesDims().Infer(InferEmbedding);
  r.Op("GatherNd", "nn").Input("x", kAll - kC32 - kResource).Input("indices", kIndex)
      .Output("y", kAll - kC32 - kResource).BoolAttr("negative_index_support", false).MovesDims().Infer(InferGatherNd);
  r.Op("GatherElements", "nn").Input("x", kReal | kBool | kF8E5M2 | kF8E4M3 | kF8E8M0).Input("index", kIndex)
      .Output("y", kReal | kBool | kF8E5M2 | kF8E4M3 | kF8E8M0).IntAttr("dim", 0).Infer(InferGatherElements);
  r.Op("ScatterElements", "nn").Input("data", kNumber).Input("indices", kIndex).Input("updates", kNumber)
      .Output("y", kNumber).IntAttr("axis", 0).StringAttr("reduction", "none").Infer(InferLikeFirst);
  r.Op("ScatterElementsV2", "nn").Input("var", kSigned | kFloats | kU8).Input("indices", kIndex)
      .Input("updates", kSigned | kFloats | kU8).Output("var", kSigned | kFloats | kU8).IntAttr("axis", 0)
      .StringAttr("reduction", "none").BoolAttr("include_self", true).Infer(InferLikeFirst);
  r.Op("ScatterNdUpdate", "nn").Input("var", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3).Input("indices", kIndex)
      .Input("updates", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3)
      .Output("var", kBasic | kBool | kHiF8 | kF8E5M2 | kF8E4M3).BoolAttr("use_locking", false)
      .Infer(InferLikeFirst);
  r.Op("ScatterNdAdd", "nn").Input("var", kOrdinary - kBF16 - kC32).Input("indices", kIndex)
      .Input("updates", kOrdinary - kBF16 - kC32).Output("var", kOrdinary - kBF16 - kC32)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterNdSub", "nn").Input("var", kF32 | kF16 | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI8 | kI32 | kU8).Output("var", kF32 | kF16 | kI8 | kI32 | kU8)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterNdMax", "nn").Input("var", kBasic).Input("indices", kIndex).Input("updates", kBasic)
      .Output("var", kBasic).BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterNdMin", "nn").Input("var", kBasic).Input("indices", kIndex).Input("updates", kBasic)
      .Output("var", kBasic).BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterUpdate", "nn").Input("var", kFloats | kIndex | kI8 | kU8 | kU32 | kU64 | kF8E5M2 | kF8E4M3 | kF8E8M0)
      .Input("indices", kIndex)
      .Input("updates", kFloats | kIndex | kI8 | kU8 | kU32 | kU64 | kF8E5M2 | kF8E4M3 | kF8E8M0)
      .Output("var", kFloats | kIndex | kI8 | kU8 | kU32 | kU64 | kF8E5M2 | kF8E4M3 | kF8E8M0)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterAdd", "nn").Input("var", kFloats | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kFloats | kI8 | kI32 | kU8).Output("var", kFloats | kI8 | kI32 | kU8)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterSub", "nn").Input("var", kFloats | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kFloats | kI8 | kI32 | kU8).Output("var", kFloats | kI8 | kI32 | kU8)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterMul", "nn").Input("var", kF32 | kF16 | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI8 | kI32 | kU8).Output("var", kF32 | kF16 | kI8 | kI32 | kU8)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterDiv", "nn").Input("var", kF32 | kF16 | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI8 | kI32 | kU8).Output("var", kF32 | kF16 | kI8 | kI32 | kU8)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterMax", "nn").Input("var", kF32 | kF16 | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI8 | kI32 | kU8).Output("var", kF32 | kF16 | kI8 | kI32 | kU8)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterMin", "nn").Input("var", kF32 | kF16 | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI8 | kI32 | kU8).Output("var", kF32 | kF16 | kI8 | kI32 | kU8)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("ScatterNonAliasingAdd", "nn").Input("x", kF32 | kF16 | kI32).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI32).Output("y", kF32 | kF16 | kI32).Infer(InferLikeFirst);
  r.Op("TensorScatterUpdate", "nn").Input("x", kBasic | kBool | kString).Input("indices", kIndex)
      .Input("updates", kBasic | kBool | kString).Output("y", kBasic | kBool | kString).Infer(InferLikeFirst);
  r.Op("TensorScatterAdd", "nn").Input("x", kF32 | kF16 | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI8 | kI32 | kU8).Output("y", kF32 | kF16 | kI8 | kI32 | kU8)
      .Infer(InferLikeFirst);
  r.Op("TensorScatterSub", "legacy").Input("x", kF32 | kF16 | kI8 | kI32 | kU8).Input("indices", kIndex)
      .Input("updates", kF32 | kF16 | kI8 | kI32 | kU8).Output("y", kF32 | kF16 | kI8 | kI32 | kU8)
      .Infer(InferLikeFirst);
  r.Op("TensorScatterMax", "legacy").Input("input", kBasic).Input("indices", kIndex).Input("updates", kBasic)
      .Output("output", kBasic).Infer(InferLikeFirst);
  r.Op("TensorScatterMin", "legacy").Input("input", kBasic).Input("indices", kIndex).Input("updates", kBasic)
      .Output("output", kBasic).Infer(InferLikeFirst);
  r.Op("IndexFill", "nn").Input("x", kFloatsAndDouble | kSigned | kU8 | kBool).Input("indices", kIndex)
      .Input("val", kFloatsAndDouble | kSigned | kU8 | kBool).Output("y", kFloatsAndDouble | kSigned | kU8 | kBool)
      .RequiredAttr("dim", AttrType::kInt).Infer(InferLikeFirst);
  r.Op("MaskedScatter", "nn").Input("x", kFloatsAndDouble | kSigned | kU8 | kBool).Input("mask", kBool)
      .Input("updates", kFloatsAndDouble | kSigned | kU8 | kBool)
      .Output("y", kFloatsAndDouble | kSigned | kU8 | kBool).Infer(InferLikeFirst);
  r.Op("InplaceUpdate", "nn").Input("x", kBasic).Input("indices", kI32).Input("v", kBasic).Output("y", kBasic)
      .Infer(InferLikeFirst);
  r.Op("InplaceAdd", "nn").Input("x", kBasic).Input("indices", kI32).Input("v", kBasic).Output("y", kBasic)
      .Infer(InferLikeFirst);
  r.Op("InplaceSub", "nn").Input("x", kBasic).Input("indices", kI32).Input("v", kBasic).Output("y", kBasic)
      .Infer(InferLikeFirst);
  r.Op("ReverseV2", "nn").Input("x", (kReal - kU32 - kU64) | kBool | kC128 | kC64 | kString).Input("axis", kIndex)
      .Output("y", (kReal - kU32 - kU64) | kBool | kC128 | kC64 | kString).Infer(InferLikeFirst);
  r.Op("ReverseV2D", "legacy").Input("x", kSigned | kFloating | kU8 | kU16 | kBool | kString | kC64 | kC128)
      .Output("y", kSigned | kFloating | kU8 | kU16 | kBool | kString | kC64 | kC128)
      .RequiredAttr("axis", AttrType::kListInt).Infer(InferLikeFirst);
  r.Op("ReverseSequence", "nn").Input("x", (kReal - kU32 - kU64) | kBool | kC128 | kC64)
      .Input("seq_lengths", kIndex).Output("y", (kReal - kU32 - kU64) | kBool | kC128 | kC64)
      .RequiredAttr("seq_dim", AttrType::kInt).IntAttr("batch_dim", 0).Infer(InferLikeFirst);
  r.Op("Roll", "math").Input("x", kFloats | kIndex | kI8 | kU8 | kU32 | kC64)
      .Output("y", kFloats | kIndex | kI8 | kU8 | kU32 | kC64).RequiredAttr("shifts", AttrType::kListInt)
      .IntsAttr("dims").Infer(InferLikeFirst);
  r.Op("Tril", "math").Input("x", kReal | kQuantized | kBool).Output("y", kReal | kQuantized | kBool)
      .IntAttr("diagonal", 0).Infer(InferLikeFirst);
  r.Op("Triu", "math").Input("x", kBasic | kBool).Output("y", kBasic | kBool).IntAttr("diagonal", 0)
      .Infer(InferLikeFirst);
  r.Op("Trilu", "math").Input("x", (kBasic - kC128) | kBool).OptionalInput("k", kIndex)
      .Output("y", (kBasic - kC128) | kBool).IntAttr("upper", 0).Infer(InferLikeFirst);
  r.Op("MatrixBandPart", "legacy").Input("x", kSigned | kFloating | kU8 | kU16 | kBool | kC64 | kC128)
      .Input("num_lower", kIndex).Input("num_upper", kIndex)
      .Output("y", kSigned | kFloating | kU8 | kU16 | kBool | kC64 | kC128).Infer(InferLikeFirst);
  r.Op("InvertPermutation", "math").Input("x", kIndex).Output("y", kIndex).Infer(InferLikeFirst);
  r.Op("MatrixInverse", "nn").Input("x", kF32 | kF64 | kC64 | kC128).Output("y", kF32 | kF64 | kC64 | kC128)
      .BoolAttr("adjoint", false).Infer(InferLikeFirst);
  r.Op("Cholesky", "math").Input("x", kFloating | kC64 | kC128).Output("y", kFloating | kC64 | kC128)
      .Infer(InferLikeFirst);
  r.Op("ScatterNd", "nn").Input("indices", kIndex).Input("x", kBasic).Input("shape", kIndex).Output("y", kBasic)
      .Infer(InferScatterNd);
  r.Op("SelectV2", "math").Input("condition", kBool).Input("then", kOrdinary - kC32).Input("else", kOrdinary - kC32)
      .Output("result", kOrdinary - kC32).Infer(InferSelect);
  r.Op("Select", "math").Input("condition", kBool).Input("x1", kBasic | kBool | kString)
      .Input("x2", kBasic | kBool | kString).Output("y", kBasic | kBool | kString).Infer(InferSelectRows);
  r.Op("NonZero", "nn").Input("x", kReal | kBool).Output("y", kIndex).BoolAttr("transpose", false)
      .TypeAttr("dtype", DataType::kInt64).Infer(InferNonZero);
  r.Op("Where", "nn").Input("x", kBasic | kBool).Output("y", kI64).Infer(InferNonZero);
  r.Op("MaskedSelect", "nn").Input("x", kBasic).Input("mask", kBool).Output("y", kBasic).Infer(InferMaskedSelect);
  r.Op("MaskedSelectV2", "nn").Input("x", kF32 | kF16).Input("mask", kBool).Output("y", kF32 | kF16)
      .Infer(InferMaskedSelect);
  r.Op("TopK", "math").Input("x", kReal).Input("k", kI32).Output("values", kReal).Output("indices", kI32)
      .BoolAttr("sorted", true).BoolAttr("largest", true).IntAttr("dim", -1).Infer(InferTopK);
  r.Op("TopKV2", "math").Input("x", kReal).Input("k", kIndex).Output("values", kReal).Output("indices", kIndex)
      .BoolAttr("sorted", true).IntAttr("dim", -1).BoolAttr("largest", true)
      .IntAttr("indices_dtype", TypeNumber(DataType::kInt32)).Infer(InferTopK);
  r.Op("TopKD", "legacy").Input("x", kReal).Input("assist_seq", kF16).Output("values", kReal)
      .Output("indices", kI32).RequiredAttr("k", AttrType::kInt).BoolAttr("sorted", true).IntAttr("dim", -1)
      .BoolAttr("largest", true).Infer(InferTopKD);
  r.Op("Sort", "math").Input("x", kIntegers | kFloats).Output("y1", kIntegers | kFloats).Output("y2", kIndex)
      .IntAttr("axis", -1).BoolAttr("descending", false).BoolAttr("stable", false)
      .TypeAttr("y2_dtype", DataType::kInt32).Infer(InferSort);
  r.Op("Unique", "nn").Input("x", kReal).Output("y", kReal).Output("idx", kIndex)
      .TypeAttr("out_idx", DataType::kInt32).Infer(InferUnique);
  r.Op("UniqueWithCounts", "nn").Input("x", kReal | kString).Output("y", kReal | kString).Output("idx", kIndex)
      .Output("count", kIndex).RequiredAttr("out_idx", AttrType::kType).Infer(InferUnique);
  r.Op("UniqueWithCountsAndSorting", "nn").Input("x", kBasic).Output("y", kBasic).Output("indices", kIndex)
      .Output("counts", kIndex).BoolAttr("return_inverse", false).BoolAttr("return_counts", false)
      .BoolAttr("sorted", true).TypeAttr("out_idx", DataType::kInt64).Infer(InferUnique);
  r.Op("SearchSorted", "math").Input("sorted_sequence", kSigned | kF32 | kF16 | kU8)
      .Input("values", kSigned | kF32 | kF16 | kU8).OptionalInput("sorter", kI64).Output("out", kIndex)
      .TypeAttr("dtype", DataType::kInt64).BoolAttr("right", false).Infer(InferSearchSorted);
}

}  // namespace ge::ops
