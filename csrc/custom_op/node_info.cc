#include "custom_op/node_info.h"

#include "custom_op/precise_float.h"

namespace ge::custom_op {
namespace {

// Instances of the prototype's outputs: dynamic ones share what the others leave over.
std::vector<Instances> OutputInstances(const ir::Node& node, const ops::OpDef& def) {
  uint32_t fixed = 0, dynamic = 0;
  for (const ops::IoDef& output : def.outputs()) ++(output.kind == ops::IoKind::kDynamic ? dynamic : fixed);
  const auto* counts = node.attr<std::vector<int64_t>>(ir::Symbol("_dynamic_output_counts"));
  const uint32_t left = node.num_outputs() > fixed ? node.num_outputs() - fixed : 0;
  std::vector<Instances> instances;
  uint32_t next = 0, seen = 0;
  for (const ops::IoDef& output : def.outputs()) {
    uint32_t count = 1;
    if (output.kind == ops::IoKind::kDynamic) {
      const bool told = counts != nullptr && seen < counts->size();
      count = told ? static_cast<uint32_t>((*counts)[seen]) : (seen + 1 == dynamic ? left : 0);
      ++seen;
    }
    if (next + count > node.num_outputs()) count = node.num_outputs() - next;
    instances.push_back({next, count});
    next += count;
  }
  return instances;
}

int32_t InputNamed(const ops::OpDef& def, ir::Symbol name) {
  for (size_t i = 0; i < def.inputs().size(); ++i) {
    if (def.inputs()[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

}  // namespace

NodeInfo NodeInfo::Of(const ir::Node& node) {
  NodeInfo info;
  info.name = node.name();
  info.type = node.type();
  info.def = ops::FindOp(node.type());
  info.num_outputs = node.num_outputs();
  info.reference_of.assign(node.num_outputs(), -1);
  auto take = [&](ops::SlotRange slots) {
    Instances instances{info.num_inputs, 0};
    for (uint32_t slot = slots.first; slot < slots.first + slots.count && slot < node.num_inputs(); ++slot) {
      if (!node.input(slot)) continue;
      info.input_slots.push_back(slot);
      ++instances.count;
    }
    info.num_inputs += instances.count;
    info.inputs.push_back(instances);
  };
  if (info.def == nullptr) {
    for (uint32_t slot = 0; slot < node.num_inputs(); ++slot) take({slot, 1});
    for (uint32_t i = 0; i < node.num_outputs(); ++i) info.outputs.push_back({i, 1});
    return info;
  }
  const ops::OpDef& def = *info.def;
  for (size_t i = 0; i < def.inputs().size(); ++i) take(ops::InputSlots(node, def, i));
  info.outputs = OutputInstances(node, def);
  for (size_t i = 0; i < def.outputs().size(); ++i) {
    const int32_t input = InputNamed(def, def.outputs()[i].name);
    for (uint32_t k = 0; k < info.outputs[i].count; ++k) info.reference_of[info.outputs[i].first + k] = input;
  }
  for (const ops::AttrDef& attr : def.attrs()) {
    const ir::AttrValue* value = node.attrs().Find(attr.name);
    if (value == nullptr && !attr.required) value = &attr.default_value;
    info.attrs.push_back(value);
    const bool is_float = attr.type == ops::AttrType::kFloat || attr.type == ops::AttrType::kListFloat;
    info.precise_attrs.push_back(is_float ? node.attrs().Find(PreciseName(attr.name)) : nullptr);
  }
  return info;
}

gert::Tensor ConstTensor(const ir::TensorPtr& value) {
  gert::Tensor tensor;
  tensor.shape.origin = tensor.shape.storage = gert::Shape(value->desc.shape.dims());
  tensor.format.origin = value->desc.origin_format;
  tensor.format.storage = value->desc.format;
  tensor.dtype = value->desc.dtype;
  tensor.allocated = true;
  tensor.size = value->data.size();
  tensor.addr = const_cast<uint8_t*>(value->data.data());
  tensor.owner = std::const_pointer_cast<void>(std::static_pointer_cast<const void>(value));
  return tensor;
}

}  // namespace ge::custom_op
