// Outputs of a model that declares none.
#ifndef GE_COMPILER_LEAF_OUTPUTS_H_
#define GE_COMPILER_LEAF_OUTPUTS_H_

#include "ir/graph.h"

namespace ge::compiler {

// Without a NetOutput the graph gets one: its inputs are what the operators give out that nobody consumes anything of.
void AddLeafOutputs(ir::Graph& graph);

}  // namespace ge::compiler

#endif  // GE_COMPILER_LEAF_OUTPUTS_H_
