// Operators on one tensor, element by element: the shape stays.
#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Dim;
using ir::Shape;

Status InferSame(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

template <ScalarFn1 fn>
Status InferFollowed(InferContext& ctx) {
  FollowUnary(ctx, fn);
  return InferSame(ctx);
}

Status InferToBool(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kBool);
  return Status::Ok();
}

Status InferLogicalNot(InferContext& ctx) {
  FollowUnary(ctx, scalar::Not);
  return InferToBool(ctx);
}

Status InferCast(InferContext& ctx) {
  DataType to = ctx.Type(Names().dst_type);
  ctx.SetOutput(0, ctx.shape(0), to);
  if (const Values* v = ctx.values(0)) {
    std::span<Scalar> out = ctx.NewValues(v->size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = scalar::Cast((*v)[i], to);
    ctx.SetValues(0, {out, v->scalar});
  }
  return Status::Ok();
}

// The element type is that of the second input.
Status InferLikeSecond(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(1));
  return Status::Ok();
}

// The absolute value and the parts of complex numbers are real.
Status InferComplexPart(InferContext& ctx) {
  DataType t = ctx.dtype(0);
  ctx.SetOutput(0, ctx.shape(0), t == DataType::kComplex64    ? DataType::kFloat
                                 : t == DataType::kComplex128 ? DataType::kDouble
                                 : t == DataType::kComplex32  ? DataType::kFloat16
                                                              : t);
  return Status::Ok();
}

// Elements of another width turn into, or come out of, a last dim.
Status InferBitcast(InferContext& ctx) {
  DataType to = ctx.Type(Names().type);
  const Shape& x = ctx.shape(0);
  int from_bits = ir::BitWidth(ctx.dtype(0)), to_bits = ir::BitWidth(to);
  if (x.unknown_rank() || from_bits == 0 || to_bits == 0) {
    ctx.SetUnknown(0, to);
    return Status::Ok();
  }
  DimList dims(x.dims());
  if (from_bits > to_bits) {
    dims.push_back(from_bits / to_bits);
  } else if (from_bits < to_bits) {
    Dim ratio = to_bits / from_bits;
    if (dims.empty() || (ir::IsStatic(dims[dims.size() - 1]) && dims[dims.size() - 1] != ratio)) {
      return ctx.Error(StrCat("a last dim of ", ratio), StrCat("shape '", x.ToString(), "'"));
    }
    dims.erase(dims.size() - 1);
  }
  ctx.SetOutput(0, dims, to);
  return Status::Ok();
}

}  // namespace

void RegisterElementwiseUnary(OpRegistrar& r) {
  r.Op("Acos", "math").Input("x", kFloatsAndDouble | kIndex | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kIndex | kC64 | kC128).Infer(InferSame);
  r.Op("Acosh", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Asin", "math").Input("x", kFloatsAndDouble | kIndex | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kIndex | kC64 | kC128).Infer(InferSame);
  r.Op("Asinh", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Atan", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Atanh", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("BesselI0e", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("BesselI1e", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("BNLL", "nn").Input("x", kFloating).Output("y", kFloating).Infer(InferSame);
  r.Op("Conj", "math").Input("input", kC64 | kC128).Output("output", kC64 | kC128).Infer(InferSame);
  r.Op("Cos", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Cosh", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Dawsn", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Digamma", "legacy").Input("x", kFloating).Output("y", kFloating).Infer(InferSame);
  r.Op("Erf", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Erfc", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Erfinv", "nn").Input("input_x", kFloats).Output("output_y", kFloats).Infer(InferSame);
  r.Op("Exp", "math").Input("x", kUnary).Output("y", kUnary).FloatAttr("base", -1.0f).FloatAttr("scale", 1.0f)
      .FloatAttr("shift", 0.0f).Infer(InferSame);
  r.Op("Expint", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Expm1", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Fills", "math").Input("x", kBasic | kBool).Output("y", kBasic | kBool)
      .RequiredAttr("value", AttrType::kFloat).Infer(InferSame);
  r.Op("FresnelCos", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("FresnelSin", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Inv", "math").Input("x", kFloatsAndDouble | kIndex | kC64 | kC128).Output("y", kFloats | kI32)
      .Infer(InferSame);
  r.Op("Invert", "math").Input("x", kIntegers).Output("y", kIntegers).Infer(InferSame);
  r.Op("Lgamma", "legacy").Input("x", kFloating).Output("y", kFloating).Infer(InferSame);
  r.Op("Log", "math").Input("x", kFloatsAndDouble | kSigned | kU8 | kBool | kC64 | kC128).Output("y", kUnary)
      .FloatAttr("base", -1.0f).FloatAttr("scale", 1.0f).FloatAttr("shift", 0.0f).Infer(InferSame);
  r.Op("Log1p", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Muls", "math").Input("x", kFloats | kIndex | kI16 | kC32 | kC64)
      .Output("y", kFloats | kIndex | kI16 | kC32 | kC64).RequiredAttr("value", AttrType::kFloat).Infer(InferSame);
  r.Op("Adds", "math").Input("x", kFloats | kIndex | kI16).Output("y", kFloats | kIndex | kI16)
      .RequiredAttr("value", AttrType::kFloat).Infer(InferSame);
  r.Op("NanToNum", "math").Input("x", kFloats).Output("y", kFloats).RequiredAttr("nan", AttrType::kFloat)
      .RequiredAttr("posinf", AttrType::kFloat).RequiredAttr("neginf", AttrType::kFloat).Infer(InferSame);
  r.Op("Ndtri", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Pows", "math").Input("x1", kFloats).Input("x2", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("Power", "math").Input("x", kFloats).Output("y", kFloats).FloatAttr("power", 1.0f).FloatAttr("scale", 1.0f)
      .FloatAttr("shift", 0.0f).Infer(InferSame);
  r.Op("Reciprocal", "math").Input("x", kFloatsAndDouble | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kC64 | kC128).Infer(InferSame);
  r.Op("Rint", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Rsqrt", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Sign", "math").Input("x", kReal | kC64 | kC128).Output("y", kReal | kC64 | kC128).Infer(InferSame);
  r.Op("Sin", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Sinc", "math").Input("x", kFloats).Output("y", kFloats).Infer(InferSame);
  r.Op("Sinh", "math").Input("x", kUnary).Output("y", kUnary).Infer(InferSame);
  r.Op("Spence", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferSame);
  r.Op("Sqrt", "math").Input("x", kFloatsAndDouble | kC64 | kC128).Output("y", kFloatsAndDouble | kC64 | kC128)
      .Infer(InferSame);
  r.Op("Square", "math").Input("x", kFloatsAndDouble | kIndex | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kIndex | kC64 | kC128).Infer(InferSame);
  r.Op("Tan", "math").Input("x", (kUnary - kC32) | kI32).Output("y", (kUnary - kC32) | kI32).Infer(InferSame);
  r.Op("Trunc", "math").Input("input_x", kFloats | kI8 | kI32 | kU8).Output("output_y", kFloats | kI8 | kI32 | kU8)
      .Infer(InferSame);
  r.Op("OnesLike", "math").Input("x", (kReal - kU32 - kU64) | kBool | kC128)
      .Output("y", (kReal - kU32 - kU64) | kBool | kC128).Infer(InferSame);
  r.Op("ZerosLike", "math").Input("x", kBasic | kVariant | kHiF8 | kF8E5M2 | kF8E4M3 | kF4E2M1 | kF4E1M2)
      .Output("y", kBasic | kVariant | kHiF8 | kF8E5M2 | kF8E4M3 | kF4E2M1 | kF4E1M2).Infer(InferSame);
  r.Op("MaskedScale", "math").Input("x", kF32 | kF16).Input("mask", kF32 | kF16 | kI8).Output("y", kF32 | kF16)
      .RequiredAttr("value", AttrType::kFloat).Infer(InferSame);
  r.Op("Cumsum", "math").Input("x", kReal | kC64 | kC128).Input("axis", kIndex).Output("y", kReal | kC64 | kC128)
      .BoolAttr("exclusive", false).BoolAttr("reverse", false).Infer(InferSame);
  r.Op("Cumprod", "math").Input("x", kNumber).Input("axis", kIndex).Output("y", kNumber)
      .BoolAttr("exclusive", false).BoolAttr("reverse", false).Infer(InferSame);
  r.Op("CumulativeLogsumexp", "math").Input("x", kF32 | kF16).Input("axis", kIndex | kI16).Output("y", kF32 | kF16)
      .BoolAttr("exclusive", false).BoolAttr("reverse", false).Infer(InferSame);
  r.Op("CumsumD", "legacy").Input("x", kNumber).Output("y", kNumber).RequiredAttr("axis", AttrType::kInt)
      .BoolAttr("exclusive", false).BoolAttr("reverse", false).Infer(InferSame);
  r.Op("CumprodD", "legacy").Input("x", kNumber).Output("y", kNumber).RequiredAttr("axis", AttrType::kInt)
      .BoolAttr("exclusive", false).BoolAttr("reverse", false).Infer(InferSame);
  r.Op("Abs", "math").Input("x", kFloatsAndDouble | kSigned | kU8 | kBool | kC32 | kC64)
      .Output("y", kFloatsAndDouble | kSigned | kU8 | kBool | kC32 | kC64).Infer(InferFollowed<scalar::Abs>);
  r.Op("Neg", "math").Input("x", kFloatsAndDouble | kIndex | kI8 | kC64 | kC128)
      .Output("y", kFloatsAndDouble | kIndex | kI8 | kC64 | kC128).Infer(InferFollowed<scalar::Neg>);
  r.Op("Floor", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble)
      .Infer(InferFollowed<scalar::Floor>);
  r.Op("Ceil", "math").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferFollowed<scalar::Ceil>);
  r.Op("Round", "math").Input("x", kFloatsAndDouble | kIndex).Output("y", kFloatsAndDouble | kIndex)
      .IntAttr("decimals", 0).Infer(InferFollowed<scalar::Round>);
  r.Op("IsFinite", "math").Input("x", kReal | kBool).Output("y", kBool).Infer(InferToBool);
  r.Op("IsInf", "math").Input("x", kFloatsAndDouble).Output("y", kBool).Infer(InferToBool);
  r.Op("IsNan", "math").Input("x", kFloatsAndDouble).Output("y", kBool).Infer(InferToBool);
  r.Op("IsNegInf", "math").Input("x", kFloatsAndDouble).Output("y", kBool).Infer(InferToBool);
  r.Op("IsPosInf", "math").Input("x", kFloatsAndDouble).Output("y", kBool).Infer(InferToBool);
  r.Op("Signbit", "math").Input("x", kReal).Output("y", kBool).Infer(InferToBool);
  r.Op("LogicalNot", "math").Input("x", kBool).Output("y", kBool).Infer(InferLogicalNot);
  r.Op("Cast", "math").Input("x", kBasic | kU1 | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF4E2M1 | kF4E1M2)
      .Output("y", kBasic | kI4 | kBool | kHiF8 | kF8E5M2 | kF8E4M3 | kF4E2M1 | kF4E1M2)
      .RequiredAttr("dst_type", AttrType::kInt).Infer(InferCast);
  r.Op("CastLike", "legacy").Input("x", kBasic | kBool | kString).Input("target", kBasic | kBool | kString)
      .Output("y", kBasic | kBool | kString).Infer(InferLikeSecond);
  r.Op("ComplexAbs", "math").Input("x", kComplex).Output("y", kFloating).TypeAttr("Tout", DataType::kFloat)
      .Infer(InferComplexPart);
  r.Op("Real", "math").Input("input", kComplex | kF32 | kF16).Output("output", kFloating)
      .IntAttr("Tout", TypeNumber(DataType::kFloat)).Infer(InferComplexPart);
  r.Op("Imag", "legacy").Input("input", kC64 | kC128).Output("output", kF32 | kF64)
      .TypeAttr("Tout", DataType::kFloat).Infer(InferComplexPart);
  r.Op("Angle", "legacy").Input("input", kC64 | kC128).Output("output", kF32 | kF64)
      .TypeAttr("Tout", DataType::kFloat).Infer(InferComplexPart);
  r.Op("AngleV2", "math").Input("x", kSigned | kFloats | kU8 | kBool | kC64).Output("y", kFloats)
      .Infer(InferComplexPart);
  r.Op("Bitcast", "math").Input("x", (kBasic - kBF16 - kC32) | kBool | kI4)
      .Output("y", (kBasic - kBF16 - kC32) | kBool | kI4).RequiredAttr("type", AttrType::kType)
      .BoolAttr("keep_dim", false).MovesDims().Infer(InferBitcast);
}

}  // namespace ge::ops
