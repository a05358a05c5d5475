// Operators on several tensors, element by element, with broadcasting.
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Shape;

Status InferBroadcast(InferContext& ctx) {
  Shape out;
  GE_RETURN_IF_ERROR(Broadcast(ctx, ctx.shape(0), ctx.shape(1), &out));
  ctx.SetOutput(0, out, PromoteTypes(ctx.dtype(0), ctx.dtype(1)));
  return Status::Ok();
}

template <ScalarFn2 fn>
Status InferFollowed(InferContext& ctx) {
  FollowBinary(ctx, fn);
  return InferBroadcast(ctx);
}

// The result has the type of the first input: powers, shifts.
Status InferLikeFirst(InferContext& ctx) {
  Shape out;
  GE_RETURN_IF_ERROR(Broadcast(ctx, ctx.shape(0), ctx.shape(1), &out));
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

Status InferCompare(InferContext& ctx) {
  Shape out;
  GE_RETURN_IF_ERROR(Broadcast(ctx, ctx.shape(0), ctx.shape(1), &out));
  ctx.SetOutput(0, out, DataType::kBool);
  return Status::Ok();
}

template <ScalarFn2 fn>
Status InferComparison(InferContext& ctx) {
  FollowBinary(ctx, fn);
  return InferCompare(ctx);
}

// Three or more inputs that broadcast together; the type of the first.
Status InferBroadcastAll(InferContext& ctx) {
  Shape out;
  GE_RETURN_IF_ERROR(BroadcastInputs(ctx, ctx.def().inputs().size(), &out));
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

// Any number of tensors in one dynamic input.
Status InferVariadic(InferContext& ctx) {
  Shape out = ctx.count(0) > 0 ? ctx.shape(0) : Shape::UnknownRank();
  DataType type = ctx.dtype(0);
  for (size_t k = 1; k < ctx.count(0); ++k) {
    Shape both;
    GE_RETURN_IF_ERROR(Broadcast(ctx, out, ctx.shape(0, k), &both));
    out = std::move(both);
    if (type == DataType::kUndefined) type = ctx.dtype(0, k);
  }
  ctx.SetOutput(0, out, type);
  return Status::Ok();
}

// A small second operand, or bounds, that never widen the first.
Status InferShapeOfFirst(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

Status InferClip(InferContext& ctx) {
  const Values* x = ctx.values(0);
  const Values* low = ctx.values(1);
  const Values* high = ctx.values(2);
  if (x != nullptr && low != nullptr && high != nullptr && low->size() == 1 && high->size() == 1) {
    std::span<Scalar> out = ctx.NewValues(x->size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = scalar::Min(scalar::Max((*x)[i], (*low)[0]), (*high)[0]);
    ctx.SetValues(0, {out, x->scalar});
  }
  return InferShapeOfFirst(ctx);
}

Status InferComplex(InferContext& ctx) {
  Shape out;
  GE_RETURN_IF_ERROR(Broadcast(ctx, ctx.shape(0), ctx.shape(1), &out));
  DataType t = ctx.dtype(0);
  ctx.SetOutput(0, out, t == DataType::kDouble    ? DataType::kComplex128
                        : t == DataType::kFloat   ? DataType::kComplex64
                        : t == DataType::kFloat16 ? DataType::kComplex32
                                                  : DataType::kUndefined);
  return Status::Ok();
}

}  // namespace

void RegisterElementwiseBinary(OpRegistrar& r) {
  r.Op("Add", "math").Input("x1", kUnary | kSigned | kU8 | kBool | kString)
      .Input("x2", kUnary | kSigned | kU8 | kBool | kString).Output("y", kUnary | kSigned | kU8 | kBool | kString)
      .Commutative().Infer(InferFollowed<scalar::Add>);
  r.Op("AddV2", "math").Input("x1", kFloatsAndDouble | kSigned | kU8 | kC64 | kC128)
      .Input("x2", kFloatsAndDouble | kSigned | kU8 | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kSigned | kU8 | kC64 | kC128).Commutative().Infer(InferFollowed<scalar::Add>);
  r.Op("Sub", "math").Input("x1", kOrdinary - kU32 - kU64).Input("x2", kOrdinary - kU32 - kU64)
      .Output("y", kOrdinary - kU32 - kU64).Infer(InferFollowed<scalar::Sub>);
  r.Op("Mul", "math").Input("x1", kOrdinary - kU32 - kU64).Input("x2", kOrdinary - kU32 - kU64)
      .Output("y", kOrdinary - kU32 - kU64).Commutative().Infer(InferFollowed<scalar::Mul>);
  r.Op("Div", "math").Input("x1", kUnary | kSigned | kU8 | kU16).Input("x2", kUnary | kSigned | kU8 | kU16)
      .Output("y", kUnary | kSigned | kU8 | kU16).Infer(InferFollowed<scalar::Div>);
  r.Op("RealDiv", "math").Input("x1", (kReal - kU32 - kU64) | kBool | kC128 | kC64)
      .Input("x2", (kReal - kU32 - kU64) | kBool | kC128 | kC64).Output("y", (kReal - kU32 - kU64) | kC128 | kC64)
      .Infer(InferFollowed<scalar::Div>);
  r.Op("FloorDiv", "math").Input("x1", kReal - kU32 - kU64).Input("x2", kReal - kU32 - kU64)
      .Output("y", kReal - kU32 - kU64).Infer(InferFollowed<scalar::FloorDiv>);
  r.Op("FloorMod", "math").Input("x1", kFloatsAndDouble | kIndex).Input("x2", kFloatsAndDouble | kIndex)
      .Output("y", kFloatsAndDouble | kIndex).Infer(InferFollowed<scalar::FloorMod>);
  r.Op("Maximum", "math").Input("x1", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Input("x2", kFloatsAndDouble | kIndex | kI8 | kU8).Output("y", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Commutative().Infer(InferFollowed<scalar::Max>);
  r.Op("Minimum", "math").Input("x1", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Input("x2", kFloatsAndDouble | kIndex | kI8 | kU8).Output("y", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Commutative().Infer(InferFollowed<scalar::Min>);
  r.Op("Atan2", "math").Input("x1", kFloatsAndDouble).Input("x2", kFloatsAndDouble).Output("y", kFloatsAndDouble)
      .Infer(InferBroadcast);
  r.Op("BitwiseAnd", "math").Input("x1", kIntegers).Input("x2", kIntegers).Output("y", kIntegers).Commutative()
      .Infer(InferBroadcast);
  r.Op("BitwiseOr", "math").Input("x1", kIntegers).Input("x2", kIntegers).Output("y", kIntegers).Commutative()
      .Infer(InferBroadcast);
  r.Op("BitwiseXor", "math").Input("x1", kIntegers).Input("x2", kIntegers).Output("y", kIntegers).Commutative()
      .Infer(InferBroadcast);
  r.Op("DivNoNan", "math").Input("x1", kFloatsAndDouble | kI8 | kI32 | kU8)
      .Input("x2", kFloatsAndDouble | kI8 | kI32 | kU8).Output("y", kFloatsAndDouble | kI8 | kI32 | kU8)
      .Infer(InferBroadcast);
  r.Op("Gcd", "math").Input("x1", kSigned | kU8).Input("x2", kSigned | kU8).Output("y", kSigned | kU8).Commutative()
      .Infer(InferBroadcast);
  r.Op("Mod", "math").Input("x1", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Input("x2", kFloatsAndDouble | kIndex | kI8 | kU8).Output("y", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Infer(InferBroadcast);
  r.Op("MulNoNan", "math").Input("x1", kFloats | kI32).Input("x2", kFloats | kI32).Output("y", kFloats | kI32)
      .Infer(InferBroadcast);
  r.Op("SquaredDifference", "math").Input("x1", kFloatsAndDouble | kIndex | kC64 | kC128)
      .Input("x2", kFloatsAndDouble | kIndex | kC64 | kC128).Output("y", kFloatsAndDouble | kIndex | kC64 | kC128)
      .Commutative().Infer(InferBroadcast);
  r.Op("TruncateDiv", "math").Input("x1", kReal - kU32 - kU64).Input("x2", kReal - kU32 - kU64)
      .Output("y", kReal - kU32 - kU64).Infer(InferBroadcast);
  r.Op("TruncateMod", "math").Input("x1", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Input("x2", kFloatsAndDouble | kIndex | kI8 | kU8).Output("y", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Infer(InferBroadcast);
  r.Op("Xdivy", "math").Input("x1", kFloatsAndDouble | kC64 | kC128).Input("x2", kFloatsAndDouble | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kC64 | kC128).Infer(InferBroadcast);
  r.Op("Xlog1py", "math").Input("x", kFloatsAndDouble | kC64 | kC128).Input("y", kFloatsAndDouble | kC64 | kC128)
      .Output("z", kFloatsAndDouble | kC64 | kC128).Infer(InferBroadcast);
  r.Op("Xlogy", "math").Input("x1", kFloatsAndDouble | kC64 | kC128).Input("x2", kFloatsAndDouble | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kC64 | kC128).Infer(InferBroadcast);
  r.Op("Zeta", "math").Input("x", kF32 | kF64).Input("q", kF32 | kF64).Output("z", kF32 | kF64)
      .Infer(InferBroadcast);
  r.Op("Axpy", "math").Input("x1", kFloats | kI32).Input("x2", kFloats | kI32).Output("y", kFloats | kI32)
      .RequiredAttr("alpha", AttrType::kFloat).Infer(InferBroadcast);
  r.Op("NextAfter", "legacy").Input("x1", kF32 | kF64).Input("x2", kF32 | kF64).Output("output", kF32 | kF64)
      .Infer(InferBroadcast);
  r.Op("Heaviside", "nn").Input("input", kFloats).Input("values", kFloats).Output("output", kFloats)
      .Infer(InferBroadcast);
  r.Op("Pow", "math").Input("x1", kFloatsAndDouble | kSigned | kU8 | kC64 | kC128)
      .Input("x2", kFloatsAndDouble | kSigned | kU8 | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kSigned | kU8 | kC64 | kC128).Infer(InferLikeFirst);
  r.Op("LeftShift", "math").Input("x", kIntegers).Input("y", kIntegers).Output("z", kIntegers).Infer(InferLikeFirst);
  r.Op("RightShift", "math").Input("x", kIntegers).Input("y", kIntegers).Output("z", kIntegers)
      .Infer(InferLikeFirst);
  r.Op("Equal", "math")
      .Input("x1", kFloatsAndDouble | kSigned | kU8 | kBool | kString | kC64 | kC128 | kQI8 | kQI32 | kQU8)
      .Input("x2", kFloatsAndDouble | kSigned | kU8 | kBool | kString | kC64 | kC128 | kQI8 | kQI32 | kQU8)
      .Output("y", kBool).Commutative().Infer(InferComparison<scalar::Equal>);
  r.Op("NotEqual", "math").Input("x1", kReal).Input("x2", kReal).Output("y", kBool).Commutative()
      .Infer(InferComparison<scalar::NotEqual>);
  r.Op("Greater", "math").Input("x1", kReal).Input("x2", kReal).Output("y", kBool)
      .Infer(InferComparison<scalar::Greater>);
  r.Op("GreaterEqual", "math").Input("x1", kReal).Input("x2", kReal).Output("y", kBool)
      .Infer(InferComparison<scalar::GreaterEqual>);
  r.Op("Less", "math").Input("x1", kReal).Input("x2", kReal).Output("y", kBool).Infer(InferComparison<scalar::Less>);
  r.Op("LessEqual", "math").Input("x1", kReal).Input("x2", kReal).Output("y", kBool)
      .Infer(InferComparison<scalar::LessEqual>);
  r.Op("LogicalAnd", "math").Input("x1", kBool).Input("x2", kBool).Output("y", kBool).Commutative()
      .Infer(InferComparison<scalar::And>);
  r.Op("LogicalOr", "math").Input("x1", kSigned | kFloats | kU8 | kBool)
      .Input("x2", kSigned | kFloats | kU8 | kBool).Output("y", kBool).Commutative()
      .Infer(InferComparison<scalar::Or>);
  r.Op("ApproximateEqual", "math").Input("x1", kNumber).Input("x2", kNumber).Output("y", kBool)
      .FloatAttr("tolerance", 1e-05f).Commutative().Infer(InferCompare);
  r.Op("IsClose", "math").Input("x1", kBasic | kBool).Input("x2", kBasic | kBool).Output("y", kBool)
      .FloatAttr("rtol", 1e-05f).FloatAttr("atol", 1e-08f).BoolAttr("equal_nan", false)
      .Infer(InferCompare);
  r.Op("Complex", "legacy").Input("real", kF32 | kF64).Input("imag", kF32 | kF64).Output("out", kC64 | kC128)
      .TypeAttr("Tout", DataType::kComplex64).Infer(InferComplex);
  r.Op("AddN", "math").DynamicInput("x", kNumber | kVariant).Output("y", kNumber | kVariant)
      .RequiredAttr("N", AttrType::kInt).Infer(InferVariadic);
  r.Op("AccumulateNV2", "math").DynamicInput("x", kF32 | kF16 | kI8 | kI32 | kU8)
      .Output("y", kF32 | kF16 | kI8 | kI32 | kU8).RequiredAttr("N", AttrType::kInt).Infer(InferVariadic);
  r.Op("Eltwise", "math").DynamicInput("x", kFloats).Output("y", kFloats).RequiredAttr("N", AttrType::kInt)
      .IntAttr("mode", 1).FloatsAttr("coeff").Infer(InferVariadic);
  r.Op("FusedMulAdd", "math").Input("x1", kF32 | kF16 | kI32).Input("x2", kF32 | kF16 | kI32)
      .Input("x3", kF32 | kF16 | kI32).Output("y", kF32 | kF16 | kI32).Commutative().Infer(InferBroadcastAll);
  r.Op("FusedMulAddAdd", "math").Input("x1", kF32 | kF16 | kI32).Input("x2", kF32 | kF16 | kI32)
      .Input("x3", kF32 | kF16 | kI32).Input("x4", kF32 | kF16 | kI32).Output("y", kF32 | kF16 | kI32)
      .Commutative().Infer(InferBroadcastAll);
  r.Op("Addcdiv", "math").Input("input_data", kFloatsAndDouble | kI64).Input("x1", kFloatsAndDouble | kI64)
      .Input("x2", kFloatsAndDouble | kI64).Input("value", kFloatsAndDouble | kIndex)
      .Output("y", kFloatsAndDouble | kI64).Infer(InferBroadcastAll);
  r.Op("Addcmul", "math").Input("input_data", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Input("x1", kFloatsAndDouble | kIndex | kI8 | kU8).Input("x2", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Input("value", kFloatsAndDouble | kIndex | kI8 | kU8).Output("y", kFloatsAndDouble | kIndex | kI8 | kU8)
      .Infer(InferBroadcastAll);
  r.Op("Lerp", "math").Input("start", kFloats).Input("end", kFloats).Input("weight", kFloats).Output("y", kFloats)
      .Infer(InferBroadcastAll);
  r.Op("MulAddn", "math").DynamicInput("x1", kFloats).DynamicInput("x2", kFloats).Output("y", kFloats)
      .RequiredAttr("N", AttrType::kInt).Infer(InferBroadcastAll);
  r.Op("ClipByValue", "math").Input("x", kNumber - kU32 - kU64).Input("clip_value_min", kNumber - kU32 - kU64)
      .Input("clip_value_max", kNumber - kU32 - kU64).Output("y", kNumber - kU32 - kU64).Infer(InferClip);
  r.Op("ClipByValueV2", "math").Input("x", kNumber).Input("clip_value_min", kNumber)
      .Input("clip_value_max", kNumber).Output("y", kNumber).Infer(InferClip);
  r.Op("BiasAdd", "math").Input("x", kNumber).Input("bias", kNumber).Output("y", kNumber)
      .StringAttr("data_format", "NHWC").Infer(InferShapeOfFirst);
  r.Op("MaskedFill", "math").Input("x", kFloats | kIndex | kI8 | kBool).Input("mask", kBool)
      .Input("value", kFloats | kIndex | kI8 | kBool).Output("y", kFloats | kIndex | kI8 | kBool)
      .Infer(InferShapeOfFirst);
  r.Op("Scale", "legacy").Input("x", kF32 | kF16).Input("scale", kF32 | kF16).OptionalInput("bias", kF32 | kF16)
      .Output("y", kF32 | kF16).IntAttr("axis", 1).IntAttr("num_axes", 1).BoolAttr("scale_from_blob", true)
      .Infer(InferShapeOfFirst);
}

}  // namespace ge::ops
