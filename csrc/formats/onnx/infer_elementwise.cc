// Elementwise operators, quantisation, and what only changes the element type.
#include "formats/onnx/infer_rules.h"
#include "ops/attr_names.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Shape;
using ops::InferContext;
using ops::Names;

Status BroadcastAll(InferContext& ctx, DataType type) {
  Shape out = ctx.shape(0, 0);
  for (size_t k = 1; k < ctx.count(0); ++k) {
    Shape both;
    GE_RETURN_IF_ERROR(ops::Broadcast(ctx, out, ctx.shape(0, k), &both));
    out = std::move(both);
  }
  ctx.SetOutput(0, out, type);
  return Status::Ok();
}

Status InferBroadcast(InferContext& ctx) { return BroadcastAll(ctx, ctx.dtype(0)); }
Status InferCompare(InferContext& ctx) { return BroadcastAll(ctx, DataType::kBool); }
// Condition, then the two to choose from.
Status InferWhere(InferContext& ctx) { return BroadcastAll(ctx, ctx.dtype(0, 1)); }

Status InferTruth(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kBool);
  return Status::Ok();
}

Status InferDropout(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  ctx.SetOutput(1, ctx.shape(0), DataType::kBool);
  return Status::Ok();
}

Status InferCast(InferContext& ctx) {
  static const ir::Symbol to("to");
  ctx.SetOutput(0, ctx.shape(0), OnnxTypeOf(ctx, to, DataType::kUndefined));
  return Status::Ok();
}

Status InferCastLike(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(1));
  return Status::Ok();
}

// The shape of the input, and its type unless an attribute says another.
Status InferLike(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), OnnxTypeOf(ctx, Names().dtype, ctx.dtype(0)));
  return Status::Ok();
}

// The zero point in input 2 or the attribute decides on the type.
Status InferQuantizeLinear(InferContext& ctx) {
  DataType absent = ctx.has_input(2) ? ctx.dtype(2) : DataType::kUint8;
  ctx.SetOutput(0, ctx.shape(0), OnnxTypeOf(ctx, Names().output_dtype, absent));
  return Status::Ok();
}

Status InferDequantizeLinear(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), OnnxTypeOf(ctx, Names().output_dtype, ctx.dtype(1)));
  return Status::Ok();
}

Status InferDynamicQuantizeLinear(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kUint8);
  ctx.SetOutput(1, Shape(), ctx.dtype(0));
  ctx.SetOutput(2, Shape(), DataType::kUint8);
  return Status::Ok();
}

}  // namespace

void AddElementwiseRules(InferRules& rules) {
  rules.Add(InferSameAsFirst,
            {"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Celu", "Clip", "Cos",
             "Cosh", "CumProd", "CumSum", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Hardmax",
             "Identity", "LRN", "LeakyRelu", "Log", "LogSoftmax", "LpNormalization", "MeanVarianceNormalization",
             "Mish", "Neg", "PRelu", "Reciprocal", "Relu", "ReverseSequence", "Round", "Scatter", "ScatterElements",
             "ScatterND", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt",
             "SwiGLU", "Swish", "Tan", "Tanh", "TensorScatter", "ThresholdedRelu", "Trilu"});
  rules.Add(InferTruth, {"IsInf", "IsNaN", "Not"});
  rules.Add(InferDropout, {"Dropout"});
  // BitCast only goes between types of one width.
  rules.Add(InferCast, {"BitCast", "Cast"});
  rules.Add(InferCastLike, {"CastLike"});
  rules.Add(InferLike, {"Bernoulli", "EyeLike", "RandomNormalLike", "RandomUniformLike"});
  rules.Add(InferQuantizeLinear, {"QuantizeLinear"});
  rules.Add(InferDequantizeLinear, {"DequantizeLinear"});
  rules.Add(InferDynamicQuantizeLinear, {"DynamicQuantizeLinear"});
  rules.AddVariadic(InferBroadcast,
                    {"Add", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Max", "Mean", "Min", "Mod",
                     "Mul", "Pow", "Sub", "Sum"});
  rules.AddVariadic(InferCompare,
                    {"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor"});
  rules.AddVariadic(InferWhere, {"Where"});
}

}  // namespace ge::formats::onnx
