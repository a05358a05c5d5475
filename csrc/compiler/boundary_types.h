// --output_type and --input_fp16_nodes: other element types at the inputs and outputs of a graph, by Cast nodes.
#ifndef GE_COMPILER_BOUNDARY_TYPES_H_
#define GE_COMPILER_BOUNDARY_TYPES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/graph_outputs.h"
#include "ir/graph.h"

namespace ge::compiler {

// Graph outputs, by number, and what they are to become.
using OutputTypes = std::vector<std::pair<uint32_t, ir::DataType>>;

// "FP16", or "node:0:FP16;node2:1:FP32" with outputs that --out_nodes chose. Code E10001.
Result<OutputTypes> ParseOutputType(std::string_view text, const std::vector<ChosenOutput>& chosen,
                                    const ir::Graph& graph);
// Casts the outputs; notes the type on what made them, as GE does.
Status CastOutputs(ir::Graph& graph, const OutputTypes& types);

// The Data nodes named in "n1;n2". Codes E10001, E10016, E10017.
Result<std::vector<ir::Node*>> FindFp16Inputs(std::string_view text, const ir::Graph& graph);
// Makes them take half floats, which are cast to the type that they had. Nodes that have left the graph are passed
// over.
void TakeFp16(ir::Graph& graph, const std::vector<ir::Node*>& inputs);

}  // namespace ge::compiler

#endif  // GE_COMPILER_BOUNDARY_TYPES_H_
