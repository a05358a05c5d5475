// Quantisation.
#include "ops/attr_names.h"
#include "ops/families.h"
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

// Elementwise to the type in the attribute dst_type.
Status InferToDstType(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.Type(Names().dst_type, DataType::kInt8));
  return Status::Ok();
}

// Elementwise to the type in the attribute dtype.
Status InferToDtype(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.Type(Names().dtype, DataType::kFloat));
  return Status::Ok();
}

Status InferToInt8(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kInt8);
  return Status::Ok();
}

Status InferToFloat(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kFloat);
  return Status::Ok();
}

// The type's name is text here.
Status InferQuantize(InferContext& ctx) {
  std::string_view name = ctx.String(Names().dtype);
  DataType type = DataType::kUndefined;
  for (DataType t : {DataType::kInt8, DataType::kUint8, DataType::kInt32, DataType::kInt16, DataType::kQint8,
                     DataType::kQuint8, DataType::kQint32}) {
    std::string_view full = ir::Name(t);
    if (name == full || (full.size() > 3 && name == full.substr(3))) type = t;
  }
  if (name == "torch.qint8") type = DataType::kInt8;
  if (name == "torch.quint8") type = DataType::kUint8;
  if (name == "torch.qint32") type = DataType::kInt32;
  ctx.SetOutput(0, ctx.shape(0), type);
  return Status::Ok();
}

// A scale (and an offset) for each row of the last dim.
Status InferDynamicQuant(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x, ctx.Type(Names().dst_type, DataType::kInt8));
  Shape rows = x;
  if (!x.unknown_rank() && x.rank() > 0) rows = Shape(x.dims().first(x.rank() - 1));
  for (size_t i = 1; i < ctx.num_outputs(); ++i) ctx.SetOutput(i, rows, DataType::kFloat);
  return Status::Ok();
}

}  // namespace

void RegisterQuant(OpRegistrar& r) {
  r.Op("AscendQuant", "nn").Input("x", kF32 | kF16).Output("y", kI4 | kI8 | kHiF8 | kF8E5M2 | kF8E4M3)
      .RequiredAttr("scale", AttrType::kFloat).RequiredAttr("offset", AttrType::kFloat).BoolAttr("sqrt_mode", false)
      .StringAttr("round_mode", "Round").IntAttr("dst_type", TypeNumber(DataType::kInt8)).Infer(InferToDstType);
  r.Op("AscendQuantV2", "nn").Input("x", kFloats).Input("scale", kFloats).OptionalInput("offset", kFloats)
      .Output("y", kI4 | kI8 | kHiF8 | kF8E5M2 | kF8E4M3).BoolAttr("sqrt_mode", false)
      .StringAttr("round_mode", "round").IntAttr("dst_type", TypeNumber(DataType::kInt8)).IntAttr("axis", -1)
      .Infer(InferToDstType);
  r.Op("AscendAntiQuantV2", "nn").Input("x", kI4 | kI8 | kHiF8 | kF8E5M2 | kF8E4M3).Input("scale", kF32 | kBF16)
      .OptionalInput("offset", kF32 | kBF16).Output("y", kF16 | kBF16)
      .IntAttr("dst_type", TypeNumber(DataType::kFloat16)).BoolAttr("sqrt_mode", false).Infer(InferToDstType);
  r.Op("AscendWeightQuant", "nn").Input("x", kI8).Input("offset", kI8).Output("y", kI4 | kI8)
      .IntAttr("dst_type", TypeNumber(DataType::kInt8)).Infer(InferToDstType);
  r.Op("AscendDequant", "nn").Input("x", kI32).Input("deq_scale", kF16 | kU64).Output("y", kF32 | kF16)
      .BoolAttr("sqrt_mode", false).BoolAttr("relu_flag", false).IntAttr("dtype", TypeNumber(DataType::kFloat))
      .Infer(InferToDtype);
  r.Op("AscendAntiQuant", "nn").Input("x", kI8 | kHiF8 | kF8E5M2 | kF8E4M3).Output("y", kF32 | kF16)
      .RequiredAttr("scale", AttrType::kFloat).RequiredAttr("offset", AttrType::kFloat)
      .IntAttr("dtype", TypeNumber(DataType::kFloat)).BoolAttr("sqrt_mode", false).Infer(InferToDtype);
  r.Op("AscendRequant", "nn").Input("x", kI32).Input("req_scale", kU64).Output("y", kI8)
      .BoolAttr("relu_flag", false).Infer(InferToInt8);
  r.Op("Dequantize", "nn").Input("x", kQuantized).Input("min_range", kF32).Input("max_range", kF32)
      .Output("y", kF32).StringAttr("mode", "MIN_COMBINED").Infer(InferToFloat);
  r.Op("Quantize", "nn").Input("x", kFloats).Input("scales", kF32 | kBF16)
      .OptionalInput("zero_points", kF32 | kBF16 | kI8 | kI32 | kU8)
      .Output("y", kI8 | kI32 | kU8 | kHiF8 | kF8E5M2 | kF8E4M3).RequiredAttr("dtype", AttrType::kString)
      .IntAttr("axis", 1).Infer(InferQuantize);
  r.Op("FakeQuantWithMinMaxArgs", "nn").Input("x", kF32).Output("y", kF32).FloatAttr("min", -6.0f)
      .FloatAttr("max", 6.0f).IntAttr("num_bits", 8).BoolAttr("narrow_range", false).Infer(InferSame);
  r.Op("FakeQuantWithMinMaxVars", "nn").Input("x", kF32).Input("min", kF32).Input("max", kF32).Output("y", kF32)
      .IntAttr("num_bits", 8).BoolAttr("narrow_range", false).Infer(InferSame);
  r.Op("FakeQuantWithMinMaxVarsPerChannel", "nn").Input("x", kF32).Input("min", kF32).Input("max", kF32)
      .Output("y", kF32).IntAttr("num_bits", 8).BoolAttr("narrow_range", false).Infer(InferSame);
  r.Op("DynamicQuant", "nn").Input("x", kF16 | kBF16).OptionalInput("smooth_scales", kF16 | kBF16)
      .OptionalInput("group_index", kI32).Output("y", kI4 | kI8 | kHiF8 | kF8E5M2 | kF8E4M3).Output("scale", kF32)
      .IntAttr("dst_type", TypeNumber(DataType::kInt8)).Infer(InferDynamicQuant);
  r.Op("DynamicQuantV2", "nn").Input("x", kF16 | kBF16).OptionalInput("smooth_scales", kF16 | kBF16)
      .OptionalInput("group_index", kI32).Output("y", kI4 | kI8 | kHiF8 | kF8E5M2 | kF8E4M3).Output("scale", kF32)
      .Output("offset", kF32).IntAttr("dst_type", TypeNumber(DataType::kInt8)).BoolAttr("is_symmetrical", false)
      .StringAttr("quant_mode", "pertoken").FloatAttr("dst_type_max", 0.0f).Infer(InferDynamicQuant);
}

}  // namespace ge::ops
