#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace {

namespace ir = ge_core::ir;
namespace ops = ge_core::ops;

bool InRange(int32_t index, uint32_t count) { return index >= 0 && static_cast<uint32_t>(index) < count; }

graphStatus IndexOf(const std::vector<std::string> &names, const AscendString &name, int32_t &index) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != Access::View(name)) continue;
    index = static_cast<int32_t>(i);
    return GRAPH_SUCCESS;
  }
  return GRAPH_FAILED;
}

std::vector<GNodePtr> Handles(std::span<ir::Node *const> nodes) {
  std::vector<GNodePtr> out;
  for (ir::Node *n : nodes) out.push_back(Access::MakePtr(n));
  return out;
}

}  // namespace

graphStatus GNode::GetType(AscendString &type) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr) return GRAPH_FAILED;
  type = Access::Text(n->type().view());
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetName(AscendString &name) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr) return GRAPH_FAILED;
  name = Access::Text(n->name());
  return GRAPH_SUCCESS;
}

std::pair<GNodePtr, int32_t> GNode::GetInDataNodesAndPortIndexs(int32_t index) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr || !InRange(index, n->num_inputs())) return {nullptr, 0};
  ir::Anchor source = n->input(static_cast<uint32_t>(index));
  if (!source) return {nullptr, 0};
  return {Access::MakePtr(source.node), static_cast<int32_t>(source.index)};
}

std::vector<GNodePtr> GNode::GetInControlNodes() const {
  const ir::Node *n = Access::Core(*this);
  return n == nullptr ? std::vector<GNodePtr>() : Handles(n->control_inputs());
}

std::vector<std::pair<GNodePtr, int32_t>> GNode::GetOutDataNodesAndPortIndexs(int32_t index) const {
  std::vector<std::pair<GNodePtr, int32_t>> out;
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr || !InRange(index, n->num_outputs())) return out;
  for (const ir::InputSlot &use : n->uses(static_cast<uint32_t>(index))) {
    out.emplace_back(Access::MakePtr(use.node()), static_cast<int32_t>(use.index()));
  }
  return out;
}

std::vector<GNodePtr> GNode::GetOutControlNodes() const {
  const ir::Node *n = Access::Core(*this);
  return n == nullptr ? std::vector<GNodePtr>() : Handles(n->control_outputs());
}

graphStatus GNode::GetInputConstData(int32_t index, Tensor &data) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr || !InRange(index, n->num_inputs())) return GRAPH_FAILED;
  ir::Anchor source = n->input(static_cast<uint32_t>(index));
  const ir::Tensor *value = source ? source.node->const_value() : nullptr;
  if (value == nullptr) return GRAPH_FAILED;
  data = Access::Make(*value);
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetInputIndexByName(const AscendString &name, int32_t &index) const {
  const ir::Node *n = Access::Core(*this);
  const ops::OpDef *def = n == nullptr ? nullptr : ops::FindOp(n->type());
  if (def == nullptr) return GRAPH_FAILED;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < n->num_inputs(); ++i) names.push_back(ops::InputSlotName(*n, *def, i));
  return IndexOf(names, name, index);
}

graphStatus GNode::GetOutputIndexByName(const AscendString &name, int32_t &index) const {
  const ir::Node *n = Access::Core(*this);
  const ops::OpDef *def = n == nullptr ? nullptr : ops::FindOp(n->type());
  if (def == nullptr) return GRAPH_FAILED;
  auto fixed = static_cast<uint32_t>(def->outputs().size()) - (def->has_dynamic_output() ? 1 : 0);
  // Operators have one dynamic output at most: it takes what the others leave.
  return IndexOf(cxx_api::SlotNames(def->outputs(), [&](const ops::IoDef &) { return n->num_outputs() - fixed; }), name,
                 index);
}

size_t GNode::GetInputsSize() const {
  const ir::Node *n = Access::Core(*this);
  return n == nullptr ? 0 : n->num_inputs();
}

size_t GNode::GetOutputsSize() const {
  const ir::Node *n = Access::Core(*this);
  return n == nullptr ? 0 : n->num_outputs();
}

graphStatus GNode::GetInputDesc(int32_t index, TensorDesc &desc) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr || !InRange(index, n->num_inputs())) return GRAPH_FAILED;
  desc = Access::Make(n->input_desc(static_cast<uint32_t>(index)));
  return GRAPH_SUCCESS;
}

graphStatus GNode::UpdateInputDesc(int32_t index, const TensorDesc &desc) {
  ir::Node *n = Access::Core(*this);
  if (n == nullptr || n->graph() == nullptr || !InRange(index, n->num_inputs())) return GRAPH_FAILED;
  n->graph()->SetInputDesc(n, static_cast<uint32_t>(index), Access::Core(desc));
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetOutputDesc(int32_t index, TensorDesc &desc) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr || !InRange(index, n->num_outputs())) return GRAPH_FAILED;
  desc = Access::Make(n->output_desc(static_cast<uint32_t>(index)));
  return GRAPH_SUCCESS;
}

graphStatus GNode::UpdateOutputDesc(int32_t index, const TensorDesc &desc) {
  ir::Node *n = Access::Core(*this);
  if (n == nullptr || n->graph() == nullptr || !InRange(index, n->num_outputs())) return GRAPH_FAILED;
  n->graph()->SetOutputDesc(n, static_cast<uint32_t>(index), Access::Core(desc));
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetAttr(const AscendString &name, AttrValue &value) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr) return GRAPH_FAILED;
  ir::Symbol symbol{Access::View(name)};
  const ir::AttrValue *found = n->attrs().Find(symbol);
  if (found == nullptr) {
    const ops::OpDef *def = ops::FindOp(n->type());
    const ops::AttrDef *attr = def == nullptr ? nullptr : def->FindAttr(symbol);
    if (attr != nullptr && !std::holds_alternative<std::monostate>(attr->default_value)) found = &attr->default_value;
  }
  if (found == nullptr) return GRAPH_FAILED;
  value = Access::Make(*found);
  return GRAPH_SUCCESS;
}

graphStatus GNode::SetAttr(const AscendString &name, const AttrValue &value) const {
  ir::Node *n = Access::Core(*this);
  const ir::AttrValue *core = Access::Core(value);
  if (n == nullptr || n->graph() == nullptr || core == nullptr || name.GetLength() == 0) return GRAPH_FAILED;
  n->graph()->SetAttr(n, ir::Symbol(Access::View(name)), *core);
  return GRAPH_SUCCESS;
}

bool GNode::HasAttr(const AscendString &name) const {
  const ir::Node *n = Access::Core(*this);
  return n != nullptr && n->attrs().Find(ir::Symbol(Access::View(name))) != nullptr;
}

graphStatus GNode::DelAttr(const AscendString &name) const {
  ir::Node *n = Access::Core(*this);
  if (n == nullptr || n->graph() == nullptr) return GRAPH_FAILED;
  return n->graph()->EraseAttr(n, ir::Symbol(Access::View(name))) ? GRAPH_SUCCESS : GRAPH_FAILED;
}

graphStatus GNode::GetSubgraph(uint32_t index, GraphPtr &graph) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr || index >= n->subgraphs().size()) return GRAPH_FAILED;
  graph = Access::MakePtr(n->subgraphs()[index].graph->shared_from_this());
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetALLSubgraphs(std::vector<GraphPtr> &graphs) const {
  const ir::Node *n = Access::Core(*this);
  if (n == nullptr) return GRAPH_FAILED;
  graphs.clear();
  for (const ir::SubgraphRef &ref : n->subgraphs()) graphs.push_back(Access::MakePtr(ref.graph->shared_from_this()));
  return GRAPH_SUCCESS;
}

}  // namespace v1
}  // namespace ge
