// Fourier transforms and windows.
#include "formats/onnx/infer_rules.h"
#include "ops/attr_names.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Dim;
using ir::Shape;
using ops::InferContext;
using ops::Names;

const ir::Symbol& Onesided() {
  static const ir::Symbol name("onesided");
  return name;
}

Dim HalfPlusOne(Dim n) { return ir::IsStatic(n) ? n / 2 + 1 : ir::kUnknownDim; }

// Real input ends in a dim of 1, complex in one of 2; a length (input 1) cuts or fills the transformed axis.
Status InferDft(InferContext& ctx) {
  static const ir::Symbol inverse("inverse");
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank() || x.rank() < 2) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  // The axis was an attribute with another default once.
  bool by_attr = ctx.HasAttr(Names().axis) || (OpsetOf(ctx) > 0 && OpsetOf(ctx) < 20);
  std::optional<int64_t> axis;
  if (by_attr) {
    axis = ctx.Int(Names().axis, 1);
  } else {
    axis = ctx.has_input(2) ? ctx.int_value(2) : std::optional<int64_t>(-2);
  }
  Shape out = x;
  bool half = ctx.Bool(Onesided()), back = ctx.Bool(inverse);
  if (!axis) {
    for (size_t i = 0; i + 1 < x.rank(); ++i) out.Set(i, ir::kUnknownDim);
  } else {
    size_t at = 0;
    GE_RETURN_IF_ERROR(ops::NormalizeAxis(ctx, *axis, x.rank(), &at));
    Dim length = ctx.has_input(1) ? SizeIn(ctx, 1) : x[at];
    // Without a length a half spectrum of n bins is that of 2 (n - 1) samples.
    if (half && back && !ctx.has_input(1)) length = ops::MultiplyDims(ops::AddDim(x[at], -1), 2);
    out.Set(at, half && !back ? HalfPlusOne(length) : length);
  }
  out.Set(x.rank() - 1, half && back ? 1 : 2);
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

// Signal, step, window, frame length: [batch, frames, bins, 2].
Status InferStft(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  Dim step = SizeIn(ctx, 1);
  Dim frame = ctx.has_input(3) ? SizeIn(ctx, 3) : DimAt(ctx.shape(2), 0);
  Dim length = DimAt(x, 1), frames = ir::kUnknownDim;
  if (ir::IsStatic(length) && ir::IsStatic(frame) && ir::IsStatic(step) && step > 0 && length >= frame) {
    frames = (length - frame) / step + 1;
  }
  Dim bins = ctx.Bool(Onesided(), true) ? HalfPlusOne(frame) : frame;
  ctx.SetOutput(0, Shape{DimAt(x, 0), frames, bins, 2}, ctx.dtype(0));
  return Status::Ok();
}

DataType OutputType(const InferContext& ctx) {
  static const ir::Symbol output_datatype("output_datatype");
  return OnnxTypeOf(ctx, output_datatype, DataType::kFloat);
}

Status InferWindow(InferContext& ctx) {
  ctx.SetOutput(0, Shape{SizeIn(ctx, 0)}, OutputType(ctx));
  return Status::Ok();
}

// Number of bands, length of the transform, and three numbers more.
Status InferMelWeightMatrix(InferContext& ctx) {
  ctx.SetOutput(0, Shape{HalfPlusOne(SizeIn(ctx, 1)), SizeIn(ctx, 0)}, OutputType(ctx));
  return Status::Ok();
}

}  // namespace

void AddSignalRules(InferRules& rules) {
  rules.Add(InferDft, {"DFT"});
  rules.Add(InferStft, {"STFT"});
  rules.Add(InferWindow, {"BlackmanWindow", "HammingWindow", "HannWindow"});
  rules.Add(InferMelWeightMatrix, {"MelWeightMatrix"});
}

}  // namespace ge::formats::onnx
