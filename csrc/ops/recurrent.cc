// Recurrent layers and losses.
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Dim;
using ir::Shape;

Dim DimAt(const Shape& s, size_t i) { return s.unknown_rank() || i >= s.rank() ? ir::kUnknownDim : s[i]; }

}  // namespace

// x [time, batch, features], weights [directions, gates * hidden, features] (layout 1: batch first).
Status InferRecurrentLayer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Shape& r = ctx.shape(2);
  bool batch_first = ctx.Int(Names().layout) != 0;
  Dim time = DimAt(x, batch_first ? 1 : 0), batch = DimAt(x, batch_first ? 0 : 1);
  Dim directions = ctx.String(Names().direction, "forward") == "bidirectional" ? 2 : 1;
  // The recurrent weights are [directions, gates * hidden, hidden], and surer than the attribute.
  Dim hidden = DimAt(r, 2);
  if (hidden == ir::kUnknownDim && ctx.Int(Names().hidden_size) > 0) hidden = ctx.Int(Names().hidden_size);
  DataType type = ctx.dtype(0);
  if (batch_first) {
    ctx.SetOutput(0, Shape{batch, time, directions, hidden}, type);
  } else {
    ctx.SetOutput(0, Shape{time, directions, batch, hidden}, type);
  }
  for (size_t i = 1; i < ctx.num_outputs(); ++i) {
    ctx.SetOutput(i, batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden}, type);
  }
  return Status::Ok();
}

namespace {

// All outputs are [time, batch, hidden]; `w` is [features + hidden, gates * hidden].
Status InferDynamicRnn(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  Dim columns = DimAt(ctx.shape(1), 1);
  Dim hidden = ir::IsStatic(columns) ? columns / 4 : ir::kUnknownDim;
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    ctx.SetOutput(i, Shape{DimAt(x, 0), DimAt(x, 1), hidden}, ctx.dtype(0));
  }
  return Status::Ok();
}

Status InferDynamicGru(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  Dim hidden = DimAt(ctx.shape(2), 0);
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    ctx.SetOutput(i, Shape{DimAt(x, 0), DimAt(x, 1), hidden}, ctx.dtype(0));
  }
  return Status::Ok();
}

// Scores [batch, classes, ...]; one loss a sample unless they are reduced; beside it the log probabilities.
Status InferSoftmaxLoss(InferContext& ctx) {
  static const ir::Symbol reduction("reduction");
  bool reduced = ctx.String(reduction, "mean") != "none";
  ctx.SetOutput(0, reduced ? Shape() : ctx.shape(1), ctx.dtype(0));
  ctx.SetOutput(1, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

Status InferLoss(InferContext& ctx) {
  static const ir::Symbol reduction("reduction");
  bool reduced = ctx.String(reduction, "mean") != "none";
  ctx.SetOutput(0, reduced ? Shape() : ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

Status InferNllLoss(InferContext& ctx) {
  static const ir::Symbol reduction("reduction");
  bool reduced = ctx.String(reduction, "mean") != "none";
  ctx.SetOutput(0, reduced ? Shape() : ctx.shape(1), ctx.dtype(0));
  ctx.SetOutput(1, Shape(), ctx.dtype(0));
  return Status::Ok();
}

// Loss a row, gradient for each logit.
Status InferCrossEntropy(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x.unknown_rank() || x.rank() == 0 ? Shape::UnknownRank() : Shape{x[0]}, ctx.dtype(0));
  ctx.SetOutput(1, x, ctx.dtype(0));
  return Status::Ok();
}

Status InferLikeFirst(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void RegisterRecurrent(OpRegistrar& r) {
  r.Op("CommonGRU", "nn").Input("x", kF32 | kF16).Input("w", kF32 | kF16).Input("r", kF32 | kF16)
      .OptionalInput("b", kF32 | kF16).OptionalInput("sequence_lens", kI32).OptionalInput("initial_h", kF32 | kF16)
      .Output("y", kF32 | kF16).Output("y_h", kF32 | kF16).FloatsAttr("activation_alpha")
      .FloatsAttr("activation_beta").StringsAttr("activations").FloatAttr("clip", -1.0f)
      .StringAttr("direction", "forward").RequiredAttr("hidden_size", AttrType::kInt)
      .IntAttr("linear_before_reset", 0).Infer(InferRecurrentLayer);
  r.Op("CommonLSTM", "nn").Input("x", kF32 | kF16).Input("w", kF32 | kF16).Input("r", kF32 | kF16)
      .OptionalInput("b", kF32 | kF16).OptionalInput("sequence_lens", kI32).OptionalInput("initial_h", kF32 | kF16)
      .OptionalInput("initial_c", kF32 | kF16).OptionalInput("p", kF32 | kF16).Output("y", kF32 | kF16)
      .Output("y_h", kF32 | kF16).Output("y_c", kF32 | kF16).FloatsAttr("activation_alpha")
      .FloatsAttr("activation_beta").StringsAttr("activations").FloatAttr("clip", -1.0f)
      .StringAttr("direction", "forward").RequiredAttr("hidden_size", AttrType::kInt).IntAttr("input_forget", 0)
      .Infer(InferRecurrentLayer);
  r.Op("DynamicRNN", "nn").Input("x", kF32 | kF16).Input("w", kF32 | kF16).Input("b", kF32 | kF16)
      .OptionalInput("seq_length", kF32 | kF16 | kI32).OptionalInput("init_h", kF32 | kF16)
      .OptionalInput("init_c", kF32 | kF16).OptionalInput("wci", kF32 | kF16).OptionalInput("wcf", kF32 | kF16)
      .OptionalInput("wco", kF32 | kF16).OptionalInput("mask", kU8).Output("y", kF32 | kF16)
      .Output("output_h", kF32 | kF16).Output("output_c", kF32 | kF16).Output("i", kF32 | kF16)
      .Output("j", kF32 | kF16).Output("f", kF32 | kF16).Output("o", kF32 | kF16).Output("tanhc", kF32 | kF16)
      .StringAttr("cell_type", "LSTM").StringAttr("direction", "UNIDIRECTIONAL").IntAttr("cell_depth", 1)
      .BoolAttr("use_peephole", false).FloatAttr("keep_prob", 1.0f).FloatAttr("cell_clip", -1.0f)
      .IntAttr("num_proj", 0).BoolAttr("time_major", true).StringAttr("activation", "tanh")
      .FloatAttr("forget_bias", 0.0f).StringAttr("gate_order", "ijfo").BoolAttr("is_training", true)
      .Infer(InferDynamicRnn);
  r.Op("DynamicGRUV2", "nn").Input("x", kF16).Input("weight_input", kF16).Input("weight_hidden", kF16)
      .OptionalInput("bias_input", kF32 | kF16).OptionalInput("bias_hidden", kF32 | kF16)
      .OptionalInput("seq_length", kF16 | kI32).OptionalInput("init_h", kF32 | kF16).Output("y", kF32 | kF16)
      .Output("output_h", kF32 | kF16).Output("update", kF32 | kF16).Output("reset", kF32 | kF16)
      .Output("new", kF32 | kF16).Output("hidden_new", kF32 | kF16).StringAttr("direction", "UNIDIRECTIONAL")
      .IntAttr("cell_depth", 1).FloatAttr("keep_prob", 1.0f).FloatAttr("cell_clip", -1.0f).IntAttr("num_proj", 0)
      .BoolAttr("time_major", true).StringAttr("activation", "tanh").StringAttr("gate_order", "zrh")
      .BoolAttr("reset_after", true).BoolAttr("is_training", true).Infer(InferDynamicGru);
  r.Op("SoftmaxCrossEntropyLoss", "nn").Input("scores", kFloatsAndDouble).Input("labels", kIndex)
      .OptionalInput("weights", kFloatsAndDouble).Output("loss", kFloatsAndDouble)
      .Output("log_prop", kFloatsAndDouble).IntAttr("ignore_index", 0).StringAttr("reduction", "mean")
      .Infer(InferSoftmaxLoss);
  r.Op("MseLoss", "nn").Input("predict", kFloats).Input("label", kFloats).Output("y", kFloats)
      .StringAttr("reduction", "mean").Infer(InferLoss);
  r.Op("SigmoidCrossEntropyWithLogitsV2", "nn").Input("predict", kFloats).Input("target", kFloats)
      .OptionalInput("weight", kFloats).OptionalInput("pos_weight", kFloats).Output("loss", kFloats)
      .StringAttr("reduction", "mean").Infer(InferLoss);
  r.Op("NLLLoss", "nn").Input("x", kFloats).Input("target", kIndex | kU8).OptionalInput("weight", kFloats)
      .Output("y", kFloats).Output("total_weight", kFloats).StringAttr("reduction", "mean")
      .IntAttr("ignore_index", -100).Infer(InferNllLoss);
  r.Op("SoftmaxCrossEntropyWithLogits", "nn").Input("features", kFloatsAndDouble).Input("labels", kFloatsAndDouble)
      .Output("loss", kFloatsAndDouble).Output("backprop", kFloatsAndDouble).Infer(InferCrossEntropy);
  r.Op("SmoothL1Loss", "nn").Input("predict", kFloats).Input("label", kFloats).Output("loss", kFloats)
      .FloatAttr("sigma", 1.0f).Infer(InferLikeFirst);
}

}  // namespace ge::ops
