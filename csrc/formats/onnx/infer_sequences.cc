// Sequences and optional values. GE knows a sequence as a handle; what is in it has no desc.
#include "formats/onnx/infer_rules.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Shape;
using ops::InferContext;

Status InferHandle(InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOutput(i, Shape(), DataType::kResource);
  return Status::Ok();
}

Status InferCount(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), DataType::kInt64);
  return Status::Ok();
}

Status InferHasElement(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), DataType::kBool);
  return Status::Ok();
}

}  // namespace

void AddSequenceRules(InferRules& rules) {
  rules.Add(InferHandle, {"SequenceEmpty", "SequenceErase", "SequenceInsert", "SplitToSequence"});
  rules.AddVariadic(InferHandle, {"SequenceConstruct", "SequenceMap"});
  rules.Add(InferCount, {"SequenceLength"});
  rules.Add(InferHasElement, {"OptionalHasElement"});
  // An optional tensor is known as the tensor.
  rules.Add(InferSameAsFirst, {"Optional", "OptionalGetElement"});
}

}  // namespace ge::formats::onnx
