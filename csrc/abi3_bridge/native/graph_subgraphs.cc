// Graph: its subgraphs.
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/graph_parts.h"

namespace ge::bridge {
namespace {

constexpr const char* kName = "name must be a string";

// A handle onto a subgraph. It shares ownership, so that it stays usable when the subgraph is taken off its root; of a
// borrowed graph it expires with the session.
nb::object SubgraphHandle(const PyGraph& self, const ir::GraphPtr& graph) {
  return nb::cast(PyGraph{graph, graph.get(), self.token});
}

// A subgraph answers for the whole tree it hangs in when asked by name, for what lies below it when asked for all.
nb::object FindSubgraph(const PyGraph& self, nb::handle name) {
  std::string_view text = TextOrRaise(name, kName);
  const ir::Graph& g = Live(self);
  for (const auto* list : {&g.subgraphs(), &g.linked()}) {
    for (const ir::GraphPtr& sub : *list) {
      if (sub->name() == text) return SubgraphHandle(self, sub);
    }
  }
  return nb::none();
}

nb::object AllSubgraphs(const PyGraph& self) {
  ir::Graph& g = Live(self);
  std::vector<ir::GraphPtr> found;
  if (g.root() == &g) {
    found = g.subgraphs();
    found.insert(found.end(), g.linked().begin(), g.linked().end());
  }
  nb::list out;
  for (const ir::GraphPtr& sub : found) out.append(SubgraphHandle(self, sub));
  return out;
}

// The graph stays where the operator that uses it is; this one comes to know it by name.
void AddSubgraph(const PyGraph& self, nb::handle subgraph) {
  PyGraph* sub = As<PyGraph>(subgraph);
  if (sub == nullptr) RaiseTypeError("subgraph must be a Graph");
  ir::Graph& g = Live(self);
  ir::Graph& s = Live(*sub);
  std::string failed = StrCat("Failed to add subgraph '", s.name(), "' to graph '", g.name(), "'");
  if (s.parent_node() == nullptr) {
    RaiseRuntimeError(StrCat(failed, ": expected a graph that an operator uses as its subgraph; build that first"));
  }
  if (sub->owned == nullptr) RaiseRuntimeError(StrCat(failed, ": it is borrowed from the compiler"));
  Status status = g.LinkSubgraph(sub->owned);
  if (!status.ok()) RaiseRuntimeError(StrCat(failed, ": ", status.message()));
}

void RemoveSubgraph(const PyGraph& self, nb::handle name) {
  std::string text(TextOrRaise(name, kName));
  ir::Graph& g = Live(self);
  // The graph itself may be what goes.
  ir::GraphPtr keep = g.root()->shared_from_this();
  if (!g.UnlinkSubgraph(text)) g.RemoveSubgraph(text);
}

}  // namespace

void BindGraphSubgraphs(nb::class_<PyGraph>& c) {
  c.def("get_all_subgraphs", &AllSubgraphs, "The subgraphs of all depths; of a subgraph none.")
      .def("get_subgraph", &FindSubgraph, nb::arg("name").none(),
           "The subgraph of that name in the whole tree, or None.")
      .def("add_subgraph", &AddSubgraph, nb::arg("subgraph").none(),
           "Makes a graph that an operator uses known by its name here too. Both sides see the same graph.")
      .def("remove_subgraph", &RemoveSubgraph, nb::arg("name").none(),
           "Takes a subgraph off, and off the operator that uses it in this tree. An unknown name is no error.");
}

}  // namespace ge::bridge
