#include "fusion/boundary.h"

#include "base/strings.h"

namespace ge::fusion {

Status SubgraphInput::Add(NodeSlot slot) {
  if (slot.node == nullptr || slot.slot >= slot.node->num_inputs()) {
    return Status::Error(slot.node == nullptr
                             ? std::string("a boundary input needs a node, found none; pass a node of the graph")
                             : StrCat("node '", slot.node->name(), "' has no in_data_anchor ", slot.slot, ", it has ",
                                      slot.node->num_inputs(), " inputs; pass the number of an input slot"));
  }
  ir::Anchor source = slot.node->input(slot.slot);
  if (!source) {
    return Status::Error(StrCat("input ", slot.slot, " of node '", slot.node->name(),
                                "' has no peer producer; a boundary input must be connected"));
  }
  if (!slots_.empty()) {
    ir::Anchor first = slots_.front().node->input(slots_.front().slot);
    if (first != source) {
      return Status::Error(StrCat("the slots of one boundary input must share a producer, expected output ", first.index,
                                  " of '", first.node ? first.node->name() : "", "', found output ", source.index,
                                  " of '", source.node->name(), "'; use a second boundary input"));
    }
  }
  slots_.push_back(slot);
  return Status::Ok();
}

Status SubgraphOutput::Set(ir::Anchor anchor) {
  if (anchor_) return Status::Error(StrCat("this boundary output is already set to node '", anchor_.node->name(), "'"));
  if (!anchor) return Status::Error("a boundary output needs a node, found none; pass a node of the graph");
  if (anchor.index >= anchor.node->num_outputs()) {
    return Status::Error(StrCat("node '", anchor.node->name(), "' has no output ", anchor.index, ", it has ",
                                anchor.node->num_outputs()));
  }
  anchor_ = anchor;
  return Status::Ok();
}

Status SubgraphBoundary::AddInput(int64_t index, SubgraphInput input) {
  if (!inputs_.emplace(index, std::move(input)).second) {
    return Status::Error(StrCat("the boundary already has an input ", index, "; the first one stays"));
  }
  return Status::Ok();
}

Status SubgraphBoundary::AddOutput(int64_t index, SubgraphOutput output) {
  if (!outputs_.emplace(index, std::move(output)).second) {
    return Status::Error(StrCat("the boundary already has an output ", index, "; the first one stays"));
  }
  return Status::Ok();
}

SubgraphBoundary BoundaryOfNode(ir::Node* node) {
  SubgraphBoundary boundary;
  std::vector<ir::Anchor> sources;
  std::vector<std::vector<NodeSlot>> slots;
  for (uint32_t i = 0; i < node->num_inputs(); ++i) {
    ir::Anchor source = node->input(i);
    if (!source) continue;
    size_t at = 0;
    while (at < sources.size() && sources[at] != source) ++at;
    if (at == sources.size()) {
      sources.push_back(source);
      slots.emplace_back();
    }
    slots[at].push_back({node, i});
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    (void)boundary.AddInput(static_cast<int64_t>(i), SubgraphInput(std::move(slots[i])));
  }
  for (uint32_t i = 0; i < node->num_outputs(); ++i) {
    (void)boundary.AddOutput(i, SubgraphOutput({node, i}));
  }
  return boundary;
}

}  // namespace ge::fusion
