// Operators of ONNX without a GE counterpart. They go through the compiler as they are; what is known here is only how
// their shapes follow, so that operators behind them are inferred too. Attributes carry ONNX's names. Where the type of
// an output is an ONNX number in an attribute, it stays what the model declares.
#include <algorithm>
#include <iterator>
#include <string>

#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using ir::DataType;
using ir::Dim;
using ir::Shape;

Status InferSame(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

Status InferBroadcast(InferContext& ctx) {
  Shape out = ctx.shape(0, 0);
  for (size_t k = 1; k < ctx.count(0); ++k) {
    Shape both;
    GE_RETURN_IF_ERROR(Broadcast(ctx, out, ctx.shape(0, k), &both));
    out = std::move(both);
  }
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

// Positions, masks and quantised copies: the shape alone is sure.
Status InferSameShape(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kUndefined);
  return Status::Ok();
}

// ---- quantisation ---------------------------------------------------------------------------------------------------

// The zero point in input 2 decides on the type.
Status InferQuantizeLinear(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(2));
  return Status::Ok();
}

Status InferDequantizeLinear(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.HasAttr(Names().output_dtype) ? DataType::kUndefined : ctx.dtype(1));
  return Status::Ok();
}

Status InferDynamicQuantizeLinear(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kUint8);
  ctx.SetOutput(1, Shape(), ctx.dtype(0));
  ctx.SetOutput(2, Shape(), DataType::kUint8);
  return Status::Ok();
}

// ---- products, windows ----------------------------------------------------------------------------------------------

Status InferMatMulInteger(InferContext& ctx) { return InferBatchProduct(ctx, {}, DataType::kInt32); }

// a, its scale and zero point, b, its scale and zero point, scale and zero point of the result.
Status InferQLinearMatMul(InferContext& ctx) { return InferBatchProduct(ctx, {0, 3}, ctx.dtype(7)); }

Convolution OnnxConvolution(size_t filter) {
  Convolution c;
  c.style = WindowStyle::kOnnx;
  c.filter = filter;
  return c;
}

Status InferConv(InferContext& ctx) { return InferConvolution(ctx, OnnxConvolution(1), ctx.dtype(0)); }
Status InferConvInteger(InferContext& ctx) { return InferConvolution(ctx, OnnxConvolution(1), DataType::kInt32); }
Status InferQLinearConv(InferContext& ctx) { return InferConvolution(ctx, OnnxConvolution(3), ctx.dtype(7)); }
Status InferConvTranspose(InferContext& ctx) {
  return InferTransposedConvolution(ctx, OnnxConvolution(1), std::nullopt, ctx.dtype(0));
}

Status InferPool(InferContext& ctx) {
  Pooling p;
  p.style = WindowStyle::kOnnx;
  p.padding = PaddingOf(ctx.String(Names().auto_pad));
  p.ceil_mode = ctx.Bool(Names().ceil_mode);
  p.index_type = DataType::kInt64;
  return InferPooling(ctx, p);
}

Status InferGlobalPool(InferContext& ctx) {
  Pooling p;
  p.global = true;
  return InferPooling(ctx, p);
}

// ---- reductions -----------------------------------------------------------------------------------------------------

// Axes are an input or, in older models, an attribute.
Status InferReduce(InferContext& ctx) {
  Reduction r;
  r.axes = ctx.HasAttr(Names().axes) ? DimList(ctx.Ints(Names().axes)) : AxesOfInput(ctx, 1);
  r.keep_dims = ctx.Bool(Names().keepdims, true);
  r.empty_means_none = ctx.Bool(Names().noop_with_empty_axes);
  return InferReduction(ctx, r, ctx.dtype(0));
}

Status InferArg(InferContext& ctx) {
  Reduction r;
  r.axes = DimList(1, ctx.Int(Names().axis));
  r.keep_dims = ctx.Bool(Names().keepdims, true);
  return InferReduction(ctx, r, DataType::kInt64);
}

// ---- the rest -------------------------------------------------------------------------------------------------------

Status InferLayerNorm(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x, ctx.dtype(0));
  if (x.unknown_rank()) return Status::Ok();
  size_t first = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().axis, -1), x.rank(), &first));
  Shape stat = x;
  for (size_t i = first; i < x.rank(); ++i) stat.Set(i, 1);
  ctx.SetOutput(1, stat, DataType::kUndefined);
  ctx.SetOutput(2, stat, DataType::kUndefined);
  return Status::Ok();
}

// A part of the shape, from start up to end.
Status InferShapeSlice(InferContext& ctx) {
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

// Indices, depth, the two values.
Status InferOneHot(InferContext& ctx) {
  const Values* depth = ctx.values(1);
  bool known = depth != nullptr && depth->size() == 1;
  return InferNewAxis(ctx, known ? (*depth)[0].dim() : ir::kUnknownDim, ctx.dtype(2));
}

Status InferByShapeAttr(InferContext& ctx) {
  ctx.SetOutput(0, SizesOf(ctx.Ints(Names().shape)), DataType::kUndefined);
  return Status::Ok();
}

Status InferNonMaxSuppression(InferContext& ctx) {
  ctx.SetOutput(0, Shape{ir::kUnknownDim, 3}, DataType::kInt64);
  return Status::Ok();
}

Status InferRoiAlign(InferContext& ctx) {
  static const ir::Symbol height("output_height"), width("output_width");
  const Shape& x = ctx.shape(0);
  const Shape& rois = ctx.shape(1);
  Dim count = rois.unknown_rank() || rois.rank() == 0 ? ir::kUnknownDim : rois[0];
  Dim channels = x.unknown_rank() || x.rank() < 2 ? ir::kUnknownDim : x[1];
  ctx.SetOutput(0, Shape{count, channels, SizeOrUnknown(ctx.Int(height, 1)), SizeOrUnknown(ctx.Int(width, 1))},
                ctx.dtype(0));
  return Status::Ok();
}

// Along an axis, or of the flattened input: how many are kept the condition decides.
Status InferCompress(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (!ctx.HasAttr(Names().axis)) {
    ctx.SetOutput(0, Shape{ir::kUnknownDim}, ctx.dtype(0));
    return Status::Ok();
  }
  Shape out = x;
  if (!x.unknown_rank()) {
    size_t axis = 0;
    GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().axis), x.rank(), &axis));
    out.Set(axis, ir::kUnknownDim);
  }
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

struct Rule {
  InferFn infer;
  std::vector<std::string_view> types;
};

}  // namespace

void RegisterForeignOnnx(OpRegistrar& r) {
  const Rule one_input[] = {
      {InferSame, {"Celu", "CumProd", "Gelu", "HardSwish", "Identity", "LpNormalization", "LRN",
                   "MeanVarianceNormalization", "Mish", "Relu", "Sigmoid", "Softmax", "Swish", "Tanh",
                   "ThresholdedRelu"}},
      {InferSameShape, {"Bernoulli", "EyeLike", "IsInf", "IsNaN", "RandomNormalLike", "RandomUniformLike"}},
      {InferDynamicQuantizeLinear, {"DynamicQuantizeLinear"}},
      {InferPool, {"AveragePool", "LpPool", "MaxPool"}},
      {InferGlobalPool, {"GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool"}},
      {InferArg, {"ArgMax", "ArgMin"}},
      {InferShapeSlice, {"Shape"}},
  };
  const Rule many_inputs[] = {
      {InferSame, {"Dropout", "GroupNormalization", "InstanceNormalization", "RMSNormalization", "RotaryEmbedding",
                   "ScatterElements", "ScatterND", "TensorScatter"}},
      {InferQuantizeLinear, {"QuantizeLinear"}},
      {InferDequantizeLinear, {"DequantizeLinear"}},
      {InferMatMulInteger, {"MatMulInteger"}},
      {InferQLinearMatMul, {"QLinearMatMul"}},
      {InferConv, {"Conv"}},
      {InferConvInteger, {"ConvInteger"}},
      {InferQLinearConv, {"QLinearConv"}},
      {InferConvTranspose, {"ConvTranspose"}},
      {InferReduce, {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                     "ReduceProd", "ReduceSum", "ReduceSumSquare"}},
      {InferLayerNorm, {"LayerNormalization"}},
      {InferOneHot, {"OneHot"}},
      {InferByShapeAttr, {"RandomNormal", "RandomUniform"}},
      {InferNonMaxSuppression, {"NonMaxSuppression"}},
      {InferRoiAlign, {"RoiAlign"}},
      {InferGridSample, {"GridSample"}},
      {InferCompress, {"Compress"}},
      {InferRecurrentLayer, {"GRU", "LSTM", "RNN"}},
  };
  const Rule any_inputs[] = {{InferBroadcast, {"BitShift", "Max", "Mean", "Min", "Mod", "Sum", "Xor"}}};
  // No operator here has more inputs than these.
  static constexpr std::string_view kInputs[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};
  auto add = [&r](const Rule& rule, size_t inputs) {
    for (std::string_view type : rule.types) {
      OpDef& def = r.Op("ai.onnx::" + std::string(type), "").Infer(rule.infer);
      for (size_t i = 0; i < inputs; ++i) def.OptionalInput(kInputs[i]);
    }
  };
  for (const Rule& rule : one_input) add(rule, 1);
  for (const Rule& rule : many_inputs) add(rule, std::size(kInputs));
  for (const Rule& rule : any_inputs) {
    for (std::string_view type : rule.types) {
      r.Op("ai.onnx::" + std::string(type), "").DynamicInput("x").Infer(rule.infer);
    }
  }
}

}  // namespace ge::ops
