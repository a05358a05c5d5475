// --out_nodes: other outputs for a graph.
#ifndef GE_COMPILER_GRAPH_OUTPUTS_H_
#define GE_COMPILER_GRAPH_OUTPUTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace ge::compiler {

struct ChosenOutput {
  ir::Anchor source;
  std::string name;    // of the graph output: the tensor's own, else "node:index"
  std::string node;    // as typed
  int64_t index = -1;  // -1: chosen by the tensor's name
};

// "node:0;node:1;other:0", or names of tensors "out1;out2". Codes E10001, E10003, E10013, E10014, E10016.
Result<std::vector<ChosenOutput>> FindOutputs(std::string_view text, const ir::Graph& graph);

// Makes these the outputs, in this order, and removes what none of them needs. Inputs stay.
void SetOutputs(ir::Graph& graph, const std::vector<ChosenOutput>& outputs);

}  // namespace ge::compiler

#endif  // GE_COMPILER_GRAPH_OUTPUTS_H_
