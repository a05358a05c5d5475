// Activations, soft maxima, gates and dropout.
#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Shape;

Status InferSame(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

// Exporters keep computed sizes from falling below zero with it.
Status InferRelu(InferContext& ctx) {
  FollowUnary(ctx, [](const Scalar& a) { return scalar::Max(a, Scalar::Int(0)); });
  return InferSame(ctx);
}

Status InferSoftmax(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (!x.unknown_rank()) {
    std::vector<bool> flags;
    GE_RETURN_IF_ERROR(AxisFlags(ctx, ctx.Ints(Names().axes), x.rank(), &flags));
  }
  bool widen = ctx.dtype(0) == DataType::kFloat16 && ctx.Bool(Names().half_to_float);
  ctx.SetOutput(0, x, widen ? DataType::kFloat : ctx.dtype(0));
  return Status::Ok();
}

// The two halves of one dim are a value and its gate.
Status InferGated(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetOutput(0, x, ctx.dtype(0));
    return Status::Ok();
  }
  size_t axis = 0;
  GE_RETURN_IF_ERROR(NormalizeAxis(ctx, ctx.Int(Names().dim, -1), x.rank(), &axis));
  Shape out = x;
  if (ir::IsStatic(x[axis]) && x[axis] % 2 != 0) {
    return ctx.Error(StrCat("an even size of dim ", axis), StrCat("shape '", x.ToString(), "'"));
  }
  out.Set(axis, ir::IsStatic(x[axis]) ? x[axis] / 2 : ir::kUnknownDim);
  ctx.SetOutput(0, out, ctx.dtype(0));
  ctx.SetOutput(1, out, ctx.dtype(0));
  return Status::Ok();
}

// A second output of the same shape, such as a mask.
Status InferSameTwice(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  ctx.SetOutput(1, ctx.shape(0), DataType::kUndefined);
  return Status::Ok();
}

}  // namespace

void RegisterActivation(OpRegistrar& r) {
  r.Op("Celu", "nn").Input("x", kF32 | kF16).Output("y", kF32 | kF16).FloatAttr("alpha1", 1.0f)
      .FloatAttr("alpha2", 1.0f).FloatAttr("alpha3", 1.0f).Infer(InferSame);
  r.Op("CeluV2", "nn").Input("x", kFloats).Output("y", kFloats).FloatAttr("alpha", 1.0f).Infer(InferSame);
  r.Op("Elu", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).FloatAttr("alpha", 1.0f)
      .FloatAttr("scale", 1.0f).FloatAttr("input_scale", 1.0f).Infer(InferSame);
  r.Op("FastGelu", "nn").Input("x", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("FastGeluV2", "nn").Input("x", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("Gelu", "nn").Input("x", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("GeluV2", "nn").Input("x", kFloats).Output("y", kFloats).StringAttr("approximate", "none").Infer(InferSame);
  r.Op("HardMax", "nn").Input("x", kF32 | kF16).Output("y", kF32 | kF16).IntAttr("axis", -1).Infer(InferSame);
  r.Op("HardShrink", "nn").Input("input_x", kFloats).Output("output_y", kFloats).FloatAttr("lambd", 0.5f)
      .Infer(InferSame);
  r.Op("HardSigmoid", "nn").Input("input_x", kFloats | kI32).Output("output_y", kFloats | kI32)
      .FloatAttr("alpha", 0.16666666f).FloatAttr("beta", 0.5f).Infer(InferSame);
  r.Op("HardSwish", "legacy").Input("x", kF32 | kF16).Output("y", kF32 | kF16).Infer(InferSame);
  r.Op("LeakyRelu", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble)
      .FloatAttr("negative_slope", 0.0f).Infer(InferSame);
  r.Op("LogSigmoid", "nn").Input("x", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("Mish", "nn").Input("x", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("PRelu", "nn").Input("x", kFloats).Input("weight", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("Relu", "nn").Input("x", (kReal - kU32 - kU64) | kQI8).Output("y", (kReal - kU32 - kU64) | kQI8)
      .Infer(InferRelu);
  r.Op("Relu6", "nn").Input("x", kFloats | kI32).Output("y", kFloats | kI32).Infer(InferSame);
  r.Op("Relu6D", "nn").Input("x", kReal).Output("y", kReal).FloatAttr("scale", 1.0f).Infer(InferSame);
  r.Op("Selu", "nn").Input("x", kFloatsAndDouble | kI8 | kI32).Output("y", kFloatsAndDouble | kI8 | kI32)
      .Infer(InferSame);
  r.Op("Shrink", "nn").Input("input_x", kF32 | kF16).Output("output_y", kF32 | kF16).FloatAttr("lambd", 0.5f)
      .FloatAttr("bias", 0.0f).Infer(InferSame);
  r.Op("Sigmoid", "nn").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("SoftShrink", "nn").Input("input_x", kFloats).Output("output_y", kFloats).FloatAttr("lambd", 0.5f)
      .Infer(InferSame);
  r.Op("Softplus", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("SoftplusV2", "nn").Input("x", kFloats).Output("y", kFloats).FloatAttr("beta", 1.0f)
      .FloatAttr("threshold", 20.0f).Infer(InferSame);
  r.Op("Softsign", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("SquaredRelu", "nn").Input("x", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("Swish", "nn").Input("x", kFloats).Output("y", kFloats).FloatAttr("scale", 1.0f).Infer(InferSame);
  r.Op("Tanh", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Threshold", "nn").Input("x", kFloats).Output("y", kFloats).FloatAttr("threshold", 0.0f).Infer(InferSame);
  r.Op("ThresholdV2", "nn").Input("x", kFloats | kIndex | kI8 | kU8)
      .Input("threshold", kFloats | kIndex | kI8 | kU8).OptionalInput("value", kFloats | kIndex | kI8 | kU8)
      .Output("y", kFloats | kIndex | kI8 | kU8).Infer(InferSame);
  r.Op("Dropout", "legacy").Input("x", kF32).Output("y", kF32).FloatAttr("dropout_ratio", 0.5f)
      .BoolAttr("scale_train", true).FloatAttr("alpha", 1.0f).FloatAttr("beta", 0.0f).Infer(InferSame);
  r.Op("DropOutDoMask", "math").Input("x", kFloats).Input("mask", kU1 | kU8).Input("keep_prob", kFloats)
      .Output("y", kFloats).Infer(InferSame);
  r.Op("DropOutDoMaskV3", "math").Input("x", kFloats).Input("mask", kU8 | kBool).Input("keep_prob", kFloats)
      .Output("y", kFloats).Infer(InferSame);
  r.Op("StopGradient", "legacy").Input("x", kIntegers | kFloating | kBool | kString)
      .Output("y", kIntegers | kFloating | kBool | kString).Infer(InferSame);
  r.Op("PreventGradient", "legacy").Input("x", kIntegers | kFloating | kBool | kString)
      .Output("y", kIntegers | kFloating | kBool | kString).StringAttr("message", "").Infer(InferSame);
  r.Op("Snapshot", "legacy").Input("x", kIntegers | kFloating | kBool | kString)
      .Output("y", kIntegers | kFloating | kBool | kString).Infer(InferSame);
  r.Op("ReluGrad", "nn").Input("gradients", kReal).Input("features", kReal).Output("backprops", kReal)
      .Infer(InferSame);
  r.Op("Relu6Grad", "nn").Input("gradients", kFloats).Input("features", kFloats).Output("backprops", kFloats)
      .Infer(InferSame);
  r.Op("LeakyReluGrad", "nn").Input("gradients", kFloatsAndDouble).Input("features", kFloatsAndDouble)
      .Output("backprops", kFloatsAndDouble).FloatAttr("negative_slope", 0.0f).Infer(InferSame);
  r.Op("SigmoidGrad", "nn").Input("y", kUnary).Input("dy", kUnary).Output("z", kUnary)
      .BoolAttr("complex_conj", false).Infer(InferSame);
  r.Op("TanhGrad", "math").Input("y", kUnary).Input("dy", kUnary).Output("z", kUnary)
      .BoolAttr("complex_conj", false).Infer(InferSame);
  r.Op("GeluGrad", "nn").Input("dy", kFloats).Input("x", kFloats).Input("y", kFloats).Output("z", kFloats)
      .Infer(InferSame);
  r.Op("EluGrad", "nn").Input("grads", kFloatsAndDouble).Input("activations", kFloatsAndDouble)
      .Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("HardSigmoidGrad", "nn").Input("grads", kFloats).Input("input_x", kFloats).Output("y", kFloats)
      .FloatAttr("alpha", 0.16666666f).FloatAttr("beta", 0.5f).Infer(InferSame);
  r.Op("SwishGrad", "nn").Input("grad", kFloats).Input("x", kFloats).Input("y", kFloats).Output("grad_x", kFloats)
      .FloatAttr("scale", 1.0f).Infer(InferSame);
  r.Op("SiluGrad", "nn").Input("dy", kFloats).Input("x", kFloats).Output("dx", kFloats).Infer(InferSame);
  r.Op("SoftmaxV2", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).IntsAttr("axes", {-1})
      .BoolAttr("half_to_float", false).Infer(InferSoftmax);
  r.Op("LogSoftmaxV2", "nn").Input("logits", kFloatsAndDouble).Output("logsoftmax", kFloatsAndDouble)
      .IntsAttr("axes", {-1}).Infer(InferSoftmax);
  r.Op("GLU", "nn").Input("x", kFloats).Output("y", kFloats).IntAttr("dim", -1).Infer(InferGated);
  r.Op("SwiGlu", "nn").Input("x", kFloats).Output("y", kFloats).IntAttr("dim", -1).Infer(InferGated);
  r.Op("GeGluV2", "nn").Input("x", kFloats).Output("y", kFloats).Output("gelu", kFloats).IntAttr("dim", -1)
      .IntAttr("approximate", 1).BoolAttr("activate_left", false).Infer(InferGated);
  r.Op("DropOutV3", "math").Input("x", kFloats).OptionalInput("noise_shape", kI64).Input("p", kFloatsAndDouble)
      .Input("seed", kIndex).Input("offset", kI64).Output("y", kFloats).Output("mask", kU8).Infer(InferSameTwice);
  r.Op("ReluV2", "nn").Input("x", (kReal - kU32 - kU64) | kQI8).Output("y", (kReal - kU32 - kU64) | kQI8)
      .Output("mask", kU1 | kU8).Infer(InferSameTwice);
}

}  // namespace ge::ops
