#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {

using detail::Access;
using detail::OperatorData;

namespace {

namespace ir = ge_core::ir;
namespace ops = ge_core::ops;

uint32_t CountOf(const OperatorData &data, const ops::IoDef &io) {
  auto found = data.dynamic_counts.find(io.name.view());
  return found == data.dynamic_counts.end() ? 0 : found->second;
}

graphStatus SetNamed(const OperatorData &data, const std::vector<ops::IoDef> &defs, const AscendString &name,
                     const TensorDesc &desc, std::map<uint32_t, ir::TensorDesc> *descs) {
  std::vector<std::string> names = cxx_api::SlotNames(defs, [&](const ops::IoDef &io) { return CountOf(data, io); });
  for (uint32_t i = 0; i < names.size(); ++i) {
    if (names[i] != Access::View(name)) continue;
    (*descs)[i] = Access::Core(desc);
    return GRAPH_SUCCESS;
  }
  detail::NoteProblem(ge_core::StrCat("operator '", data.name, "' of type '", data.type.view(),
                                      "' has no input or output '", Access::View(name), "'; dynamic ones are '",
                                      "<name><number>' after DynamicInputRegister or DynamicOutputRegister"));
  return GRAPH_FAILED;
}

// As many as the definition and the dynamic counts say; without a definition, as many as have a desc.
uint32_t SlotCount(const OperatorData &data, const std::vector<ops::IoDef> *defs,
                   const std::map<uint32_t, ir::TensorDesc> &descs) {
  if (defs == nullptr) return descs.empty() ? 0 : descs.rbegin()->first + 1;
  return static_cast<uint32_t>(
      cxx_api::SlotNames(*defs, [&](const ops::IoDef &io) { return CountOf(data, io); }).size());
}

std::vector<int64_t> DynamicInputCounts(const OperatorData &data) {
  std::vector<int64_t> counts;
  for (const ops::IoDef &io : data.def->inputs()) {
    if (io.kind == ops::IoKind::kDynamic) counts.push_back(CountOf(data, io));
  }
  return counts;
}

}  // namespace

Operator::Operator(const AscendString &name, const AscendString &type) : data_(std::make_shared<OperatorData>()) {
  data_->name = Access::View(name);
  data_->type = ir::Symbol(Access::View(type));
  data_->def = ops::FindOp(data_->type);
}

AscendString Operator::GetName() const { return Access::Text(data_->name); }
AscendString Operator::GetOpType() const { return Access::Text(data_->type.view()); }

Operator &Operator::DynamicInputRegister(const AscendString &name, uint32_t count) {
  data_->dynamic_counts[std::string(Access::View(name))] = count;
  return *this;
}

Operator &Operator::DynamicOutputRegister(const AscendString &name, uint32_t count) {
  return DynamicInputRegister(name, count);
}

graphStatus Operator::UpdateInputDesc(uint32_t index, const TensorDesc &desc) {
  data_->inputs[index] = Access::Core(desc);
  return GRAPH_SUCCESS;
}

graphStatus Operator::UpdateOutputDesc(uint32_t index, const TensorDesc &desc) {
  data_->outputs[index] = Access::Core(desc);
  return GRAPH_SUCCESS;
}

graphStatus Operator::UpdateInputDesc(const AscendString &name, const TensorDesc &desc) {
  static const std::vector<ops::IoDef> none;
  return SetNamed(*data_, data_->def ? data_->def->inputs() : none, name, desc, &data_->inputs);
}

graphStatus Operator::UpdateOutputDesc(const AscendString &name, const TensorDesc &desc) {
  static const std::vector<ops::IoDef> none;
  return SetNamed(*data_, data_->def ? data_->def->outputs() : none, name, desc, &data_->outputs);
}

Operator &Operator::SetAttr(const AscendString &name, const AttrValue &value) {
  const ir::AttrValue *core = Access::Core(value);
  if (core != nullptr) data_->attrs.emplace_back(ir::Symbol(Access::View(name)), *core);
  return *this;
}

graphStatus Operator::GetAttr(const AscendString &name, AttrValue &value) const {
  ir::Symbol symbol{Access::View(name)};
  for (auto it = data_->attrs.rbegin(); it != data_->attrs.rend(); ++it) {
    if (it->first != symbol) continue;
    value = Access::Make(it->second);
    return GRAPH_SUCCESS;
  }
  return GRAPH_FAILED;
}

GNode Graph::AddNodeByOp(const Operator &op) {
  auto graph = Access::Core(*this);
  const OperatorData &data = Access::Core(op);
  if (graph == nullptr || data.type.empty()) {
    detail::NoteProblem(ge_core::StrCat("cannot add operator '", data.name, "': the graph or the operator's type is empty"));
    return GNode();
  }
  uint32_t inputs = SlotCount(data, data.def ? &data.def->inputs() : nullptr, data.inputs);
  uint32_t outputs = SlotCount(data, data.def ? &data.def->outputs() : nullptr, data.outputs);
  ir::Node *node = graph->AddNode(data.type, data.name, inputs, outputs);
  for (const auto &[i, desc] : data.inputs) {
    if (i < inputs) graph->SetInputDesc(node, i, desc);
  }
  for (const auto &[i, desc] : data.outputs) {
    if (i < outputs) graph->SetOutputDesc(node, i, desc);
  }
  for (const auto &[name, value] : data.attrs) graph->SetAttr(node, name, value);
  if (data.def != nullptr) {
    std::vector<int64_t> counts = DynamicInputCounts(data);
    if (counts.size() > 1) graph->SetAttr(node, ir::Symbol("_dynamic_input_counts"), std::move(counts));
  }
  // A constant's tensor knows its desc.
  const ir::Tensor *value = node->const_value();
  if (value != nullptr && outputs == 1 && data.outputs.empty()) graph->SetOutputDesc(node, 0, value->desc);
  return Access::Make(node);
}

}  // namespace v1
}  // namespace ge
