#include <utility>
#include <vector>

#include "base/strings.h"
#include "fusion/rewriter.h"
#include "ops/infer.h"

namespace ge::fusion {

Status InferReplacement(ir::Graph& replacement, const SubgraphBoundary& boundary) {
  const ir::CommonSymbols& c = ir::Common();
  std::string what = StrCat("shapes of replacement '", replacement.name(), "'");
  if (replacement.num_nodes() == 0) return Status::Error(StrCat(what, ": the graph has no nodes"));
  std::vector<ir::Anchor> sources;
  for (const auto& [index, input] : boundary.inputs()) {
    ir::Anchor source;
    if (!input.slots().empty()) {
      const NodeSlot& slot = input.slots().front();
      if (slot.node != nullptr && slot.slot < slot.node->num_inputs()) source = slot.node->input(slot.slot);
    }
    if (!source) return Status::Error(StrCat(what, ": boundary input ", index, " has no producer to take a shape from"));
    sources.push_back(source);
  }
  std::vector<ir::Node*> data = replacement.InputNodes();
  for (const ir::Node* n : data) {
    const int64_t* index = n->attr<int64_t>(c.index);
    if (index == nullptr || *index < 0 || static_cast<size_t>(*index) >= sources.size()) {
      return Status::Error(StrCat(what, ": Data node '", n->name(), "' has ",
                                  index ? StrCat("index ", *index) : std::string("no index"), ", expected one below ",
                                  sources.size(), ", the number of boundary inputs"));
    }
  }
  std::vector<std::pair<ir::Node*, ir::Symbol>> stand_ins;
  for (ir::Node* n : data) {
    ir::Anchor source = sources[static_cast<size_t>(*n->attr<int64_t>(c.index))];
    const ir::TensorDesc& desc = source.node->output_desc(source.index);
    if (n->num_outputs() > 0) replacement.SetOutputDesc(n, 0, desc);
    if (n->num_inputs() > 0) replacement.SetInputDesc(n, 0, desc);
    const ir::TensorPtr* value = source.node->is_const() ? source.node->attr<ir::TensorPtr>(c.value) : nullptr;
    if (value == nullptr || *value == nullptr || n->num_outputs() == 0) continue;
    // It stands as the constant itself while shapes are inferred, so that operators that need its value see it.
    stand_ins.emplace_back(n, n->type());
    replacement.SetAttr(n, c.value, *value);
    replacement.SetType(n, c.Const);
  }
  Status status = ops::InferShapes(replacement);
  for (auto [n, type] : stand_ins) {
    replacement.SetType(n, type);
    replacement.EraseAttr(n, c.value);
  }
  return status.WithContext(what);
}

}  // namespace ge::fusion
