#include "fusion/rewrite_site.h"

#include <algorithm>

#include "base/strings.h"
#include "fusion/compiled_pattern.h"

namespace ge::fusion {

// Lets the rewriter see what a match has bound.
class RewriteAccess {
 public:
  static const CompiledPattern& compiled(const MatchResult& match) { return *match.compiled_; }
  static const std::vector<ir::Anchor>& bound(const MatchResult& match) { return match.bound_; }
};

namespace {
bool HasControlEdges(const std::vector<ir::Node*>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const ir::Node* n) {
    return !n->control_inputs().empty() || !n->control_outputs().empty();
  });
}
}  // namespace

void RewriteSite::Clear() {
  graph = nullptr;
  inputs.clear();
  outputs.clear();
  inner.clear();
  inner_set.Clear();
  stops_.Clear();
  convex = false;
}

void RewriteSite::FromMatch(const MatchResult& match) {
  Clear();
  const CompiledPattern& pattern = RewriteAccess::compiled(match);
  const std::vector<ir::Anchor>& bound = RewriteAccess::bound(match);
  for (uint16_t w : pattern.wildcards) inputs.push_back(bound[w]);
  for (NumberedAnchor out : pattern.outputs) outputs.push_back({bound[out.number].node, out.index});
  graph = outputs.front().node->graph();
  for (uint16_t number : pattern.inner_order) {
    ir::Node* node = bound[number].node;
    // What also stands for a wildcard stays, as an input.
    bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](ir::Anchor a) { return a.node == node; });
    if (!is_input && inner_set.Insert(node)) inner.push_back(node);
  }
  convex = pattern.single_owner && !HasControlEdges(inner);
}

const std::vector<ir::Node*>& RewriteSite::FusedNodes() {
  fused_.clear();
  auto is_owner = [&](const ir::Node* n) {
    return std::any_of(outputs.begin(), outputs.end(), [&](ir::Anchor a) { return a.node == n; });
  };
  for (ir::Node* n : inner) {
    if (!n->is_const() || is_owner(n)) fused_.push_back(n);
  }
  for (ir::Anchor a : outputs) {
    if (!inner_set.Contains(a.node)) fused_.push_back(a.node);
  }
  return fused_;
}

Status RewriteSite::FromBoundary(const SubgraphBoundary& boundary) {
  Clear();
  GE_RETURN_IF_ERROR(TakeOutputs(boundary));
  GE_RETURN_IF_ERROR(TakeInputs(boundary));
  return Enclose(boundary);
}

Status RewriteSite::TakeOutputs(const SubgraphBoundary& boundary) {
  if (boundary.outputs().empty()) {
    return Status::Error("the boundary has no outputs; add an output for every tensor that others use");
  }
  for (const auto& [index, output] : boundary.outputs()) {
    ir::Anchor anchor = output.anchor();
    if (!anchor) return Status::Error(StrCat("boundary output ", index, " is not set; set it to a node's output"));
    if (anchor.node->graph() == nullptr) {
      return Status::Error(StrCat("node '", anchor.node->name(), "' of boundary output ", index, " has been removed"));
    }
    if (anchor.index >= anchor.node->num_outputs()) {
      return Status::Error(StrCat("node '", anchor.node->name(), "' of boundary output ", index, " has no output ",
                                  anchor.index, ", it has ", anchor.node->num_outputs()));
    }
    if (graph == nullptr) graph = anchor.node->graph();
    if (anchor.node->graph() != graph) {
      return Status::Error(StrCat("node '", anchor.node->name(), "' of boundary output ", index,
                                  " is not in same graph with others: it is in '", anchor.node->graph()->name(),
                                  "', they are in '", graph->name(), "'"));
    }
    outputs.push_back(anchor);
  }
  return Status::Ok();
}

Status RewriteSite::TakeInputs(const SubgraphBoundary& boundary) {
  for (const auto& [index, input] : boundary.inputs()) {
    ir::Anchor source;
    for (const NodeSlot& slot : input.slots()) {
      SubgraphInput check;
      if (Status s = check.Add(slot); !s.ok()) return s.WithContext(StrCat("boundary input ", index));
      ir::Anchor a = slot.node->input(slot.slot);
      if (source && a != source) {
        return Status::Error(StrCat("boundary input ", index, " has slots of different producers, '",
                                    source.node->name(), "' and '", a.node->name(), "'; make two inputs of them"));
      }
      source = a;
    }
    if (!source) return Status::Error(StrCat("boundary input ", index, " is empty; add the slots it feeds"));
    if (source.node->graph() != graph) {
      return Status::Error(StrCat("boundary input ", index, ", fed by '", source.node->name(),
                                  "', is not in same graph with others"));
    }
    inputs.push_back(source);
    stops_.Insert(source.node);
  }
  return Status::Ok();
}

Status RewriteSite::Enclose(const SubgraphBoundary& boundary) {
  NodeSet owners;
  auto take = [&](ir::Node* n) {
    if (!stops_.Contains(n) && inner_set.Insert(n)) inner.push_back(n);
  };
  for (ir::Anchor a : outputs) {
    owners.Insert(a.node);
    take(a.node);
  }
  for (size_t head = 0; head < inner.size(); ++head) {
    ir::Node* n = inner[head];
    if (n->is_data()) {
      return Status::Error(StrCat("Boundary is not self contained: graph input '", n->name(),
                                  "' feeds it without being one of its inputs; add a boundary input for it"));
    }
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      if (ir::Anchor source = n->input(i)) take(source.node);
    }
  }
  for (const ir::Node* n : inner) {
    if (owners.Contains(n) || n->is_const()) continue;  // a constant that others use stays for them
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      for (ir::InputSlot& use : n->uses(i)) {
        if (inner_set.Contains(use.node())) continue;
        return Status::Error(StrCat("Boundary is not self contained: node '", n->name(), "' inside it also feeds '",
                                    use.node()->name(), "' outside; make output ", i,
                                    " a boundary output or choose a smaller part"));
      }
    }
  }
  bool inputs_inside = std::all_of(boundary.inputs().begin(), boundary.inputs().end(), [&](const auto& entry) {
    return inner_set.Contains(entry.second.slots().front().node);
  });
  convex = owners.size() == 1 && inputs_inside && !HasControlEdges(inner);
  return Status::Ok();
}

}  // namespace ge::fusion
