#include "ops/op_def.h"

#include <algorithm>

#include "base/strings.h"

namespace ge::ops {

OpDef& OpDef::Input(std::string_view name, TypeSet dtypes) {
  inputs_.push_back({ir::Symbol(name), IoKind::kRequired, dtypes});
  return *this;
}

OpDef& OpDef::OptionalInput(std::string_view name, TypeSet dtypes) {
  inputs_.push_back({ir::Symbol(name), IoKind::kOptional, dtypes});
  return *this;
}

OpDef& OpDef::DynamicInput(std::string_view name, TypeSet dtypes) {
  inputs_.push_back({ir::Symbol(name), IoKind::kDynamic, dtypes});
  ++dynamic_inputs_;
  return *this;
}

OpDef& OpDef::Output(std::string_view name, TypeSet dtypes) {
  outputs_.push_back({ir::Symbol(name), IoKind::kRequired, dtypes});
  return *this;
}

OpDef& OpDef::DynamicOutput(std::string_view name, TypeSet dtypes) {
  outputs_.push_back({ir::Symbol(name), IoKind::kDynamic, dtypes});
  ++dynamic_outputs_;
  return *this;
}

OpDef& OpDef::RequiredAttr(std::string_view name, AttrType type) {
  attrs_.push_back({ir::Symbol(name), type, true, {}});
  return *this;
}

OpDef& OpDef::Attr(std::string_view name, AttrType type, ir::AttrValue default_value) {
  attrs_.push_back({ir::Symbol(name), type, false, std::move(default_value)});
  return *this;
}

OpDef& OpDef::IntAttr(std::string_view name, int64_t v) { return Attr(name, AttrType::kInt, v); }
OpDef& OpDef::FloatAttr(std::string_view name, float v) { return Attr(name, AttrType::kFloat, v); }
OpDef& OpDef::BoolAttr(std::string_view name, bool v) { return Attr(name, AttrType::kBool, v); }
OpDef& OpDef::StringAttr(std::string_view name, std::string_view v) {
  return Attr(name, AttrType::kString, std::string(v));
}
OpDef& OpDef::TypeAttr(std::string_view name, ir::DataType v) { return Attr(name, AttrType::kType, v); }
OpDef& OpDef::TensorAttr(std::string_view name) { return Attr(name, AttrType::kTensor, ir::TensorPtr()); }
OpDef& OpDef::IntsAttr(std::string_view name, std::vector<int64_t> v) {
  return Attr(name, AttrType::kListInt, std::move(v));
}
OpDef& OpDef::FloatsAttr(std::string_view name, std::vector<float> v) {
  return Attr(name, AttrType::kListFloat, std::move(v));
}
OpDef& OpDef::BoolsAttr(std::string_view name, std::vector<bool> v) {
  return Attr(name, AttrType::kListBool, std::move(v));
}
OpDef& OpDef::StringsAttr(std::string_view name, std::vector<std::string> v) {
  return Attr(name, AttrType::kListString, std::move(v));
}
OpDef& OpDef::TypesAttr(std::string_view name, std::vector<ir::DataType> v) {
  return Attr(name, AttrType::kListType, std::move(v));
}
OpDef& OpDef::IntListsAttr(std::string_view name, std::vector<std::vector<int64_t>> v) {
  return Attr(name, AttrType::kListListInt, std::move(v));
}

OpDef& OpDef::Subgraph(std::string_view name, SubgraphKind kind) {
  subgraphs_.push_back({ir::Symbol(name), kind});
  return *this;
}

OpDef& OpDef::Commutative() {
  commutative_ = true;
  return *this;
}

OpDef& OpDef::MovesDims() {
  moves_dims_ = true;
  return *this;
}

OpDef& OpDef::Infer(InferFn fn) {
  infer_ = fn;
  return *this;
}

const AttrDef* OpDef::FindAttr(ir::Symbol name) const {
  for (const AttrDef& a : attrs_) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

namespace {

// Number of slots of each IR input; the slots before a dynamic one are found by summing.
uint32_t SlotCount(const ir::Node& node, const OpDef& def, size_t input, uint32_t dynamic_before) {
  if (def.inputs()[input].kind != IoKind::kDynamic) return 1;
  static const ir::Symbol counts_name("_dynamic_input_counts");
  const auto* counts = node.attr<std::vector<int64_t>>(counts_name);
  if (counts != nullptr && dynamic_before < counts->size()) {
    return static_cast<uint32_t>(std::max<int64_t>(0, (*counts)[dynamic_before]));
  }
  // Without counts the first dynamic input takes what the fixed ones leave.
  uint32_t fixed = 0;
  for (const IoDef& io : def.inputs()) fixed += io.kind != IoKind::kDynamic;
  return dynamic_before == 0 && node.num_inputs() > fixed ? node.num_inputs() - fixed : 0;
}

}  // namespace

SlotRange InputSlots(const ir::Node& node, const OpDef& def, size_t input) {
  if (input >= def.inputs().size()) return {node.num_inputs(), 0};
  uint64_t first = input;
  uint32_t count = 1;
  if (def.has_dynamic_input()) {
    first = 0;
    uint32_t dynamic = 0;
    for (size_t i = 0; i < input; ++i) {
      first += SlotCount(node, def, i, dynamic);
      dynamic += def.inputs()[i].kind == IoKind::kDynamic;
    }
    count = SlotCount(node, def, input, dynamic);
  }
  // Trailing slots may be missing, and counts may promise more than there is.
  uint64_t end = std::min<uint64_t>(first + count, node.num_inputs());
  first = std::min<uint64_t>(first, node.num_inputs());
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(end - first)};
}

std::string InputSlotName(const ir::Node& node, const OpDef& def, uint32_t slot) {
  for (size_t i = 0; i < def.inputs().size(); ++i) {
    SlotRange r = InputSlots(node, def, i);
    if (slot < r.first || slot >= r.first + r.count) continue;
    std::string name(def.inputs()[i].name.view());
    return def.inputs()[i].kind == IoKind::kDynamic ? StrCat(name, slot - r.first) : name;
  }
  return "";
}

}  // namespace ge::ops
