#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "formats/dump/readable.h"

namespace ge::bridge {
namespace {

constexpr const char* kAttrKey = "Attribute key must be a string";
constexpr const char* kName = "name must be a string";

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

void CollectNodes(const PyGraph& self, ir::Graph& g, nb::list& out) {
  for (ir::Node* n : g.nodes()) {
    out.append(NewNode(n, TokenOf(self, n)));
    for (const ir::SubgraphRef& ref : n->subgraphs()) CollectNodes(self, *ref.graph, out);
  }
}

nb::object DirectNodes(const PyGraph& self) {
  ir::Graph& g = Live(self);
  Token token = self.token != nullptr ? self.token : g.liveness();
  nb::list out;
  for (ir::Node* n : g.nodes()) out.append(NewNode(n, token));
  return out;
}

nb::object FindNode(const PyGraph& self, nb::handle name) {
  std::string_view text = TextOrRaise(name, kName);
  ir::Node* n = Live(self).FindNode(text);
  if (n == nullptr) RaiseRuntimeError(StrCat("Failed to find Node name ", text));
  return NewNode(n, TokenOf(self, n));
}

// A handle onto a subgraph. It shares ownership, so that it stays usable when the subgraph is taken off its root; of a
// borrowed graph it expires with the session.
nb::object SubgraphHandle(const PyGraph& self, const ir::GraphPtr& graph) {
  return nb::cast(PyGraph{graph, graph.get(), self.token, {}});
}

// A subgraph answers for the whole tree it hangs in when asked by name, for what lies below it when asked for all.
nb::object FindSubgraph(const PyGraph& self, nb::handle name) {
  std::string_view text = TextOrRaise(name, kName);
  for (const ir::GraphPtr& g : Live(self).subgraphs()) {
    if (g->name() == text) return SubgraphHandle(self, g);
  }
  return nb::none();
}

nb::object AllSubgraphs(const PyGraph& self) {
  ir::Graph& g = Live(self);
  nb::list out;
  if (g.root() != &g) return out;
  for (const ir::GraphPtr& sub : g.subgraphs()) out.append(SubgraphHandle(self, sub));
  return out;
}

void AddSubgraph(const PyGraph& self, nb::handle subgraph) {
  PyGraph* sub = As<PyGraph>(subgraph);
  if (sub == nullptr) RaiseTypeError("subgraph must be a Graph");
  ir::Graph& g = Live(self);
  ir::Graph& s = Live(*sub);
  std::string failed = StrCat("Failed to add subgraph '", s.name(), "' to graph '", g.name(), "'");
  if (s.parent_node() == nullptr) {
    RaiseRuntimeError(StrCat(failed, ": expected a graph that an operator uses as its subgraph; build that first"));
  }
  // An IR graph hangs in one tree only, so that a foreign root gets a copy.
  Status status = g.AddSubgraph(nullptr, "", s.Clone());
  if (!status.ok()) RaiseRuntimeError(StrCat(failed, ": ", status.message()));
}

int DumpFormatOrRaise(nb::handle format) {
  if (IsAbsent(format)) return 2;
  static LazyAttr type("ge.graph.graph", "DumpFormat");
  if (reinterpret_cast<PyObject*>(Py_TYPE(format.ptr())) != type.get().ptr()) {
    RaiseTypeError(StrCat("format must be a DumpFormat, found '", Shown(format.type()), "'"));
  }
  return nb::cast<int>(format.attr("value"));
}

nb::object DumpToStream(const PyGraph& self, nb::handle format) {
  int kind = DumpFormatOrRaise(format);
  ir::Graph& g = Live(self);
  if (kind != 2) {
    RaiseRuntimeError(StrCat("failed to dump graph '", g.name(), "': expected DumpFormat.kReadable, found '",
                             Shown(format), "'; use ge.onnx.save for an ONNX file"));
  }
  return NewText(formats::dump::Readable(g));
}

// What a GraphBuilder does with a graph that an operator uses as its subgraph.
void TakeAsSubgraph(PyGraph& self, nb::handle new_owner) {
  ir::Graph& g = Live(self);
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
  auto* released = new ir::GraphPtr(std::move(self.owned));
  self.graph = nullptr;
  self.owner.reset();
  return reinterpret_cast<uintptr_t>(released);
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
  nb::class_<PyGraph> c(m, "Graph", "A graph of operators; nodes are made with ge.es.");
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
      .def("get_all_nodes",
           [](const PyGraph& self) {
             nb::list out;
             CollectNodes(self, Live(self), out);
             return out;
           },
           "Nodes of this graph, each followed by the nodes of its subgraphs.")
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
      .def("get_all_subgraphs", &AllSubgraphs)
      .def("get_subgraph", &FindSubgraph, nb::arg("name").none())
      .def("add_subgraph", &AddSubgraph, nb::arg("subgraph").none())
      .def(
          "remove_subgraph",
          [](const PyGraph& self, nb::handle name) {
            std::string text(TextOrRaise(name, kName));
            Live(self).RemoveSubgraph(text);
          },
          nb::arg("name").none())
      .def("dump_to_stream", &DumpToStream, nb::arg("format").none() = Absent())
      .def("__str__", [](const PyGraph& self) { return NewText(formats::dump::Readable(Live(self))); })
      .def_prop_ro("_handle",
                   [](const PyGraph& self) -> nb::object {
                     if (self.graph == nullptr) return nb::none();
                     return nb::int_(reinterpret_cast<uintptr_t>(self.graph));
                   })
      .def("_release", &Release)
      .def("_transfer_ownership_when_pass_as_subgraph", &TakeAsSubgraph, nb::arg("new_owner"))
      .def_prop_ro("_owns_handle", [](const PyGraph& self) { return self.owned != nullptr && !self.owner.is_valid(); })
      .def_prop_ro("_owner", [](const PyGraph& self) { return self.owner.is_valid() ? self.owner : nb::none(); })
      .def("__copy__", [](const PyGraph&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const PyGraph&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
  BindEdges(c);
}

}  // namespace ge::bridge
