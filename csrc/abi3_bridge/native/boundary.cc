// SubgraphBoundary and what works on boundaries and groups of nodes: replace, infer_shape, can_fuse, report_fuse.
#include "fusion/boundary.h"

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "base/log.h"
#include "fusion/rewriter.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

constexpr int kStatusOk = 0;
constexpr int kStatusFailed = -1;

// The nodes a boundary speaks of may go away before it is used: every use asks the handles first.
using Handles = std::vector<PyNode>;

void RequireLive(const Handles& handles) {
  for (const PyNode& h : handles) Live(h);
}

struct PyInput {
  fusion::SubgraphInput core;
  Handles nodes;
};
struct PyOutput {
  fusion::SubgraphOutput core;
  Handles nodes;
};
struct PyBoundary {
  fusion::SubgraphBoundary core;
  Handles nodes;
};

const PyNode& HandleOrRaise(nb::handle h) {
  PyNode* node = As<PyNode>(h);
  if (node == nullptr) RaiseTypeError(StrCat("node must be a ge.graph.Node, found '", Shown(h.type()), "'"));
  Live(*node);
  return *node;
}

// A number of a slot; what no slot can have becomes one that none has.
uint32_t SlotNumber(nb::handle h) {
  int64_t i = IntOrRaise(h, "index must be an integer");
  return i < 0 || i > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(i);
}

void InitInput(PyInput* self, nb::handle items) {
  std::vector<fusion::NodeSlot> slots;
  Handles nodes;
  if (!items.is_none()) {
    for (nb::handle item : nb::iter(items)) {
      if (!PyTuple_Check(item.ptr()) || PyTuple_Size(item.ptr()) != 2) {
        RaiseRuntimeError(StrCat("a SubgraphInput is made of (node, index) tuples, found '", Shown(item), "'"));
      }
      const PyNode& node = HandleOrRaise(PyTuple_GetItem(item.ptr(), 0));
      slots.push_back({node.node, SlotNumber(PyTuple_GetItem(item.ptr(), 1))});
      nodes.push_back(node);
    }
  }
  new (self) PyInput{fusion::SubgraphInput(std::move(slots)), std::move(nodes)};
}

int AddInputSlot(PyInput& self, nb::handle node, nb::handle index) {
  const PyNode& h = HandleOrRaise(node);
  RequireLive(self.nodes);
  if (!self.core.Add({h.node, SlotNumber(index)}).ok()) return kStatusFailed;
  self.nodes.push_back(h);
  return kStatusOk;
}

int SetOutput(PyOutput& self, nb::handle node, nb::handle index) {
  const PyNode& h = HandleOrRaise(node);
  RequireLive(self.nodes);
  if (!self.core.Set({h.node, SlotNumber(index)}).ok()) return kStatusFailed;
  self.nodes.push_back(h);
  return kStatusOk;
}

int AddInput(PyBoundary& self, nb::handle index, const PyInput& input) {
  int64_t i = IntOrRaise(index, "index must be an integer");
  if (!self.core.AddInput(i, input.core).ok()) return kStatusFailed;
  self.nodes.insert(self.nodes.end(), input.nodes.begin(), input.nodes.end());
  return kStatusOk;
}

int AddOutput(PyBoundary& self, nb::handle index, const PyOutput& output) {
  int64_t i = IntOrRaise(index, "index must be an integer");
  if (!self.core.AddOutput(i, output.core).ok()) return kStatusFailed;
  self.nodes.insert(self.nodes.end(), output.nodes.begin(), output.nodes.end());
  return kStatusOk;
}

// ---- functions ------------------------------------------------------------------------------------------------------

PyGraph& GraphOrRaise(nb::handle h, const char* function) {
  PyGraph* graph = As<PyGraph>(h);
  if (graph == nullptr) {
    RaiseTypeError(StrCat(function, " needs a ge.graph.Graph as replacement, found '", Shown(h.type()), "'"));
  }
  return *graph;
}

fusion::PassContext& ContextOrRaise(nb::handle h, const char* function) {
  PyContext* context = As<PyContext>(h);
  if (context == nullptr) {
    RaiseTypeError(StrCat(function, " needs a PassContext as context, found '", Shown(h.type()), "'"));
  }
  if (context->context == nullptr) {
    RaiseRuntimeError("pass context has expired: it can be used only inside the hook that received it");
  }
  return *context->context;
}

// Failures inside a pass are told to its context too, from where the executor takes them.
[[noreturn]] void RaiseInPass(const char* function, const Status& status, fusion::PassContext& context) {
  std::string text = StrCat(function, " failed in pass '", context.pass_name(), "' with status ", kStatusFailed, ": ",
                            status.message());
  context.set_error_message(text);
  RaiseRuntimeError(text);
}

nb::object Replace(const PyBoundary& boundary, nb::handle replacement, nb::handle context) {
  ir::Graph& graph = Live(GraphOrRaise(replacement, "SubgraphRewriter.replace"));
  RequireLive(boundary.nodes);
  if (context.is_none()) {
    Status status = fusion::Replace(boundary.core, graph, std::string_view());
    if (!status.ok()) GE_LOG(LogLevel::kWarning, "python", "SubgraphRewriter.replace: ", status.message());
    return nb::int_(status.ok() ? kStatusOk : kStatusFailed);
  }
  fusion::PassContext& c = ContextOrRaise(context, "SubgraphRewriter.replace");
  Status status = fusion::Replace(boundary.core, graph, c);
  if (!status.ok()) RaiseInPass("SubgraphRewriter.replace", status, c);
  return nb::none();
}

std::vector<ir::Node*> NodesOrRaise(nb::handle nodes, const char* argument) {
  std::vector<ir::Node*> out;
  for (nb::handle h : nb::iter(nodes)) {
    PyNode* node = As<PyNode>(h);
    if (node == nullptr) RaiseTypeError(StrCat(argument, " must be ge.graph.Node objects, found '", Shown(h.type()), "'"));
    out.push_back(Live(*node));
  }
  return out;
}

nb::object CanFuse(nb::handle nodes) {
  Status status = fusion::CanFuse(NodesOrRaise(nodes, "nodes"));
  return nb::make_tuple(status.ok(), status.ok() ? nb::str("") : NewText(status.message()));
}

void ReportFuse(nb::handle nodes_before, nb::handle nodes_after, nb::handle context) {
  std::vector<ir::Node*> before = NodesOrRaise(nodes_before, "nodes_before");
  std::vector<ir::Node*> after = NodesOrRaise(nodes_after, "nodes_after");
  fusion::PassContext& c = ContextOrRaise(context, "report_fuse");
  Status status = fusion::ReportFuse(before, after, c);
  if (!status.ok()) RaiseInPass("report_fuse", status, c);
}

void InferShape(nb::handle replacement, nb::handle source) {
  ir::Graph& graph = Live(GraphOrRaise(replacement, "infer_shape"));
  fusion::SubgraphBoundary boundary;
  std::string kind;
  if (PyMatch* match = As<PyMatch>(source)) {
    if (match->match == nullptr || !Usable(match->token)) {
      RaiseRuntimeError("match result has expired: it can be used only inside the hook that received it");
    }
    kind = StrCat("MatchResult '", match->match->pattern().graph().name(), "'");
    Result<fusion::SubgraphBoundary> result = match->match->ToBoundary();
    if (!result.ok()) {
      RaiseRuntimeError(StrCat("infer_shape of replacement '", graph.name(), "' failed for ", kind, ": ",
                               result.status().message()));
    }
    boundary = std::move(result).value();
  } else if (PyNode* node = As<PyNode>(source)) {
    ir::Node* n = Live(*node);
    kind = StrCat("Node '", n->name(), "'");
    boundary = fusion::BoundaryOfNode(n);
  } else if (PyBoundary* b = As<PyBoundary>(source)) {
    kind = "SubgraphBoundary";
    RequireLive(b->nodes);
    boundary = b->core;
  } else {
    RaiseTypeError(StrCat("infer_shape needs a MatchResult, Node or SubgraphBoundary as source, found '",
                          Shown(source.type()), "'"));
  }
  Status status = graph.num_nodes() == 0 ? Status::Error("the replacement has no nodes")
                                         : fusion::InferReplacement(graph, boundary);
  if (!status.ok()) {
    RaiseRuntimeError(StrCat("infer_shape of replacement '", graph.name(), "' failed for ", kind, ": ",
                             status.message()));
  }
}

// Only a namespace: `SubgraphRewriter.replace`.
struct Rewriter {};

}  // namespace

void BindBoundary(nb::module_& m) {
  nb::class_<PyInput>(m, "SubgraphInput", "One input of a boundary: the inner input slots fed by one producer.")
      .def("__init__", &InitInput, nb::arg("inputs").none() = nb::none())
      .def("add_input", &AddInputSlot, "node"_a, "out_index"_a,
           "Adds input slot `out_index` of `node`; 0, or another number if it does not exist, is not connected or has\n"
           "another producer than the slots before it.");
  nb::class_<PyOutput>(m, "SubgraphOutput", "One output of a boundary: an inner output that is used outside.")
      .def("__init__", [](PyOutput* self) { new (self) PyOutput; })
      .def(
          "__init__",
          [](PyOutput* self, nb::handle node, nb::handle out_index) {
            const PyNode& h = HandleOrRaise(node);
            new (self) PyOutput{fusion::SubgraphOutput({h.node, SlotNumber(out_index)}), {h}};
          },
          "node"_a, "out_index"_a)
      .def("set_output", &SetOutput, "node"_a, "out_index"_a,
           "0, or another number if it is set already or the output does not exist.");
  nb::class_<PyBoundary>(m, "SubgraphBoundary", "The part of a graph that a replacement takes the place of.")
      .def(nb::init<>())
      .def("add_input", &AddInput, "index"_a, "input"_a, "0, or another number if the index is taken.")
      .def("add_output", &AddOutput, "index"_a, "output"_a, "0, or another number if the index is taken.");
  nb::class_<Rewriter>(m, "SubgraphRewriter", "Puts a replacement in the place of a boundary.")
      .def_static("replace", &Replace, "boundary"_a, "replacement"_a, nb::kw_only(), "context"_a = nb::none(),
                  "Puts a copy of `replacement` in the place of `boundary`. Without a context: 0, or another number on\n"
                  "failure. With the context of the running pass the fusion is checked and recorded; RuntimeError on\n"
                  "failure.");
  m.def("infer_shape", &InferShape, "replacement"_a, "source"_a);
  m.def("native_can_fuse", &CanFuse, "nodes"_a, "(ok, reason)");
  m.def("native_report_fuse", &ReportFuse, "nodes_before"_a, "nodes_after"_a, "context"_a);
}

}  // namespace ge::bridge
