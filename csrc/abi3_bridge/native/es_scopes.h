// attr_scope and control_dependency_scope: what every node made on this thread gets while a scope is open.
#ifndef GE_ABI3_BRIDGE_NATIVE_ES_SCOPES_H_
#define GE_ABI3_BRIDGE_NATIVE_ES_SCOPES_H_

#include <nanobind/nanobind.h>

#include "ir/graph.h"

namespace ge::bridge {

// To be called before a node is made, so that a scope that cannot be applied leaves none behind: RuntimeError when a tensor
// of the dependency scope lies in another graph; ValueError for attribute values without a stored form.
void CheckOpenScopes(const ir::Graph* graph);
void ApplyOpenScopes(ir::Node* node);

void BindEsScopes(nanobind::module_& m);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_ES_SCOPES_H_
