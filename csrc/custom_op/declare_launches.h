// Kernel launches that operators with `declare_launch_args` declare while a graph is compiled.
#ifndef GE_CUSTOM_OP_DECLARE_LAUNCHES_H_
#define GE_CUSTOM_OP_DECLARE_LAUNCHES_H_

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::custom_op {

// Asks each custom operator of the graph that declares its launches, and notes them on the node: _custom_task_args_mode (1:
// none, 2: declared), _kernel_names_prefix, and for each launch, behind its prefix _custom_launch_<i>_, the kernel's name,
// binary, block_dim, the arguments as bytes and as args_format; workspaces in _append_ws. Addresses are those of a plan in
// which every tensor has a place of its own. A graph with an unknown shape declares nothing, and its nodes have mode 1.
// Nothing happens to a graph without custom operators.
GE_API Status DeclareLaunches(ir::Graph& graph);

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_DECLARE_LAUNCHES_H_
