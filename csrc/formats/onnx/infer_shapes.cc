// Operators that take tensors apart, put them together, or make new ones.
#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/dtype_map.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/infer_rules.h"
#include "formats/wire/reader.h"
#include "ops/attr_names.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Dim;
using ir::Shape;
using ops::DimList;
using ops::InferContext;
using ops::Names;
using ops::Scalar;

// ---- sizes ----------------------------------------------------------------------------------------------------------

// A part of the shape, from start up to end.
Status InferShape(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetOutput(0, Shape{ir::kUnknownDim}, DataType::kInt64);
    return Status::Ok();
  }
  auto rank = static_cast<int64_t>(x.rank());
  auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  auto start = static_cast<size_t>(clamp(ctx.Int(Names().start, 0)));
  size_t end = std::max(start, static_cast<size_t>(clamp(ctx.Int(Names().end, rank))));
  std::span<Scalar> sizes = ctx.NewValues(end - start);
  for (size_t i = start; i < end; ++i) sizes[i - start] = Scalar::Size(x[i]);
  ctx.SetOutput(0, Shape{static_cast<Dim>(sizes.size())}, DataType::kInt64);
  ctx.SetValues(0, {sizes, false});
  return Status::Ok();
}

Status InferSize(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), DataType::kInt64);
  return Status::Ok();
}

// ---- new tensors ----------------------------------------------------------------------------------------------------

Status InferByShapeAttr(InferContext& ctx) {
  ctx.SetOutput(0, ops::SizesOf(ctx.Ints(Names().shape)), OnnxTypeOf(ctx, Names().dtype, DataType::kFloat));
  return Status::Ok();
}

// Tensors with a name are kept as they came in.
DataType TypeOfTensorAttr(const ir::Node& node, ir::Symbol name) {
  const auto* tensor = node.attr<ir::TensorPtr>(name);
  if (tensor != nullptr && *tensor != nullptr) return (*tensor)->desc.dtype;
  const auto* bytes = node.attr<ir::Bytes>(name);
  if (bytes == nullptr) return DataType::kUndefined;
  wire::Reader attr(bytes->data);
  wire::Field f, t;
  int64_t type = 0;
  while (attr.Next(&f)) {
    if (!f.bytes_of(AttrField::kT)) continue;
    wire::Reader reader(f.bytes);
    while (reader.Next(&t)) {
      if (t.varint_of(TensorField::kDataType)) type = t.Int();
    }
  }
  return FromOnnxType(type);
}

// The value's type, float without one.
Status InferConstantOfShape(InferContext& ctx) {
  DataType type = ctx.HasAttr(ir::Common().value) ? TypeOfTensorAttr(*ctx.node(), ir::Common().value) : DataType::kFloat;
  const ops::Values* sizes = ctx.values(0);
  Dim rank = DimAt(ctx.shape(0), 0);
  if (sizes != nullptr) {
    DimList dims;
    for (const Scalar& s : sizes->items) dims.push_back(s.dim());
    ctx.SetOutput(0, dims, type);
  } else if (ir::IsStatic(rank) && rank <= static_cast<Dim>(ops::kMaxFollowed)) {
    ctx.SetOutput(0, DimList(static_cast<size_t>(rank), ir::kUnknownDim), type);
  } else {
    ctx.SetUnknown(0, type);
  }
  return Status::Ok();
}

// A constant of a type that GE lacks.
Status InferConstant(InferContext& ctx) {
  const auto* value = ctx.node()->attr<ir::TensorPtr>(ir::Common().value);
  if (value != nullptr && *value != nullptr) ctx.SetOutput(0, (*value)->desc.shape, (*value)->desc.dtype);
  return Status::Ok();
}

// Indices, depth, the two values.
Status InferOneHot(InferContext& ctx) { return ops::InferNewAxis(ctx, SizeIn(ctx, 1), ctx.dtype(2)); }

Status InferMultinomial(InferContext& ctx) {
  static const ir::Symbol samples("sample_size");
  ctx.SetOutput(0, Shape{DimAt(ctx.shape(0), 0), ops::SizeOrUnknown(ctx.Int(samples, 1))},
                OnnxTypeOf(ctx, Names().dtype, DataType::kInt32));
  return Status::Ok();
}

// ---- parts ----------------------------------------------------------------------------------------------------------

// Along an axis, or of the flattened input: how many are kept the condition decides.
Status InferCompress(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const ops::Values* condition = ctx.values(1);
  Dim kept = condition == nullptr ? ir::kUnknownDim : 0;
  for (size_t i = 0; condition != nullptr && i < condition->size(); ++i) {
    kept = (*condition)[i].is_int() ? ops::AddDim(kept, (*condition)[i].i != 0) : ir::kUnknownDim;
  }
  if (!ctx.HasAttr(Names().axis)) {
    ctx.SetOutput(0, Shape{kept}, ctx.dtype(0));
    return Status::Ok();
  }
  Shape out = x;
  if (!x.unknown_rank()) {
    size_t axis = 0;
    GE_RETURN_IF_ERROR(ops::NormalizeAxis(ctx, ctx.Int(Names().axis), x.rank(), &axis));
    out.Set(axis, kept);
  }
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

Status InferTopK(InferContext& ctx) {
  static const ir::Symbol k("k");
  Dim count = ctx.HasAttr(k) ? ops::SizeOrUnknown(ctx.Int(k)) : SizeIn(ctx, 1);
  return ops::TopBy(ctx, count, ctx.Int(Names().axis, -1), DataType::kInt64);
}

Status InferNonZero(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  // Of a scalar there is one position.
  Dim rank = x.unknown_rank() ? ir::kUnknownDim : static_cast<Dim>(x.rank());
  ctx.SetOutput(0, Shape{rank, ir::kUnknownDim}, DataType::kInt64);
  return Status::Ok();
}

// The distinct elements, where each was first, where every one went, and how often each occurs.
Status InferUnique(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  Shape unknown{ir::kUnknownDim};
  Shape values = unknown, inverse = unknown;
  if (ctx.HasAttr(Names().axis)) {
    values = x;
    if (!x.unknown_rank()) {
      size_t axis = 0;
      GE_RETURN_IF_ERROR(ops::NormalizeAxis(ctx, ctx.Int(Names().axis), x.rank(), &axis));
      inverse = Shape{x[axis]};
      values.Set(axis, ir::kUnknownDim);
    }
  } else if (!x.unknown_rank() && x.NumElements() >= 0) {
    inverse = Shape{x.NumElements()};
  }
  ctx.SetOutput(0, values, ctx.dtype(0));
  ctx.SetOutput(1, unknown, DataType::kInt64);
  ctx.SetOutput(2, inverse, DataType::kInt64);
  ctx.SetOutput(3, unknown, DataType::kInt64);
  return Status::Ok();
}

Status InferConcat(InferContext& ctx) { return ops::ConcatBy(ctx, 0, ctx.Int(Names().axis)); }

// Sizes are an input, an attribute in older models, or equal parts of which the last may be smaller.
Status InferSplit(InferContext& ctx) {
  static const ir::Symbol split("split");
  int64_t axis = ctx.Int(Names().axis);
  if (ctx.HasAttr(split)) return ops::SplitBy(ctx, 0, axis, DimList(ctx.Ints(split)));
  if (ctx.has_input(1)) return ops::SplitBy(ctx, 0, axis, ctx.ints(1));
  const Shape& x = ctx.shape(0);
  auto parts = static_cast<Dim>(ctx.num_outputs());
  if (x.unknown_rank() || parts == 0) return ops::SplitBy(ctx, 0, axis, DimList());
  size_t at = 0;
  GE_RETURN_IF_ERROR(ops::NormalizeAxis(ctx, axis, x.rank(), &at));
  if (!ir::IsStatic(x[at]) || x[at] % parts == 0) return ops::SplitBy(ctx, 0, axis, DimList());
  Dim size = x[at] / parts + 1;
  DimList sizes;
  for (Dim k = 0, left = x[at]; k < parts; ++k) {
    sizes.push_back(std::min(size, left));
    left -= sizes[static_cast<size_t>(k)];
  }
  return ops::SplitBy(ctx, 0, axis, sizes);
}

// Pads are input 1 or, in older models, an attribute; axes are input 3.
Status InferPad(InferContext& ctx) {
  std::vector<Scalar> items;
  for (int64_t p : ctx.Ints(Names().pads)) items.push_back(Scalar::Int(p));
  ops::Values by_attr{items, false};
  std::optional<DimList> axes;
  if (ctx.has_input(3)) {
    axes = ctx.ints(3);
    const Shape& x = ctx.shape(0);
    if (!axes) {
      if (x.unknown_rank()) return InferSameAsFirst(ctx);
      ctx.SetOutput(0, DimList(x.rank(), ir::kUnknownDim), ctx.dtype(0));
      return Status::Ok();
    }
  }
  return ops::PadBy(ctx, ctx.HasAttr(Names().pads) ? &by_attr : ctx.values(1), false, axes);
}

// The named dims get the sizes of input 1, the others stay.
Status InferCenterCropPad(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) return InferSameAsFirst(ctx);
  const ops::Values* sizes = ctx.values(1);
  std::vector<size_t> axes;
  for (int64_t a : ctx.Ints(Names().axes)) GE_RETURN_IF_ERROR(ops::NormalizeAxis(ctx, a, x.rank(), &axes.emplace_back()));
  for (size_t i = 0; !ctx.HasAttr(Names().axes) && i < x.rank(); ++i) axes.push_back(i);
  if (sizes != nullptr && sizes->size() != axes.size()) {
    return ctx.Error(StrCat("a size for each of ", axes.size(), " dims"), StrCat(sizes->size()));
  }
  DimList dims(x.dims());
  for (size_t i = 0; i < axes.size(); ++i) dims[axes[i]] = sizes != nullptr ? (*sizes)[i].dim() : ir::kUnknownDim;
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

// Axes are an input or, in older models, an attribute.
Status InferSqueeze(InferContext& ctx) {
  if (ctx.HasAttr(Names().axes)) return ops::SqueezeBy(ctx, true, DimList(ctx.Ints(Names().axes)));
  if (!ctx.has_input(1)) return ops::SqueezeBy(ctx, true, {});
  auto axes = ctx.ints(1);
  return ops::SqueezeBy(ctx, axes.has_value(), axes.value_or(DimList()));
}

Status InferUnsqueeze(InferContext& ctx) {
  if (ctx.HasAttr(Names().axes)) return ops::UnsqueezeBy(ctx, true, DimList(ctx.Ints(Names().axes)));
  auto axes = ctx.ints(1);
  return ops::UnsqueezeBy(ctx, axes.has_value(), axes.value_or(DimList()));
}

// Determinants of the matrices in the last two dims.
Status InferDet(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || x.rank() < 2) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  ctx.SetOutput(0, Shape(x.dims().first(x.rank() - 2)), ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void AddShapeRules(InferRules& rules) {
  rules.Add(InferShape, {"Shape"});
  rules.Add(InferSize, {"Size"});
  rules.Add(InferByShapeAttr, {"RandomNormal", "RandomUniform"});
  rules.Add(InferConstantOfShape, {"ConstantOfShape"});
  rules.Add(InferConstant, {"Constant"});
  rules.Add(InferOneHot, {"OneHot"});
  rules.Add(InferMultinomial, {"Multinomial"});
  rules.Add(InferCompress, {"Compress"});
  rules.Add(InferTopK, {"TopK"});
  rules.Add(InferNonZero, {"NonZero"});
  rules.Add(InferUnique, {"Unique"});
  rules.AddVariadic(InferConcat, {"Concat"});
  rules.Add(InferSplit, {"Split"});
  rules.Add(InferPad, {"Pad"});
  rules.Add(InferCenterCropPad, {"CenterCropPad"});
  rules.Add(InferSqueeze, {"Squeeze"});
  rules.Add(InferUnsqueeze, {"Unsqueeze"});
  rules.Add(InferDet, {"Det"});
  rules.AddAs("Einsum", {"Einsum"});
  rules.AddAs("Expand", {"Expand"});
  rules.AddAs("Flatten", {"Flatten"});
  rules.AddAs("GatherElements", {"GatherElements"});
  rules.AddAs("GatherNd", {"GatherND"});
  rules.AddAs("GatherV2D", {"Gather"});
  rules.AddAs("Range", {"Range"});
  rules.AddAs("Reshape", {"Reshape"});
  rules.AddAs("Resize", {"Resize"});
  rules.AddAs("StridedSliceV2", {"Slice"});
  rules.AddAs("Tile", {"Tile"});
  rules.AddAs("TransposeD", {"Transpose"});
}

}  // namespace ge::formats::onnx
