// The parts of ge.graph.Graph that have a file of their own.
#ifndef GE_ABI3_BRIDGE_NATIVE_GRAPH_PARTS_H_
#define GE_ABI3_BRIDGE_NATIVE_GRAPH_PARTS_H_

#include <nanobind/nanobind.h>

#include "abi3_bridge/handles.h"

namespace ge::bridge {

void BindGraphSubgraphs(nanobind::class_<PyGraph>& c);
void BindGraphDump(nanobind::class_<PyGraph>& c);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_GRAPH_PARTS_H_
