// How the shapes of ONNX operators follow that go through the compiler as they are. Attributes carry ONNX's names,
// inputs are addressed by their place.
#ifndef GE_FORMATS_ONNX_INFER_RULES_H_
#define GE_FORMATS_ONNX_INFER_RULES_H_

#include <initializer_list>
#include <string_view>

#include "ops/infer_context.h"
#include "ops/registrar.h"

namespace ge::formats::onnx {

// The rules of one family, for operators of the domain ai.onnx.
class InferRules {
 public:
  explicit InferRules(ops::OpRegistrar* registrar) : registrar_(*registrar) {}
  // Operators whose inputs all have a place of their own.
  void Add(ops::InferFn infer, std::initializer_list<std::string_view> types);
  // Operators with any number of like inputs: they are input 0, one by one.
  void AddVariadic(ops::InferFn infer, std::initializer_list<std::string_view> types);
  // Operators that follow as a GE operator does with the same inputs and attribute names.
  void AddAs(std::string_view ge_type, std::initializer_list<std::string_view> types);

 private:
  ops::OpRegistrar& registrar_;
};

void AddAttentionRules(InferRules& rules);
void AddBodyRules(InferRules& rules);
void AddElementwiseRules(InferRules& rules);
void AddLayerRules(InferRules& rules);
void AddSequenceRules(InferRules& rules);
void AddShapeRules(InferRules& rules);
void AddSignalRules(InferRules& rules);
void AddTextRules(InferRules& rules);
void AddWindowRules(InferRules& rules);

// ---- what several families use --------------------------------------------------------------------------------------

// The type that the attribute names by its ONNX number; `absent` without it. kUndefined for types that GE lacks.
ir::DataType OnnxTypeOf(const ops::InferContext& ctx, ir::Symbol name, ir::DataType absent);
// The dim, unknown where the shape does not say.
ir::Dim DimAt(const ir::Shape& shape, size_t i);
// The one number that a scalar or one-element input holds, as a size.
ir::Dim SizeIn(const ops::InferContext& ctx, size_t input);
// The opset that the model was written for; 0 for a graph that is not from a model.
int64_t OpsetOf(const ops::InferContext& ctx);
Status InferSameAsFirst(ops::InferContext& ctx);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_INFER_RULES_H_
