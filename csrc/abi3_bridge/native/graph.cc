#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/graph_parts.h"
#include "abi3_bridge/native/raw_handle.h"

namespace ge::bridge {
namespace {

constexpr const char* kAttrKey = "Attribute key must be a string";

struct Edge {
  ir::Node* src;
  int64_t src_port;
  ir::Node* dst;
  int64_t dst_port;
};

Edge EdgeOrRaise(nb::handle src, nb::handle src_port, nb::handle dst, nb::handle dst_port) {
  Edge e{};
  e.src = NodeOrRaise(src, "src_node must be a Node");
  e.src_port = IntOrRaise(src_port, "src_port_index must be an integer");
  e.dst = NodeOrRaise(dst, "dst_node must be a Node");
  e.dst_port = IntOrRaise(dst_port, "dst_port_index must be an integer");
  return e;
}

bool InRange(int64_t index, uint32_t count) { return index >= 0 && index < static_cast<int64_t>(count); }

void AddDataEdge(const PyGraph& self, nb::handle src, nb::handle src_port, nb::handle dst, nb::handle dst_port) {
  Edge e = EdgeOrRaise(src, src_port, dst, dst_port);
  ir::Graph& g = Live(self);
  std::string failed = StrCat("Failed to add DataEdge from Node ", e.src->name(), ", Port Index ", e.src_port,
                              " to Node ", e.dst->name(), ", Port Index ", e.dst_port);
  if (e.src->graph() != &g || e.dst->graph() != &g) {
    RaiseRuntimeError(StrCat(failed, ": expected two nodes of graph '", g.name(), "'"));
  }
  if (!InRange(e.src_port, e.src->num_outputs()) || !InRange(e.dst_port, e.dst->num_inputs())) {
    RaiseRuntimeError(StrCat(failed, ": there is no such port"));
  }
  auto slot = static_cast<uint32_t>(e.dst_port);
  if (e.dst->input(slot)) RaiseRuntimeError(StrCat(failed, ": the input is already connected; remove that edge first"));
  g.Connect({e.src, static_cast<uint32_t>(e.src_port)}, e.dst, slot);
}

void AddControlEdge(const PyGraph& self, nb::handle src, nb::handle dst) {
  ir::Node* from = NodeOrRaise(src, "src_node must be a Node");
  ir::Node* to = NodeOrRaise(dst, "dst_node must be a Node");
  ir::Graph& g = Live(self);
  if (from->graph() != &g || to->graph() != &g || from == to) {
    RaiseRuntimeError(StrCat("Failed to add ControlEdge from Node ", from->name(), " to Node ", to->name(),
                             ": expected two different nodes of graph '", g.name(), "'"));
  }
  g.AddControlEdge(from, to);
}

void RemoveEdge(const PyGraph& self, nb::handle src, nb::handle src_port, nb::handle dst, nb::handle dst_port) {
  Edge e = EdgeOrRaise(src, src_port, dst, dst_port);
  ir::Graph& g = Live(self);
  bool removed = false;
  if (e.src->graph() == &g && e.dst->graph() == &g) {
    if (e.dst_port == -1) {
      // The IR keeps one kind of control edge, whether it started at a port or at the node.
      removed = (e.src_port == -1 || InRange(e.src_port, e.src->num_outputs())) && g.RemoveControlEdge(e.src, e.dst);
    } else if (InRange(e.src_port, e.src->num_outputs()) && InRange(e.dst_port, e.dst->num_inputs())) {
      auto slot = static_cast<uint32_t>(e.dst_port);
      removed = e.dst->input(slot) == ir::Anchor{e.src, static_cast<uint32_t>(e.src_port)};
      if (removed) g.Disconnect(e.dst, slot);
    }
  }
  if (!removed) {
    RaiseRuntimeError(StrCat("Failed to remove Edge from Node ", e.src->name(), ", Port Index ", e.src_port, " to Node ",
                             e.dst->name(), ", Port Index ", e.dst_port, ": there is no such edge in graph '", g.name(),
                             "'"));
  }
}

void RemoveNode(const PyGraph& self, nb::handle node) {
  ir::Node* n = NodeOrRaise(node, "node must be a Node");
  ir::Graph& g = Live(self);
  if (n->graph() != &g) {
    RaiseRuntimeError(StrCat("Failed to remove Node ", n->name(), ": expected a direct node of graph '", g.name(), "'"));
  }
  g.RemoveNode(n);
}

// Nodes of the graph, each followed by those of its subgraphs.
void CollectNodes(const ir::Graph& g, std::vector<ir::Node*>* out) {
  for (ir::Node* n : g.nodes()) {
    out->push_back(n);
    for (const ir::SubgraphRef& ref : n->subgraphs()) CollectNodes(*ref.graph, out);
  }
}

nb::object AllNodes(const PyGraph& self) {
  std::vector<ir::Node*> nodes;
  CollectNodes(Live(self), &nodes);
  nb::list out;
  for (ir::Node* n : nodes) out.append(NewNode(n, TokenOf(self, n)));
  return out;
}

nb::object DirectNodes(const PyGraph& self) {
  ir::Graph& g = Live(self);
  Token token = self.token != nullptr ? self.token : g.liveness();
  nb::object out = nb::steal(PyList_New(static_cast<Py_ssize_t>(g.num_nodes())));
  if (!out.is_valid()) nb::raise_python_error();
  Py_ssize_t i = 0;
  for (ir::Node* n : g.nodes()) PyList_SetItem(out.ptr(), i++, NewNode(n, token).release().ptr());
  return out;
}

nb::object FindNode(const PyGraph& self, nb::handle name) {
  std::string_view text = TextOrRaise(name, "name must be a string");
  ir::Node* n = Live(self).FindNode(text);
  if (n == nullptr) RaiseRuntimeError(StrCat("Failed to find Node name ", text));
  return NewNode(n, TokenOf(self, n));
}

nb::object HandleOf(const PyGraph& self) {
  if (self.graph == nullptr) return nb::none();
  ir::Graph& g = Live(self);
  return NewRawHandle(nb::cast(PyGraph{self.owned, self.graph, self.token}), &g);
}

// Taking the handle away makes the graph expire; any null pointer does.
void SetHandle(PyGraph& self, nb::handle handle) {
  PyGraph target;
  if (PyObject_IsTrue(handle.ptr()) == 1) target = TargetOrRaise<PyGraph>(handle, "Graph");
  self.owned = std::move(target.owned);
  self.graph = target.graph;
  self.token = std::move(target.token);
}

// Another wrapper onto the same graph. It keeps the graph alive either way; `owner` is kept beside it.
nb::object CreateFrom(nb::handle handle, bool owns_handle, nb::handle owner) {
  PyGraph target = TargetOrRaise<PyGraph>(handle, "Graph");
  Live(target);
  target.owns = owns_handle;
  if (!owner.is_none()) target.owner = nb::borrow(owner);
  return nb::cast(std::move(target));
}

// What a GraphBuilder does with a graph that an operator uses as its subgraph.
void TakeAsSubgraph(PyGraph& self, nb::handle new_owner) {
  ir::Graph& g = Live(self);
  RefuseAtWork(g, "use it as a subgraph");
  if (self.owner.is_valid()) {
    RaiseRuntimeError(StrCat("Graph :", g.name(), " already has an new owner builder :",
                             Shown(self.owner.attr("name")), ", cannot transfer ownership again"));
  }
  self.owner = nb::borrow(new_owner);
}

// The graph as a C pointer for the bridge protocol: an owned ir::GraphPtr made with new. The object is void afterwards.
uintptr_t Release(PyGraph& self) {
  Live(self);
  if (self.owned == nullptr) RaiseRuntimeError("failed to release a graph: it is borrowed from the compiler");
  if (self.owned->root() != self.owned.get()) {
    RaiseRuntimeError(StrCat("failed to release graph '", self.owned->name(), "': it is a subgraph of '",
                             self.owned->root()->name(), "'"));
  }
  RefuseAtWork(*self.owned, "release it");
  self.owned->ExpireHandles();
  auto* released = new ir::GraphPtr(std::move(self.owned));
  self.graph = nullptr;
  self.owner.reset();
  return reinterpret_cast<uintptr_t>(released);
}

nb::object Repr(const PyGraph& self) {
  if (const char* why = WhyUnusable(self)) return NewText(StrCat("<ge.graph.Graph, ", why, ">"));
  return NewText(StrCat("<ge.graph.Graph '", self.graph->name(), "', ", Counted(self.graph->num_nodes(), "node"), ">"));
}

[[noreturn]] void NoCopy(const char* what) { RaiseRuntimeError(StrCat("Graph does not support ", what)); }

void BindEdges(nb::class_<PyGraph>& c) {
  c.def("remove_node", &RemoveNode, nb::arg("node").none())
      .def("add_data_edge", &AddDataEdge, nb::arg("src_node").none(), nb::arg("src_port_index").none(),
           nb::arg("dst_node").none(), nb::arg("dst_port_index").none())
      .def("add_control_edge", &AddControlEdge, nb::arg("src_node").none(), nb::arg("dst_node").none())
      .def("remove_edge", &RemoveEdge, nb::arg("src_node").none(), nb::arg("src_port_index").none(),
           nb::arg("dst_node").none(), nb::arg("dst_port_index").none(),
           "Removes a data edge, or with both ports -1 a control edge.");
}

}  // namespace

void BindGraph(nb::module_& m) {
  nb::class_<PyGraph> c(m, "Graph", nb::is_weak_referenceable(), "A graph of operators; nodes are made with ge.es.");
  c.def(
       "__init__",
       [](PyGraph* self, nb::handle name) {
         std::string_view text = IsAbsent(name) ? "graph" : TextOrRaise(name, "Graph name must be a string");
         ir::GraphPtr graph = ir::Graph::Create(text);
         ir::Graph* raw = graph.get();
         new (self) PyGraph{std::move(graph), raw, nullptr, {}};
       },
       nb::arg("name").none() = Absent(), nb::sig("def __init__(self, name: Optional[str] = \"graph\") -> None"))
      .def_prop_ro("name", [](const PyGraph& self) { return NewText(Live(self).name()); })
      .def("get_all_nodes", &AllNodes, "Nodes of this graph, each followed by the nodes of its subgraphs.")
      .def("get_direct_nodes", &DirectNodes)
      .def("find_node_by_name", &FindNode, nb::arg("name").none())
      .def(
          "get_attr",
          [](const PyGraph& self, nb::handle key) {
            std::string_view k = TextOrRaise(key, kAttrKey);
            ir::Graph& g = Live(self);
            const ir::AttrValue* value = g.attrs().Find(ir::Symbol(k));
            std::string problem = "it is not set";
            nb::object result = value != nullptr ? AttrToPython(*value, &problem) : nb::object();
            if (!result.is_valid()) {
              RaiseRuntimeError(StrCat("failed to get attribute '", k, "' of graph '", g.name(), "': ", problem));
            }
            return result;
          },
          nb::arg("key").none())
      .def(
          "set_attr",
          [](const PyGraph& self, nb::handle key, nb::handle value) {
            std::string_view k = TextOrRaise(key, kAttrKey);
            ir::AttrValue v = AttrFromPython(value);
            Live(self).SetGraphAttr(ir::Symbol(k), std::move(v));
          },
          nb::arg("key").none(), nb::arg("value").none())
      .def_prop_rw("_handle", &HandleOf, &SetHandle, nb::for_setter(nb::arg("handle").none()))
      .def_static("_create_from", &CreateFrom, nb::arg("handle").none(), nb::arg("owns_handle") = true,
                  nb::arg("owner") = nb::none())
      .def("_release", &Release)
      .def("_transfer_ownership_when_pass_as_subgraph", &TakeAsSubgraph, nb::arg("new_owner"))
      .def_prop_ro("_owns_handle", [](const PyGraph& self) { return self.owns && self.owned != nullptr && !self.owner.is_valid(); })
      .def_prop_ro("_owner", [](const PyGraph& self) { return self.owner.is_valid() ? self.owner : nb::none(); })
      .def("__repr__", &Repr)
      .def("__copy__", [](const PyGraph&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const PyGraph&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
  BindEdges(c);
  BindGraphSubgraphs(c);
  BindGraphDump(c);
}

}  // namespace ge::bridge
