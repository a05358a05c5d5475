// Pattern, MatchResult, PassContext and PatternMatcherConfig of ge.passes.
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_builder.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

// A ge.passes.NodeIo. It is a frozen dataclass: its fields are set past __setattr__, as its own __init__ does.
nb::object NewNodeIo(ir::Anchor anchor, const Token& token) {
  static LazyAttr type("ge.passes._values", "NodeIo");
  static PyObject* node_name = PyUnicode_InternFromString("node");
  static PyObject* index_name = PyUnicode_InternFromString("index");
  nb::object made = NewInstance(type.get());
  nb::object node = NewNode(anchor.node, token);
  nb::object index = nb::steal(PyLong_FromUnsignedLong(anchor.index));
  if (PyObject_GenericSetAttr(made.ptr(), node_name, node.ptr()) != 0 ||
      PyObject_GenericSetAttr(made.ptr(), index_name, index.ptr()) != 0) {
    nb::raise_python_error();
  }
  return made;
}

// ---- Pattern --------------------------------------------------------------------------------------------------------

fusion::Pattern& Held(const PyPattern& self) {
  if (!self.pattern) RaiseRuntimeError("pattern has been released: it belongs to the engine now; make a new one");
  return *self.pattern;
}

void InitPattern(PyPattern* self, nb::handle graph) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) {
    RaiseRuntimeError(StrCat("a Pattern is made of a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  }
  Live(*g);
  if (g->owned == nullptr) RaiseRuntimeError("a Pattern needs a graph of its own, found one borrowed from the compiler");
  if (g->owned->root() != g->owned.get()) {
    RaiseRuntimeError(StrCat("a Pattern needs a graph of its own, found '", g->owned->name(), "', a subgraph of '",
                             g->owned->root()->name(), "'"));
  }
  RefuseAtWork(*g->owned, "make a Pattern of it");
  auto pattern = std::make_unique<fusion::Pattern>(std::move(g->owned));
  g->graph = nullptr;
  g->owner.reset();
  new (self) PyPattern{std::move(pattern)};
}

ir::Anchor AnchorOf(nb::handle source, nb::handle index) {
  if (TensorHolder* holder = HolderOf(source)) return holder->anchor;
  int64_t i = index.is_none() ? 0 : IntOrRaise(index, "index must be an integer");
  nb::object node;
  if (nb::isinstance<PyNode>(source)) {
    node = nb::borrow(source);
  } else if (nb::hasattr(source, "node") && nb::hasattr(source, "index")) {
    node = source.attr("node");
    if (index.is_none()) i = IntOrRaise(nb::object(source.attr("index")), "index must be an integer");
  } else {
    RaiseTypeError(StrCat("capture_tensor takes a NodeIo, TensorHolder or Node, found '", Shown(source.type()), "'"));
  }
  ir::Node* n = NodeOrRaise(node, "node of a captured tensor must be a ge.graph.Node");
  if (i < 0 || i >= static_cast<int64_t>(n->num_outputs())) {
    RaiseRuntimeError(StrCat("failed to capture output ", i, " of node '", n->name(), "': it has ", n->num_outputs(),
                             " outputs"));
  }
  return {n, static_cast<uint32_t>(i)};
}

void Capture(PyPattern& self, nb::handle source, nb::handle index) {
  fusion::Pattern& pattern = Held(self);
  ir::Anchor anchor = AnchorOf(source, index);
  if (anchor.node->graph() != &pattern.mutable_graph()) {
    RaiseRuntimeError(StrCat("failed to capture a tensor of node '", anchor.node->name(),
                             "': expected a node of pattern '", pattern.graph().name(), "'"));
  }
  pattern.CaptureTensor(anchor);
}

nb::object Repr(const PyPattern& self) {
  if (self.pattern == nullptr) return NewText("<ge.passes.Pattern, released>");
  const ir::Graph& graph = self.pattern->graph();
  return NewText(StrCat("<ge.passes.Pattern '", graph.name(), "', ", Counted(graph.num_nodes(), "node"), ">"));
}

void BindPattern(nb::module_& m) {
  nb::class_<PyPattern>(m, "Pattern", "A graph to look for; its inputs match anything. Takes the graph over.")
      .def("__init__", &InitPattern, "graph"_a)
      .def(
          "capture_tensor",
          [](nb::pointer_and_handle<PyPattern> self, nb::handle source, nb::handle index) {
            Capture(*self.p, source, index);
            return nb::borrow(self.h);
          },
          "source"_a, "index"_a = nb::none(),
          "Makes a tensor readable from matches by its number in the order of these calls. Returns the pattern.")
      .def("get_captured_tensors",
           [](const PyPattern& self) {
             fusion::Pattern& pattern = Held(self);
             Token token = pattern.graph().liveness();
             nb::list out;
             for (ir::Anchor a : pattern.captures()) out.append(NewNodeIo(a, token));
             return out;
           })
      .def("__repr__", [](const PyPattern& self) { return Repr(self); })
      .def("is_valid", [](const PyPattern& self) { return self.pattern != nullptr; })
      .def("release",
           [](PyPattern& self) {
             Held(self).mutable_graph().ExpireHandles();
             return reinterpret_cast<uintptr_t>(self.pattern.release());
           },
           "Hands the pattern over: an owned pointer for the bridge protocol.");
}

// ---- MatchResult ----------------------------------------------------------------------------------------------------

const fusion::MatchResult& Held(const PyMatch& self) {
  if (self.match == nullptr || !Usable(self.token)) {
    RaiseRuntimeError("match result has expired: the hook that received it has returned, or its graph is gone");
  }
  return *self.match;
}

nb::object CapturedTensor(const PyMatch& self, nb::handle index) {
  const fusion::MatchResult& match = Held(self);
  int64_t i = IntOrRaise(index, "index must be an integer");
  if (i < 0) RaiseRuntimeError(StrCat("failed to get captured tensor ", i, ": expected an index of 0 or more"));
  Result<ir::Anchor> anchor = match.CapturedTensor(static_cast<size_t>(i));
  if (!anchor.ok()) RaiseRuntimeError(anchor.status().message());
  return NewNodeIo(anchor.value(), self.token);
}

nb::object Repr(const PyMatch& self) {
  if (self.match == nullptr || !Usable(self.token)) return NewText(StrCat("<ge.passes.MatchResult, ", kExpired, ">"));
  constexpr size_t kShown = 8;
  const std::vector<ir::Node*> nodes = self.match->MatchedNodes();
  std::vector<std::string> names;
  for (size_t i = 0; i < nodes.size() && i < kShown; ++i) {
    std::string_view kind = nodes[i]->graph() == nullptr ? "removed" : nodes[i]->type().view();
    names.push_back(StrCat("'", nodes[i]->name(), "' (", kind, ")"));
  }
  if (nodes.size() > kShown) names.push_back("...");
  return NewText(StrCat("<ge.passes.MatchResult of ", Counted(nodes.size(), "node"), ", pattern '",
                        self.match->pattern().graph().name(), "': ", Join(names, ", "), ">"));
}

void BindMatch(nb::module_& m) {
  nb::class_<PyMatch>(m, "MatchResult", "One place in the graph that matches; usable inside the hook that received it.")
      .def("__init__", [](PyMatch*, nb::args,
                          nb::kwargs) { RaiseRuntimeError("MatchResult objects should not be created directly"); })
      .def("get_matched_nodes",
           [](const PyMatch& self) {
             nb::list out;
             for (ir::Node* n : Held(self).MatchedNodes()) out.append(NewNode(n, self.token));
             return out;
           },
           "The matched nodes, constants included, in graph order.")
      .def("get_captured_tensor", &CapturedTensor, "index"_a, "The tensor captured by the pattern's call number `index`.")
      .def("get_pattern_graph_name", [](const PyMatch& self) { return NewText(Held(self).pattern().graph().name()); })
      .def("_invalidate", [](PyMatch& self) { self.match = nullptr; })
      .def("__repr__", [](const PyMatch& self) { return Repr(self); })
      .def("__str__", [](const PyMatch& self) { return NewText(Held(self).ToString()); });
}

// ---- PassContext and the matcher's configuration ----------------------------------------------------------------------

fusion::PassContext& Held(const PyContext& self) {
  if (self.context == nullptr) {
    RaiseRuntimeError("pass context has expired: it can be used only inside the hook that received it");
  }
  return *self.context;
}

nb::object Repr(const PyContext& self) {
  if (self.context == nullptr) return NewText(StrCat("<ge.passes.PassContext, ", kExpired, ">"));
  return NewText(StrCat("<ge.passes.PassContext of pass '", self.context->pass_name(), "'>"));
}

void BindContext(nb::module_& m) {
  nb::class_<PyContext>(m, "PassContext", "Name, options and error message of the pass that is running.")
      .def("__init__", [](PyContext*, nb::args,
                          nb::kwargs) { RaiseRuntimeError("PassContext objects should not be created directly"); })
      .def("__repr__", [](const PyContext& self) { return Repr(self); })
      .def("get_pass_name", [](const PyContext& self) { return NewText(Held(self).pass_name()); })
      .def(
          "set_pass_name",
          [](PyContext& self, nb::handle pass_name) {
            Held(self).set_pass_name(TextOrRaise(pass_name, "pass_name must be a string"));
          },
          "pass_name"_a)
      .def("get_error_message", [](const PyContext& self) { return NewText(Held(self).error_message()); })
      .def(
          "set_error_message",
          [](PyContext& self, nb::handle error_message) {
            Held(self).set_error_message(TextOrRaise(error_message, "error_message must be a string"));
          },
          "error_message"_a)
      .def(
          "get_option_value",
          [](const PyContext& self, nb::handle option_key) {
            std::string key(TextOrRaise(option_key, "option_key must be a string"));
            const std::string* value = Held(self).option(key);
            if (value == nullptr) RaiseRuntimeError(StrCat("failed to get option '", key, "': it is not set"));
            return NewText(*value);
          },
          "option_key"_a);

  nb::class_<fusion::PatternMatcherConfig>(m, "PatternMatcherConfig",
                                           "How exactly a pattern's constants and attributes are compared.")
      .def("__init__", [](fusion::PatternMatcherConfig*, nb::args,
                          nb::kwargs) { RaiseRuntimeError("make a PatternMatcherConfig with its builder"); })
      .def("is_enable_const_value_match", [](const fusion::PatternMatcherConfig& c) { return c.const_value_match; })
      .def("is_enable_ir_attr_match", [](const fusion::PatternMatcherConfig& c) { return c.ir_attr_match; })
      .def("is_enable_commutative_match", [](const fusion::PatternMatcherConfig& c) { return c.commutative_match; });

  struct ConfigBuilder {
    fusion::PatternMatcherConfig config;
  };
  using Config = nb::pointer_and_handle<ConfigBuilder>;
  nb::class_<ConfigBuilder>(m, "PatternMatcherConfigBuilder", "Makes a PatternMatcherConfig; everything is off.")
      .def(nb::init<>())
      .def("enable_const_value_match",
           [](Config self) {
             self.p->config.const_value_match = true;
             return nb::borrow(self.h);
           })
      .def("enable_ir_attr_match",
           [](Config self) {
             self.p->config.ir_attr_match = true;
             return nb::borrow(self.h);
           })
      .def("enable_commutative_match",
           [](Config self) {
             self.p->config.commutative_match = true;
             return nb::borrow(self.h);
           },
           "Lets Add(a, b) of the pattern match Add(b, a) too, and so for all operators that commute. Returns the builder.")
      .def("build", [](const ConfigBuilder& self) { return self.config; });
}

}  // namespace

void BindPasses(nb::module_& m) {
  BindPattern(m);
  BindMatch(m);
  BindContext(m);
}

}  // namespace ge::bridge
