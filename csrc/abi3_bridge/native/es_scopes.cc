#include "abi3_bridge/native/es_scopes.h"

#include <memory>
#include <vector>

#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_builder.h"

namespace ge::bridge {
namespace {

struct Scopes {
  // One entry a scope, outermost first. Values stay Python objects: they are converted, and refused, at each node.
  std::vector<nb::dict> attrs;
  std::vector<nb::list> dependencies;
  bool empty() const { return attrs.empty() && dependencies.empty(); }
};

// Exists only while a scope is open, so that no Python object is left for the end of a thread.
thread_local std::unique_ptr<Scopes> open_scopes;

Scopes& Open() {
  if (!open_scopes) open_scopes = std::make_unique<Scopes>();
  return *open_scopes;
}

template <typename T>
void Pop(std::vector<T> Scopes::*which) {
  if (open_scopes && !((*open_scopes).*which).empty()) ((*open_scopes).*which).pop_back();
  if (open_scopes && open_scopes->empty()) open_scopes.reset();
}

// Calls fn(name, value) for every attribute. Later scopes come after earlier ones, so that the inner value wins.
template <typename Fn>
void ForEachAttr(const Scopes& scopes, Fn fn) {
  for (const nb::dict& attrs : scopes.attrs) {
    for (auto [key, value] : attrs) {
      std::string_view name = TextOrRaise(key, "Attribute key must be a string");
      if (name.empty()) RaiseRuntimeError("failed to set an attribute of an attr_scope: the name is empty");
      fn(ir::Symbol(name), AttrFromPython(value));
    }
  }
}

// Calls fn(node) for the producer of every tensor, the outer scope's first.
template <typename Fn>
void ForEachSource(const Scopes& scopes, const ir::Graph* graph, Fn fn) {
  for (const nb::list& tensors : scopes.dependencies) {
    for (nb::handle h : tensors) {
      TensorHolder* holder = HolderOf(h);
      if (holder == nullptr) {
        RaiseTypeError(StrCat("tensors of a control_dependency_scope must be TensorHolder objects, found '",
                              Shown(h.type()), "'"));
      }
      ir::Node* source = holder->anchor.node;
      if (source->graph() != graph) {
        RaiseRuntimeError(StrCat("failed to make a node of graph '", graph->name(), "' depend on '", source->name(),
                                 "': expected a tensor of the same GraphBuilder; close the control_dependency_scope "
                                 "before using another builder"));
      }
      fn(source);
    }
  }
}

}  // namespace

void CheckOpenScopes(const ir::Graph* graph) {
  if (!open_scopes) return;
  ForEachAttr(*open_scopes, [](ir::Symbol, const ir::AttrValue&) {});
  ForEachSource(*open_scopes, graph, [](ir::Node*) {});
}

void ApplyOpenScopes(ir::Node* node) {
  if (!open_scopes) return;
  ir::Graph* graph = node->graph();
  ForEachAttr(*open_scopes, [&](ir::Symbol name, ir::AttrValue value) { graph->SetAttr(node, name, std::move(value)); });
  ForEachSource(*open_scopes, graph, [&](ir::Node* source) {
    if (source != node) graph->AddControlEdge(source, node);
  });
}

void BindEsScopes(nb::module_& m) {
  m.def("push_attr_scope", [](nb::dict attrs) { Open().attrs.push_back(std::move(attrs)); });
  m.def("pop_attr_scope", [] { Pop(&Scopes::attrs); });
  m.def("push_dependency_scope", [](nb::list tensors) { Open().dependencies.push_back(std::move(tensors)); });
  m.def("pop_dependency_scope", [] { Pop(&Scopes::dependencies); });
}

}  // namespace ge::bridge
