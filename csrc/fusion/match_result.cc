#include <algorithm>

#include "base/strings.h"
#include "fusion/compiled_pattern.h"
#include "fusion/matcher.h"

namespace ge::fusion {

std::vector<ir::Node*> MatchResult::MatchedNodes() const {
  std::vector<ir::Node*> nodes;
  for (uint16_t number : compiled_->inner_order) nodes.push_back(bound_[number].node);
  std::sort(nodes.begin(), nodes.end(), [](ir::Node* a, ir::Node* b) { return a->order() < b->order(); });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Result<ir::Anchor> MatchResult::CapturedTensor(size_t index) const {
  const std::vector<NumberedAnchor>& captures = compiled_->captures;
  if (index >= captures.size()) {
    return Status::Error(StrCat("there is no captured tensor ", index, ": pattern '", pattern_->graph().name(),
                                "' captures ", captures.size(), "; capture it with capture_tensor first"));
  }
  NumberedAnchor capture = captures[index];
  std::string what = StrCat("captured tensor ", index, " of pattern '", pattern_->graph().name(), "' ");
  if (capture.number < 0) {
    return Status::Error(StrCat(what, "was not filled: no output of the pattern depends on it"));
  }
  ir::Anchor bound = bound_[capture.number];
  if (compiled_->nodes[capture.number].role == Role::kWildcard) return bound;
  if (capture.index >= bound.node->num_outputs()) {
    return Status::Error(StrCat(what, "was not filled: node '", bound.node->name(), "' has no output ", capture.index));
  }
  return ir::Anchor{bound.node, capture.index};
}

ir::Node* MatchResult::MatchedNode(const ir::Node* pattern_node) const {
  int number = compiled_->NumberOf(pattern_node);
  return number < 0 ? nullptr : bound_[number].node;
}

Result<SubgraphBoundary> MatchResult::ToBoundary() const {
  SubgraphBoundary boundary;
  for (uint16_t w : compiled_->wildcards) {
    std::vector<NodeSlot> slots;
    for (const Step& s : compiled_->steps) {
      if (s.kind == Step::Kind::kBack && s.node == w) slots.push_back({bound_[s.from].node, GraphSlot(bound_[s.from], s.slot)});
      if (s.kind == Step::Kind::kForward && s.from == w) slots.push_back({bound_[s.node].node, GraphSlot(bound_[s.node], s.slot)});
    }
    // A forward step's edge is met again on the way back from its node.
    std::sort(slots.begin(), slots.end(), [](const NodeSlot& a, const NodeSlot& b) {
      return std::make_pair(a.node->order(), a.slot) < std::make_pair(b.node->order(), b.slot);
    });
    slots.erase(std::unique(slots.begin(), slots.end(),
                            [](const NodeSlot& a, const NodeSlot& b) { return a.node == b.node && a.slot == b.slot; }),
                slots.end());
    GE_RETURN_IF_ERROR(boundary.AddInput(compiled_->nodes[w].data_index, SubgraphInput(std::move(slots))));
  }
  for (size_t i = 0; i < compiled_->outputs.size(); ++i) {
    NumberedAnchor out = compiled_->outputs[i];
    ir::Anchor anchor{bound_[out.number].node, out.index};
    if (anchor.index >= anchor.node->num_outputs()) {
      return Status::Error(StrCat("output ", i, " of pattern '", pattern_->graph().name(), "': node '",
                                  anchor.node->name(), "' has no output ", anchor.index));
    }
    GE_RETURN_IF_ERROR(boundary.AddOutput(static_cast<int64_t>(i), SubgraphOutput(anchor)));
  }
  return boundary;
}

std::string MatchResult::ToString() const {
  std::string text = pattern_->graph().name();
  for (uint16_t number : compiled_->inner_order) {
    text += StrCat(" (", compiled_->nodes[number].type.view(), ":", bound_[number].node->name(), ")");
  }
  return text;
}

}  // namespace ge::fusion
