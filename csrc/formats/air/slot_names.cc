#include "formats/air/slot_names.h"

#include <algorithm>

#include "base/strings.h"

namespace ge::formats::air {

std::vector<std::string> InputSlotNames(const ir::Node& node, const ops::OpDef& def) {
  std::vector<std::string> out(node.num_inputs());
  for (uint32_t i = 0; i < node.num_inputs(); ++i) out[i] = ops::InputSlotName(node, def, i);
  return out;
}

std::vector<std::string> OutputSlotNames(const ir::Node& node, const ops::OpDef& def) {
  std::vector<std::string> out;
  size_t declared = def.outputs().size();
  auto dynamic =
      static_cast<size_t>(std::count_if(def.outputs().begin(), def.outputs().end(),
                                        [](const ops::IoDef& io) { return io.kind == ops::IoKind::kDynamic; }));
  // With several dynamic outputs nothing tells where one ends.
  for (const ops::IoDef& io : def.outputs()) {
    if (dynamic > 1) break;
    if (io.kind != ops::IoKind::kDynamic) {
      out.emplace_back(io.name.view());
      continue;
    }
    size_t n = node.num_outputs() + 1 >= declared ? node.num_outputs() + 1 - declared : 0;
    for (size_t k = 0; k < n; ++k) out.push_back(StrCat(io.name.view(), k));
  }
  out.resize(node.num_outputs());
  return out;
}

std::string SubgraphSlotName(const ops::OpDef* def, size_t i, size_t count) {
  if (def == nullptr) return {};
  const auto& slots = def->subgraphs();
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s].kind == ops::SubgraphKind::kDynamic) {
      size_t after = slots.size() - s - 1;
      size_t n = count >= s + after ? count - s - after : 0;
      if (i < s + n) return StrCat(slots[s].name.view(), i - s);
      return i - n + 1 < slots.size() ? std::string(slots[i - n + 1].name.view()) : std::string();
    }
    if (s == i) return std::string(slots[s].name.view());
  }
  return {};
}

bool HasDeclaredSlots(const ir::Node& node) {
  const ops::OpDef* def = ops::FindOp(node.type());
  auto refs = node.subgraphs();
  for (size_t i = 0; i < refs.size(); ++i) {
    if (refs[i].name != SubgraphSlotName(def, i, refs.size())) return false;
  }
  return true;
}

int64_t ParentInputIndex(const ir::Node& data) {
  const int64_t* index = data.attr<int64_t>(ir::Common().index);
  const ir::Node* owner = data.graph()->parent_node();
  const ops::OpDef* def = owner != nullptr ? ops::FindOp(owner->type()) : nullptr;
  // What goes into the subgraph comes after what chooses it.
  int64_t first = 0;
  for (size_t i = 0; def != nullptr && i < def->inputs().size(); ++i) {
    if (def->inputs()[i].kind == ops::IoKind::kDynamic) first = ops::InputSlots(*owner, *def, i).first;
  }
  return first + (index != nullptr ? *index : 0);
}

}  // namespace ge::formats::air
