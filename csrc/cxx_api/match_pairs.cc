#include "cxx_api/match_pairs.h"

#include <algorithm>

#include "base/strings.h"

namespace ge::cxx_api {

Status MatchPairs::Append(ir::Anchor pattern_node, ir::Anchor target_node) {
  if (!pattern_node || !target_node) {
    return Status::Error("a pair of a match needs a node of the pattern and one of the graph; one of them is empty");
  }
  ir::Anchor bound = Bound(pattern_node.node);
  if (bound && bound.node != target_node.node) {
    return Status::Error(StrCat("pattern node '", pattern_node.node->name(), "' stands for '", bound.node->name(),
                                "' already, found '", target_node.node->name(), "'"));
  }
  if (!bound) pairs_.emplace_back(pattern_node, target_node);
  return Status::Ok();
}

ir::Anchor MatchPairs::Bound(const ir::Node* pattern_node) const {
  for (const auto& [pattern, target] : pairs_) {
    if (pattern.node == pattern_node) return target;
  }
  return {};
}

std::vector<ir::Node*> MatchPairs::Nodes() const {
  std::vector<ir::Node*> nodes;
  for (const auto& [pattern, target] : pairs_) {
    if (!pattern.node->is_data()) nodes.push_back(target.node);
  }
  std::sort(nodes.begin(), nodes.end(), [](ir::Node* a, ir::Node* b) { return a->order() < b->order(); });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Result<fusion::SubgraphBoundary> MatchPairs::ToBoundary(const fusion::Pattern& pattern) const {
  fusion::SubgraphBoundary boundary;
  for (const ir::Node* data : pattern.graph().InputNodes()) {
    const int64_t* index = data->attr<int64_t>(ir::Common().index);
    std::vector<fusion::NodeSlot> slots;
    for (uint32_t i = 0; i < data->num_outputs(); ++i) {
      for (const ir::InputSlot& use : data->uses(i)) {
        ir::Anchor inner = Bound(use.node());
        if (inner && !use.node()->is_net_output()) slots.push_back({inner.node, use.index()});
      }
    }
    GE_RETURN_IF_ERROR(boundary.AddInput(index ? *index : 0, fusion::SubgraphInput(std::move(slots))));
  }
  const ir::Node* ends = pattern.graph().net_output();
  for (uint32_t i = 0; ends != nullptr && i < ends->num_inputs(); ++i) {
    ir::Anchor out = ends->input(i);
    ir::Anchor bound = out ? Bound(out.node) : ir::Anchor();
    if (!bound) return Status::Error(StrCat("output ", i, " of pattern '", pattern.graph().name(), "' is in no pair"));
    if (!out.node->is_data()) bound.index = out.index;
    GE_RETURN_IF_ERROR(boundary.AddOutput(i, fusion::SubgraphOutput(bound)));
  }
  return boundary;
}

}  // namespace ge::cxx_api
