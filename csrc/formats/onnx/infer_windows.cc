// Products, convolutions, poolings, reductions and regions.
#include "formats/onnx/infer_rules.h"
#include "ops/attr_names.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Dim;
using ir::Shape;
using ops::Convolution;
using ops::DimList;
using ops::InferContext;
using ops::Names;

// ---- products -------------------------------------------------------------------------------------------------------

Status InferMatMul(InferContext& ctx) { return ops::InferBatchProduct(ctx, {}, ctx.dtype(0)); }
Status InferMatMulInteger(InferContext& ctx) { return ops::InferBatchProduct(ctx, {}, DataType::kInt32); }
// a, its scale and zero point, b, its scale and zero point, scale and zero point of the result.
Status InferQLinearMatMul(InferContext& ctx) { return ops::InferBatchProduct(ctx, {0, 3}, ctx.dtype(7)); }

Status InferGemm(InferContext& ctx) {
  static const ir::Symbol trans_a("transA"), trans_b("transB");
  return ops::InferBatchProduct(ctx, {0, 1, ctx.Bool(trans_a), ctx.Bool(trans_b)}, ctx.dtype(0));
}

// ---- convolutions ---------------------------------------------------------------------------------------------------

Convolution OnnxConvolution(size_t filter) {
  Convolution c;
  c.style = ops::WindowStyle::kOnnx;
  c.filter = filter;
  return c;
}

Status InferConv(InferContext& ctx) { return ops::InferConvolution(ctx, OnnxConvolution(1), ctx.dtype(0)); }
Status InferConvInteger(InferContext& ctx) {
  return ops::InferConvolution(ctx, OnnxConvolution(1), DataType::kInt32);
}
Status InferQLinearConv(InferContext& ctx) { return ops::InferConvolution(ctx, OnnxConvolution(3), ctx.dtype(7)); }
Status InferConvTranspose(InferContext& ctx) {
  return ops::InferTransposedConvolution(ctx, OnnxConvolution(1), std::nullopt, ctx.dtype(0));
}

// Depthwise and causal: places stay; what is carried on are the last k - 1 of them.
Status InferCausalConv(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x, ctx.dtype(0));
  ctx.SetOutput(1, Shape{DimAt(x, 0), DimAt(x, 1), ops::AddDim(DimAt(ctx.shape(1), 2), -1)}, ctx.dtype(0));
  return Status::Ok();
}

// ---- poolings -------------------------------------------------------------------------------------------------------

Status InferPool(InferContext& ctx) {
  ops::Pooling p;
  p.style = ops::WindowStyle::kOnnx;
  p.padding = ops::PaddingOf(ctx.String(Names().auto_pad));
  p.ceil_mode = ctx.Bool(Names().ceil_mode);
  p.index_type = DataType::kInt64;
  return ops::InferPooling(ctx, p);
}

Status InferGlobalPool(InferContext& ctx) {
  ops::Pooling p;
  p.global = true;
  return ops::InferPooling(ctx, p);
}

// The inverse of a pooling, unless input 2 says the shape.
Status InferMaxUnpool(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || x.rank() < 3) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  DimList dims(x.rank(), ir::kUnknownDim);
  if (ctx.has_input(2)) {
    const ops::Values* wanted = ctx.values(2);
    for (size_t i = 0; wanted != nullptr && wanted->size() == x.rank() && i < x.rank(); ++i) {
      dims[i] = (*wanted)[i].dim();
    }
    ctx.SetOutput(0, dims, ctx.dtype(0));
    return Status::Ok();
  }
  dims[0] = x[0];
  dims[1] = x[1];
  size_t n = x.rank() - 2;
  for (size_t i = 0; i < n; ++i) {
    ops::Window w;
    w.kernel = ops::SpatialEntry(ctx.Ints(Names().kernel_shape), i, x.rank(), {}, 1);
    w.stride = ops::SpatialEntry(ctx.Ints(Names().strides), i, x.rank(), {}, 1);
    ops::SetPads(ctx.Ints(Names().pads), i, n, ops::WindowStyle::kOnnx, &w);
    GE_RETURN_IF_ERROR(ops::CheckWindow(ctx, w));
    dims[2 + i] = ops::AddDim(ops::MultiplyDims(ops::AddDim(x[2 + i], -1), w.stride), w.kernel - w.pad_begin - w.pad_end);
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

// ---- reductions -----------------------------------------------------------------------------------------------------

// Axes are an input or, in older models, an attribute.
Status InferReduce(InferContext& ctx) {
  ops::Reduction r;
  r.axes = ctx.HasAttr(Names().axes) ? DimList(ctx.Ints(Names().axes)) : ops::AxesOfInput(ctx, 1);
  r.keep_dims = ctx.Bool(Names().keepdims, true);
  r.empty_means_none = ctx.Bool(Names().noop_with_empty_axes);
  return ops::InferReduction(ctx, r, ctx.dtype(0));
}

Status InferArg(InferContext& ctx) {
  ops::Reduction r;
  r.axes = DimList(1, ctx.Int(Names().axis));
  r.keep_dims = ctx.Bool(Names().keepdims, true);
  return ops::InferReduction(ctx, r, DataType::kInt64);
}

// ---- regions --------------------------------------------------------------------------------------------------------

Status Regions(InferContext& ctx, Dim height, Dim width) {
  ctx.SetOutput(0, Shape{DimAt(ctx.shape(1), 0), DimAt(ctx.shape(0), 1), height, width}, ctx.dtype(0));
  return Status::Ok();
}

Status InferRoiAlign(InferContext& ctx) {
  static const ir::Symbol height("output_height"), width("output_width");
  return Regions(ctx, ops::SizeOrUnknown(ctx.Int(height, 1)), ops::SizeOrUnknown(ctx.Int(width, 1)));
}

Status InferMaxRoiPool(InferContext& ctx) {
  static const ir::Symbol pooled_shape("pooled_shape");
  std::span<const int64_t> pooled = ctx.Ints(pooled_shape);
  if (pooled.size() != 2) return Regions(ctx, ir::kUnknownDim, ir::kUnknownDim);
  return Regions(ctx, ops::SizeOrUnknown(pooled[0]), ops::SizeOrUnknown(pooled[1]));
}

// Triples of batch, class and box.
Status InferNonMaxSuppression(InferContext& ctx) {
  ctx.SetOutput(0, Shape{ir::kUnknownDim, 3}, DataType::kInt64);
  return Status::Ok();
}

// Columns [N, C * kernel, L] back to an image of the size in input 1.
Status InferCol2Im(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const ops::Values* image = ctx.values(1);
  const ops::Values* kernel = ctx.values(2);
  Dim rank = image != nullptr ? static_cast<Dim>(image->size()) : DimAt(ctx.shape(1), 0);
  if (!ir::IsStatic(rank) || rank > static_cast<Dim>(ops::kMaxFollowed)) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  DimList dims(static_cast<size_t>(rank) + 2, ir::kUnknownDim);
  dims[0] = DimAt(x, 0);
  Dim area = kernel == nullptr ? ir::kUnknownDim : 1, columns = DimAt(x, 1);
  for (size_t i = 0; kernel != nullptr && i < kernel->size(); ++i) area = ops::MultiplyDims(area, (*kernel)[i].dim());
  if (ir::IsStatic(area) && area > 0 && ir::IsStatic(columns)) dims[1] = columns / area;
  for (size_t i = 0; image != nullptr && i < image->size(); ++i) dims[2 + i] = (*image)[i].dim();
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

// Theta [N, 2, 3] and a size [N, C, H, W], or the same with one dim more: [N, H, W, 2].
Status InferAffineGrid(InferContext& ctx) {
  const ops::Values* size = ctx.values(1);
  Dim entries = size != nullptr ? static_cast<Dim>(size->size()) : DimAt(ctx.shape(1), 0);
  if (!ir::IsStatic(entries) || entries < 3 || entries > static_cast<Dim>(ops::kMaxFollowed)) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  auto n = static_cast<size_t>(entries);
  DimList dims(n, ir::kUnknownDim);
  dims[0] = DimAt(ctx.shape(0), 0);
  for (size_t i = 2; size != nullptr && i < n; ++i) dims[i - 1] = (*size)[i].dim();
  dims[n - 1] = static_cast<Dim>(n - 2);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void AddWindowRules(InferRules& rules) {
  rules.Add(InferMatMul, {"MatMul"});
  rules.Add(InferMatMulInteger, {"MatMulInteger"});
  rules.Add(InferQLinearMatMul, {"QLinearMatMul"});
  rules.Add(InferGemm, {"Gemm"});
  rules.Add(InferConv, {"Conv", "DeformConv"});
  rules.Add(InferConvInteger, {"ConvInteger"});
  rules.Add(InferQLinearConv, {"QLinearConv"});
  rules.Add(InferConvTranspose, {"ConvTranspose"});
  rules.Add(InferCausalConv, {"CausalConvWithState"});
  rules.Add(InferPool, {"AveragePool", "LpPool", "MaxPool"});
  rules.Add(InferGlobalPool, {"GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool"});
  rules.Add(InferMaxUnpool, {"MaxUnpool"});
  rules.Add(InferReduce, {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                          "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"});
  rules.Add(InferArg, {"ArgMax", "ArgMin"});
  rules.Add(InferRoiAlign, {"RoiAlign"});
  rules.Add(InferMaxRoiPool, {"MaxRoiPool"});
  rules.Add(InferNonMaxSuppression, {"NonMaxSuppression"});
  rules.Add(ops::InferGridSample, {"GridSample"});
  rules.Add(InferCol2Im, {"Col2Im"});
  rules.Add(InferAffineGrid, {"AffineGrid"});
}

}  // namespace ge::formats::onnx
