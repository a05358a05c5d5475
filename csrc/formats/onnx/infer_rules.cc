#include "formats/onnx/infer_rules.h"

#include <string>

#include "base/strings.h"
#include "formats/onnx/dtype_map.h"
#include "formats/onnx/model_info.h"

namespace ge::formats::onnx {
namespace {

void RegisterAll(ops::OpRegistrar& registrar) {
  InferRules rules(&registrar);
  AddAttentionRules(rules);
  AddBodyRules(rules);
  AddElementwiseRules(rules);
  AddLayerRules(rules);
  AddSequenceRules(rules);
  AddShapeRules(rules);
  AddSignalRules(rules);
  AddTextRules(rules);
  AddWindowRules(rules);
}

// Any graph may hold such nodes, so the rules are there before the first one is inferred.
[[maybe_unused]] const bool kRegistered = ops::AddForeignOps(RegisterAll);

std::string FullName(std::string_view type) { return StrCat("ai.onnx::", type); }

}  // namespace

void InferRules::Add(ops::InferFn infer, std::initializer_list<std::string_view> types) {
  // No operator here has more inputs than these.
  static constexpr std::string_view kInputs[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};
  for (std::string_view type : types) {
    ops::OpDef& def = registrar_.Op(FullName(type), "").Infer(infer);
    for (std::string_view input : kInputs) def.OptionalInput(input);
  }
}

void InferRules::AddVariadic(ops::InferFn infer, std::initializer_list<std::string_view> types) {
  for (std::string_view type : types) registrar_.Op(FullName(type), "").DynamicInput("x").Infer(infer);
}

void InferRules::AddAs(std::string_view ge_type, std::initializer_list<std::string_view> types) {
  const ops::OpDef* def = ops::FindOp(ir::Symbol(ge_type));
  if (def == nullptr) return;
  if (def->has_dynamic_input()) {
    AddVariadic(def->infer(), types);
  } else {
    Add(def->infer(), types);
  }
}

ir::DataType OnnxTypeOf(const ops::InferContext& ctx, ir::Symbol name, ir::DataType absent) {
  int64_t number = ctx.Int(name, 0);
  return number == 0 ? absent : FromOnnxType(number);
}

ir::Dim DimAt(const ir::Shape& shape, size_t i) {
  return shape.unknown_rank() || i >= shape.rank() ? ir::kUnknownDim : shape[i];
}

ir::Dim SizeIn(const ops::InferContext& ctx, size_t input) {
  const ops::Values* v = ctx.values(input);
  return v != nullptr && v->size() == 1 ? (*v)[0].dim() : ir::kUnknownDim;
}

int64_t OpsetOf(const ops::InferContext& ctx) {
  const ModelInfo* info = FindModelInfo(*ctx.node()->graph()->root());
  return info == nullptr ? 0 : info->opset();
}

Status InferSameAsFirst(ops::InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

}  // namespace ge::formats::onnx
