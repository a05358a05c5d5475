// Normalisations.
#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
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

// Statistics per channel have the shape and type of the scale.
Status InferBatchNorm(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x, ctx.dtype(0));
  std::string_view format = ctx.String(Names().data_format);
  bool last = !format.empty() && format.back() == 'C';
  if (!x.unknown_rank() && x.rank() > 1) {
    Dim channels = x[last ? x.rank() - 1 : 1];
    for (size_t i = 1; i < 5 && ctx.count(i) > 0; ++i) {
      const Shape& s = ctx.shape(i);
      Dim same;
      if (s.unknown_rank() || s.rank() != 1 || MergeDim(s[0], channels, &same)) continue;
      return ctx.Error(StrCat(ctx.InputText(i), " with one element for each of ", channels, " channels"),
                       StrCat("shape '", s.ToString(), "'"), "check data_format and the shapes");
    }
  }
  for (size_t i = 1; i < ctx.num_outputs(); ++i) ctx.SetOutput(i, ctx.shape(1), ctx.dtype(1));
  return Status::Ok();
}

// Statistics keep the dims before the axis and are 1 from there on.
Status LayerNormAt(InferContext& ctx, int64_t axis, DataType statistics) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x, ctx.dtype(0));
  Shape stat = x;
  if (!x.unknown_rank() && x.rank() > 0) {
    size_t first = 0;
    GE_RETURN_IF_ERROR(NormalizeAxis(ctx, axis, x.rank(), &first));
    for (size_t i = first; i < x.rank(); ++i) stat.Set(i, 1);
  }
  ctx.SetOutput(1, stat, statistics);
  ctx.SetOutput(2, stat, statistics);
  return Status::Ok();
}

Status InferLayerNorm(InferContext& ctx) {
  return LayerNormAt(ctx, ctx.Int(Names().begin_norm_axis), DataType::kUndefined);
}

// The second input is the shape of what is normalised: its length tells how many last dims that are.
Status InferLayerNormV4(InferContext& ctx) {
  const Shape& n = ctx.shape(1);
  if (!n.unknown_rank() && n.rank() <= 1) {
    Dim count = n.rank() == 1 ? n[0] : 1;
    if (ir::IsStatic(count) && count > 0) return LayerNormAt(ctx, -count, DataType::kUndefined);
  }
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

// The last dims, as many as the scale has, are normalised.
Status InferRmsNorm(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Shape& gamma = ctx.shape(1);
  ctx.SetOutput(0, x, ctx.dtype(0));
  if (x.unknown_rank() || gamma.unknown_rank() || gamma.rank() > x.rank()) return Status::Ok();
  Shape stat = x;
  for (size_t i = x.rank() - gamma.rank(); i < x.rank(); ++i) stat.Set(i, 1);
  ctx.SetOutput(1, stat, DataType::kFloat);
  return Status::Ok();
}

// x1 + x2, normalised; the sum comes out too.
Status InferAddRmsNorm(InferContext& ctx) {
  Shape sum;
  GE_RETURN_IF_ERROR(Broadcast(ctx, ctx.shape(0), ctx.shape(1), &sum));
  ctx.SetOutput(0, sum, ctx.dtype(0));
  ctx.SetOutput(2, sum, ctx.dtype(0));
  const Shape& gamma = ctx.shape(2);
  if (sum.unknown_rank() || gamma.unknown_rank() || gamma.rank() > sum.rank()) return Status::Ok();
  for (size_t i = sum.rank() - gamma.rank(); i < sum.rank(); ++i) sum.Set(i, 1);
  ctx.SetOutput(1, sum, DataType::kFloat);
  return Status::Ok();
}

Status InferAddLayerNorm(InferContext& ctx) {
  Shape sum;
  GE_RETURN_IF_ERROR(Broadcast(ctx, ctx.shape(0), ctx.shape(1), &sum));
  ctx.SetOutput(0, sum, ctx.dtype(0));
  ctx.SetOutput(3, sum, ctx.dtype(0));
  if (sum.unknown_rank() || sum.rank() == 0) return Status::Ok();
  sum.Set(sum.rank() - 1, 1);
  ctx.SetOutput(1, sum, DataType::kFloat);
  ctx.SetOutput(2, sum, DataType::kFloat);
  return Status::Ok();
}

// Mean and variance per sample and channel.
Status InferInstanceNorm(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x, ctx.dtype(0));
  Shape stat = x;
  if (!x.unknown_rank()) {
    std::string_view format = ctx.String(Names().data_format);
    bool last = !format.empty() && format.back() == 'C';
    for (size_t i = 1; i < x.rank(); ++i) {
      if (i != (last ? x.rank() - 1 : 1)) stat.Set(i, 1);
    }
  }
  ctx.SetOutput(1, stat, DataType::kUndefined);
  ctx.SetOutput(2, stat, DataType::kUndefined);
  return Status::Ok();
}

// Two-dimensional statistics of the channels.
Status InferChannelSums(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  Shape sums = Shape::UnknownRank();
  if (!x.unknown_rank() && x.rank() > 1) sums = Shape{x[1]};
  ctx.SetOutput(0, sums, DataType::kFloat);
  ctx.SetOutput(1, sums, DataType::kFloat);
  return Status::Ok();
}

}  // namespace

void RegisterNorm(OpRegistrar& r) {
  r.Op("BatchNorm", "nn").Input("x", kFloats).Input("scale", kF32).Input("offset", kF32).OptionalInput("mean", kF32)
      .OptionalInput("variance", kF32).Output("y", kFloats).Output("batch_mean", kF32)
      .Output("batch_variance", kF32).Output("reserve_space_1", kF32).Output("reserve_space_2", kF32)
      .Output("reserve_space_3", kF32).FloatAttr("epsilon", 1e-04f).StringAttr("data_format", "NHWC")
      .BoolAttr("is_training", true).FloatAttr("exponential_avg_factor", 1.0f).Infer(InferBatchNorm);
  r.Op("BatchNorm3D", "nn").Input("x", kF32 | kF16).Input("scale", kF32).Input("offset", kF32)
      .OptionalInput("mean", kF32).OptionalInput("variance", kF32).Output("y", kF32 | kF16)
      .Output("batch_mean", kF32).Output("batch_variance", kF32).Output("reserve_space_1", kF32)
      .Output("reserve_space_2", kF32).FloatAttr("epsilon", 1e-04f).StringAttr("data_format", "NCDHW")
      .BoolAttr("is_training", true).Infer(InferBatchNorm);
  r.Op("BNInfer", "nn").Input("x", kFloats).Input("scale", kF32).Input("offset", kF32).Input("mean", kF32)
      .Input("variance", kF32).Output("y", kFloats).RequiredAttr("epsilon", AttrType::kFloat).Infer(InferBatchNorm);
  r.Op("LRN", "nn").Input("x", kF32 | kF16).Output("y", kF32 | kF16).IntAttr("depth_radius", 5)
      .FloatAttr("bias", 1.0f).FloatAttr("alpha", 1.0f).FloatAttr("beta", 0.5f)
      .StringAttr("norm_region", "ACROSS_CHANNELS").Infer(InferSame);
  r.Op("L2Normalize", "nn").Input("x", kF32 | kF16).Output("y", kF32 | kF16).IntsAttr("axis")
      .FloatAttr("eps", 1e-04f).Infer(InferSame);
  r.Op("MVN", "legacy").Input("x", kF32 | kF16).Output("y", kF32 | kF16).BoolAttr("normalize_variance", true)
      .BoolAttr("across_channels", false).FloatAttr("eps", 1e-09f).Infer(InferSame);
  r.Op("MVNV2", "nn").Input("x", kF32 | kF16).Output("y", kF32 | kF16).FloatAttr("eps", 1e-09f)
      .IntsAttr("axes", {0, 2, 3}).Infer(InferSame);
  r.Op("Normalize", "legacy").Input("x1", kF32 | kF16 | kI8).Input("x2", kF32 | kF16 | kI8)
      .Output("y", kF32 | kF16 | kI8).BoolAttr("across_spatial", true).BoolAttr("channel_shared", true)
      .FloatAttr("eps", 1e-10f).Infer(InferSame);
  r.Op("NormalizeBatch", "nn").Input("input_x", kF32).Input("seq_len", kI32).Output("output_y", kF32)
      .RequiredAttr("normalize_type", AttrType::kString).FloatAttr("epsilon", 1e-05f).Infer(InferSame);
  r.Op("BNInference", "legacy").Input("x", kF32 | kF16).Input("mean", kF32 | kF16).Input("variance", kF32 | kF16)
      .Input("momentum", kF32 | kF16).OptionalInput("scale", kF32 | kF16).OptionalInput("offset", kF32 | kF16)
      .Output("y", kF32 | kF16).FloatAttr("epsilon", 1e-05f).BoolAttr("use_global_stats", true).IntAttr("mode", 1)
      .Infer(InferSame);
  r.Op("GroupNorm", "nn").Input("x", kF32 | kF16).Input("gamma", kF32 | kF16).Input("beta", kF32 | kF16)
      .Output("y", kF32 | kF16).Output("mean", kF32 | kF16).Output("variance", kF32 | kF16)
      .RequiredAttr("num_groups", AttrType::kInt).StringAttr("data_format", "NCHW").FloatAttr("eps", 1e-04f)
      .BoolAttr("is_training", true).Infer(InferSame);
  r.Op("GroupNormRelu", "nn").Input("x", kF32 | kF16).Input("gamma", kF32 | kF16).Input("beta", kF32 | kF16)
      .Output("y", kF32 | kF16).RequiredAttr("num_groups", AttrType::kInt).FloatAttr("eps", 1e-05f).Infer(InferSame);
  r.Op("GroupNormSilu", "nn").Input("x", kFloats).OptionalInput("gamma", kFloats).OptionalInput("beta", kFloats)
      .Output("y", kFloats).Output("mean", kFloats).Output("rstd", kFloats)
      .RequiredAttr("num_groups", AttrType::kInt).FloatAttr("eps", 1e-05f).BoolAttr("activate_silu", true)
      .Infer(InferSame);
  r.Op("GroupNormSwish", "nn").Input("x", kFloats).Input("gamma", kFloats).Input("beta", kFloats)
      .Output("y", kFloats).Output("mean", kFloats).Output("rstd", kFloats)
      .RequiredAttr("num_groups", AttrType::kInt).StringAttr("data_format", "NCHW").FloatAttr("eps", 1e-05f)
      .BoolAttr("activate_swish", true).FloatAttr("swish_scale", 1.0f).Infer(InferSame);
  r.Op("GroupNormV2", "nn").Input("x", kFloats).Input("gamma", kFloats).Input("beta", kFloats).Output("y", kFloats)
      .Output("mean", kFloats).Output("rstd", kFloats).RequiredAttr("num_groups", AttrType::kInt)
      .StringAttr("data_format", "NHWC").FloatAttr("eps", 1e-05f).BoolAttr("is_training", true).Infer(InferSame);
  r.Op("INInferV2", "nn").Input("x", kF32 | kF16).OptionalInput("gamma", kF32).OptionalInput("beta", kF32)
      .OptionalInput("mean", kF32).OptionalInput("variance", kF32).Output("y", kF32 | kF16)
      .Output("batch_mean", kF32).Output("batch_variance", kF32).FloatAttr("epsilon", 1e-05f).Infer(InferSame);
  r.Op("InstanceNorm", "nn").Input("x", kFloats).Input("gamma", kFloats).Input("beta", kFloats).Output("y", kFloats)
      .Output("mean", kFloats).Output("variance", kFloats).StringAttr("data_format", "NDHWC")
      .FloatAttr("epsilon", 1e-06f).Infer(InferInstanceNorm);
  r.Op("LayerNorm", "nn").Input("x", kFloats).Input("gamma", kFloats).Input("beta", kFloats).Output("y", kFloats)
      .Output("mean", kFloats).Output("variance", kFloats).IntAttr("begin_norm_axis", 0)
      .IntAttr("begin_params_axis", 0).FloatAttr("epsilon", 1e-07f).Infer(InferLayerNorm);
  r.Op("LayerNormV3", "nn").Input("x", kFloats).Input("gamma", kFloats).Input("beta", kFloats).Output("y", kFloats)
      .Output("mean", kFloats).Output("rstd", kFloats).IntAttr("begin_norm_axis", 0).IntAttr("begin_params_axis", 0)
      .FloatAttr("epsilon", 1e-05f).Infer(InferLayerNorm);
  r.Op("LayerNormV4", "nn").Input("x", kFloats).Input("normalized_shape", kIndex).OptionalInput("gamma", kFloats)
      .OptionalInput("beta", kFloats).Output("y", kFloats).Output("mean", kFloats).Output("rstd", kFloats)
      .FloatAttr("epsilon", 1e-05f).Infer(InferLayerNormV4);
  r.Op("RmsNorm", "nn").Input("x", kFloats).Input("gamma", kFloats).Output("y", kFloats).Output("rstd", kF32)
      .FloatAttr("epsilon", 1e-06f).Infer(InferRmsNorm);
  r.Op("GemmaRmsNorm", "nn").Input("x", kFloats).Input("gamma", kFloats).Output("y", kFloats).Output("rstd", kF32)
      .FloatAttr("epsilon", 1e-06f).Infer(InferRmsNorm);
  r.Op("AddRmsNorm", "nn").Input("x1", kFloats).Input("x2", kFloats).Input("gamma", kFloats).Output("y", kFloats)
      .Output("rstd", kF32).Output("x", kFloats).FloatAttr("epsilon", 1e-06f).Infer(InferAddRmsNorm);
  r.Op("InplaceAddRmsNorm", "nn").Input("x1", kFloats).Input("x2", kFloats).Input("gamma", kFloats)
      .Output("x1", kFloats).Output("rstd", kF32).Output("x2", kFloats).FloatAttr("epsilon", 1e-06f)
      .Infer(InferAddRmsNorm);
  r.Op("AddLayerNorm", "nn").Input("x1", kFloats).Input("x2", kFloats).Input("gamma", kFloats)
      .Input("beta", kFloats).OptionalInput("bias", kFloats).Output("y", kFloats).Output("mean", kF32)
      .Output("rstd", kF32).Output("x", kFloats).FloatAttr("epsilon", 1e-05f).BoolAttr("additional_output", false)
      .Infer(InferAddLayerNorm);
  r.Op("BNTrainingReduce", "nn").Input("x", kFloats).Output("sum", kF32).Output("square_sum", kF32)
      .Infer(InferChannelSums);
}

}  // namespace ge::ops
