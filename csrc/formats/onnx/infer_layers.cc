// Normalisations, recurrent layers and losses.
#include "formats/onnx/infer_rules.h"
#include "ops/attr_names.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Shape;
using ops::InferContext;
using ops::Names;

// The statistics have size 1 from the axis on and a type of their own.
Status InferLayerNorm(InferContext& ctx) {
  static const ir::Symbol stash_type("stash_type");
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(0, x, ctx.dtype(0));
  Shape stat = x;
  if (!x.unknown_rank()) {
    size_t first = 0;
    GE_RETURN_IF_ERROR(ops::NormalizeAxis(ctx, ctx.Int(Names().axis, -1), x.rank(), &first));
    for (size_t i = first; i < x.rank(); ++i) stat.Set(i, 1);
  }
  DataType type = OnnxTypeOf(ctx, stash_type, DataType::kFloat);
  ctx.SetOutput(1, stat, type);
  ctx.SetOutput(2, stat, type);
  return Status::Ok();
}

// In training the running mean and variance come out as well; models before opset 14 have more outputs of that shape.
Status InferBatchNorm(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  for (size_t i = 1; i < ctx.num_outputs(); ++i) {
    size_t like = i % 2 == 1 ? 3 : 4;
    ctx.SetOutput(i, ctx.shape(like), ctx.dtype(like));
  }
  return Status::Ok();
}

// Scores [N, classes, ...] and targets [N, ...]: one loss a target unless they are reduced.
Status InferLoss(InferContext& ctx) {
  static const ir::Symbol reduction("reduction");
  bool reduced = ctx.String(reduction, "mean") != "none";
  ctx.SetOutput(0, reduced ? Shape() : ctx.shape(1), ctx.dtype(0));
  ctx.SetOutput(1, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void AddLayerRules(InferRules& rules) {
  rules.Add(InferSameAsFirst, {"GroupNormalization", "InstanceNormalization", "RMSNormalization"});
  rules.Add(InferLayerNorm, {"LayerNormalization"});
  rules.Add(InferBatchNorm, {"BatchNormalization"});
  rules.Add(ops::InferRecurrentLayer, {"GRU", "LSTM", "RNN"});
  rules.Add(InferLoss, {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"});
}

}  // namespace ge::formats::onnx
