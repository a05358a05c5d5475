#include "fusion/builtin/rewrite.h"

#include <algorithm>
#include <string>

#include "formats/onnx/model_info.h"
#include "formats/onnx/private_attrs.h"
#include "fusion/builtin/effects.h"

namespace ge::fusion::builtin {
namespace {

// Products of two of these fit in 64 bits.
constexpr int64_t kMaxExtent = int64_t{1} << 31;

}  // namespace

bool HasAny(const ir::Graph& graph, std::span<const ir::Symbol> types) {
  return std::any_of(types.begin(), types.end(), [&](ir::Symbol t) { return graph.CountOfType(t) > 0; });
}

bool Ordered(ir::Graph& graph, PassContext& context) {
  Status sorted = graph.TopologicalSort();
  if (!sorted.ok()) context.AddError("", sorted.message());
  return sorted.ok();
}

// Until IR version 3 every initializer had to be listed as an input, and runtimes take it for a constant.
Constants::Constants(const ir::Graph& graph) : graph_(graph) {
  const formats::onnx::ModelInfo* info = formats::onnx::FindModelInfo(graph);
  inputs_are_constant_ = info != nullptr && info->ir_version < 4;
}

bool Constants::AllFixed() const {
  if (inputs_are_constant_) return true;
  for (const ir::Node* node : graph_.nodes()) {
    if (node->is_const() && node->attrs().Find(formats::onnx::Private().input_position) != nullptr) return false;
  }
  return true;
}

const ir::Tensor* Constants::Find(ir::Anchor source) const {
  if (!source || !source.node->is_const()) return nullptr;
  const ir::Tensor* value = source.node->const_value();
  if (value == nullptr || source.index != 0) return nullptr;
  const formats::onnx::PrivateAttrs& attrs = formats::onnx::Private();
  const ir::AttrMap& own = source.node->attrs();
  if (own.Find(attrs.elem_type) != nullptr) return nullptr;
  if (!inputs_are_constant_ && own.Find(attrs.input_position) != nullptr) return nullptr;
  int64_t count = value->desc.shape.unknown_rank() ? -1 : value->desc.shape.NumElements();
  // An empty tensor may have any other dims; those that nobody could allocate are not computed with.
  int64_t extent = 1;
  for (ir::Dim d : value->desc.shape.dims()) {
    if (d > kMaxExtent || (extent *= std::max<int64_t>(d, 1)) > kMaxExtent) return nullptr;
  }
  int bits = ir::BitWidth(value->desc.dtype);
  if (count < 0 || bits == 0 || static_cast<int64_t>(value->data.size()) != ir::ByteSize(value->desc.dtype, count)) {
    return nullptr;
  }
  return value;
}

bool Constants::Ints(const ir::Node& node, uint32_t slot, std::vector<int64_t>* out) const {
  const ir::Tensor* t = Input(node, slot);
  return t != nullptr && ir::ReadIntegers(*t, out);
}

ir::Node* AddConst(ir::Graph& graph, ir::Node* position, std::string_view name, ir::TensorPtr value) {
  const ir::CommonSymbols& c = ir::Common();
  ir::Node* node = graph.InsertNodeAfter(position, c.Const, name, 0, 1);
  graph.InitOutput(node, 0, value->desc, "", false);
  graph.NewNodeAttrs(node).Set(c.value, std::move(value));
  return node;
}

bool IsPlain(const ir::Node& node) {
  return node.control_inputs().empty() && node.control_outputs().empty() && node.subgraphs().empty();
}

bool IsDead(const ir::Node& node) {
  if (node.is_data() || node.is_net_output() || node.has_uses() || node.num_outputs() == 0) return false;
  const formats::onnx::PrivateAttrs& attrs = formats::onnx::Private();
  for (ir::Symbol keep : {attrs.unused, attrs.input_position, attrs.sparse}) {
    if (node.attrs().Find(keep) != nullptr) return false;
  }
  return IsPlain(node) && !HasEffects(node.type());
}

void RemoveIfUnusedConst(ir::Graph& graph, ir::Node* node) {
  if (node->is_const() && IsDead(*node)) graph.RemoveNode(node);
}

void RemoveDead(ir::Graph& graph, ir::Node* node) {
  std::vector<ir::Node*> dead{node};
  while (!dead.empty()) {
    ir::Node* next = dead.back();
    dead.pop_back();
    std::vector<ir::Node*> fed_by;
    for (uint32_t i = 0; i < next->num_inputs(); ++i) {
      if (next->input(i)) fed_by.push_back(next->input(i).node);
    }
    graph.RemoveNode(next);
    for (ir::Node* source : fed_by) {
      if (source->graph() != &graph) continue;  // it was listed twice
      if (source->is_const()) {
        RemoveIfUnusedConst(graph, source);
      } else if (std::find(dead.begin(), dead.end(), source) == dead.end() && IsDead(*source)) {
        dead.push_back(source);
      }
    }
  }
}

NamedTensors::NamedTensors(const ir::Graph& graph) {
  if (const ir::Node* out = graph.net_output()) {
    for (uint32_t i = 0; i < out->num_inputs(); ++i) {
      if (out->input(i)) named_.insert(Key(out->input(i)));
    }
  }
  ir::Symbol captures = formats::onnx::Private().captures;
  enum Opaque : uint8_t { kUnknown, kNo, kYes };
  std::vector<Opaque> opaque;  // by type
  for (const ir::Node* node : graph.nodes()) {
    uint32_t type = node->type().id();
    if (type >= opaque.size()) opaque.resize(type + 1, kUnknown);
    if (opaque[type] == kUnknown) opaque[type] = node->type().view().find("::") == std::string_view::npos ? kNo : kYes;
    if (opaque[type] == kNo) continue;
    const auto* names = node->attr<std::vector<std::string>>(captures);
    if (names == nullptr || names->size() > node->num_inputs()) continue;
    for (auto i = node->num_inputs() - static_cast<uint32_t>(names->size()); i < node->num_inputs(); ++i) {
      if (node->input(i)) named_.insert(Key(node->input(i)));
    }
  }
}

bool NamedTensors::CanReplace(ir::Anchor from, ir::Anchor to) const {
  if (!IsNamed(from)) return true;
  return !IsNamed(to) && !to.node->is_data() && !to.node->is_const();
}

void NamedTensors::Move(ir::Anchor from, ir::Anchor to) {
  if (named_.erase(Key(from)) != 0) named_.insert(Key(to));
}

void NamedTensors::Replace(ir::Graph& graph, ir::Anchor from, ir::Anchor to) {
  if (IsNamed(from)) {
    std::string name(from.node->tensor_name(from.index));
    graph.SetTensorName(from.node, from.index, "");
    if (!name.empty()) graph.SetTensorName(to.node, to.index, name);
    Move(from, to);
  }
  graph.ReplaceUses(from, to);
}

bool Bypass(ir::Graph& graph, ir::Node* node, ir::Anchor source, NamedTensors& named, PassContext& context) {
  ++context.matches;
  if (!named.CanReplace({node, 0}, source)) return false;
  named.Replace(graph, {node, 0}, source);
  RemoveDead(graph, node);
  return true;
}

}  // namespace ge::fusion::builtin
