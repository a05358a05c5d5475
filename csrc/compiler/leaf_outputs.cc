#include "compiler/leaf_outputs.h"

#include <vector>

namespace ge::compiler {

void AddLeafOutputs(ir::Graph& graph) {
  if (graph.net_output() != nullptr) return;
  std::vector<ir::Anchor> leaves;
  for (ir::Node* n : graph.nodes()) {
    if (n->is_data() || n->is_const() || n->has_uses()) continue;
    for (uint32_t i = 0; i < n->num_outputs(); ++i) leaves.push_back({n, i});
  }
  if (leaves.empty()) return;
  ir::Node* end = graph.AddNode(ir::Common().NetOutput, graph.UniqueName("NetOutput"),
                                static_cast<uint32_t>(leaves.size()), 0);
  for (uint32_t i = 0; i < leaves.size(); ++i) graph.Connect(leaves[i], end, i);
}

}  // namespace ge::compiler
