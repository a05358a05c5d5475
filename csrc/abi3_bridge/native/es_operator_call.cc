// One call of an operator function: from arguments to a node.
#include <algorithm>
#include <iterator>

#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_builder.h"
#include "abi3_bridge/native/es_operator.h"

namespace ge::bridge {
namespace {

using ops::IoKind;

// ---- inputs ---------------------------------------------------------------------------------------------------------

// The arguments for the inputs, one a slot, dynamic ones spread out.
struct Inputs {
  static constexpr size_t kInline = 16;
  nb::handle inline_slots[kInline];
  std::vector<nb::handle> more;
  size_t size = 0;
  std::vector<int64_t> dynamic_counts;

  void Add(nb::handle h) {
    if (size < kInline) {
      inline_slots[size] = h;
    } else {
      more.push_back(h);
    }
    ++size;
  }
  nb::handle operator[](size_t i) const { return i < kInline ? inline_slots[i] : more[i - kInline]; }
};

void Spread(const Operator& op, nb::handle args, Inputs* inputs) {
  const auto& defs = op.def->inputs();
  for (size_t i = 0; i < defs.size(); ++i) {
    nb::handle arg = PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i));
    if (!arg.is_valid()) nb::raise_python_error();
    if (defs[i].kind != IoKind::kDynamic) {
      inputs->Add(arg);
      continue;
    }
    bool is_list = IsList(arg);
    if (!is_list && !PyTuple_Check(arg.ptr())) {
      RaiseTypeError(StrCat("input '", defs[i].name.view(), "' of operator '", op.type(), "' must be a list, found '",
                            Shown(arg.type()), "'"));
    }
    Py_ssize_t n = is_list ? PyList_Size(arg.ptr()) : PyTuple_Size(arg.ptr());
    for (Py_ssize_t k = 0; k < n; ++k) inputs->Add(is_list ? PyList_GetItem(arg.ptr(), k) : PyTuple_GetItem(arg.ptr(), k));
    inputs->dynamic_counts.push_back(n);
  }
}

void RefuseMatched(const Operator& op, nb::handle input) {
  bridge::RefuseMatched(input, StrCat("an input of operator '", op.type(), "'"));
}

[[noreturn]] void RaiseNoBuilder(const Operator& op, const Inputs& inputs) {
  for (size_t i = 0; i < inputs.size; ++i) RefuseMatched(op, inputs[i]);
  if (!op.tensor_like && inputs.size == 0) {
    Raise(PyExc_IndexError, StrCat("operator '", op.type(), "' needs a list with at least one tensor, found an empty one"));
  }
  if (!op.tensor_like) {
    Raise(PyExc_AttributeError, StrCat("operator '", op.type(), "' takes a TensorHolder, found '",
                                       Shown(inputs[0].type()), "'; make a constant with the GraphBuilder first"));
  }
  RaiseValueError(StrCat("Please ensure at least one input tensor or an explicit owner_builder is provided when supported"
                         " (operator '", op.type(), "')"));
}

struct Owner {
  nb::handle object;
  Builder* builder = nullptr;
};

// The builder of the first tensor, else the one given.
Owner FindOwner(const Operator& op, const Inputs& inputs, nb::handle given) {
  for (size_t i = 0; i < inputs.size; ++i) {
    if (TensorHolder* holder = HolderOf(inputs[i])) return {holder->owner, holder->builder};
  }
  if (given.is_valid() && !given.is_none()) {
    Builder* builder = As<Builder>(given);
    if (builder == nullptr) {
      RaiseTypeError(StrCat("builder of operator '", op.type(), "' must be a GraphBuilder, found '",
                            Shown(given.type()), "'"));
    }
    return {given, builder};
  }
  RaiseNoBuilder(op, inputs);
}

// The anchor that feeds a slot; empty for None.
ir::Anchor Source(const Operator& op, nb::handle h, Builder& builder) {
  if (TensorHolder* holder = HolderOf(h)) {
    if (holder->builder != &builder) {
      RaiseValueError(StrCat("Cannot create operator '", op.type(), "': tensors from different GraphBuilders"));
    }
    if (holder->anchor.node->graph() != builder.graph().get() ||
        holder->anchor.index >= holder->anchor.node->num_outputs()) {
      RaiseValueError(StrCat("Cannot create operator '", op.type(), "': '", holder->anchor.node->name(),
                             "' has no such output to connect"));
    }
    return holder->anchor;
  }
  if (h.is_none()) return {};
  if (!op.tensor_like) {
    RefuseMatched(op, h);
    Raise(PyExc_AttributeError, StrCat("operator '", op.type(), "' takes TensorHolder objects, found '",
                                       Shown(h.type()), "'; make a constant with the GraphBuilder first"));
  }
  return ConstantOf(h, builder);
}

void CheckRequired(const Operator& op, const Inputs& inputs) {
  size_t slot = 0;
  size_t dynamic = 0;
  for (const ops::IoDef& io : op.def->inputs()) {
    if (io.kind == IoKind::kDynamic) {
      auto n = static_cast<size_t>(inputs.dynamic_counts[dynamic++]);
      for (size_t k = 0; k < n; ++k) {
        if (!inputs[slot + k].is_none()) continue;
        Raise(PyExc_AttributeError, StrCat("element ", k, " of input '", io.name.view(), "' of operator '", op.type(),
                                           "' must be a tensor, found 'None'"));
      }
      slot += n;
      continue;
    }
    if (io.kind == IoKind::kRequired && inputs[slot].is_none()) {
      Raise(PyExc_AttributeError, StrCat("input '", io.name.view(), "' of operator '", op.type(),
                                         "' must be a tensor, found 'None'"));
    }
    ++slot;
  }
}

// ---- subgraphs ------------------------------------------------------------------------------------------------------

[[noreturn]] void RaiseTaken(const ir::Graph& graph, std::string_view builder) {
  RaiseRuntimeError(StrCat("Graph :", graph.name(), " already has an new owner builder :", builder,
                           ", cannot transfer ownership again; build another graph for this operator"));
}

// A graph that this operator may use.
PyGraph& SubgraphOrRaise(const Operator& op, std::string_view slot, nb::handle h) {
  PyGraph* graph = As<PyGraph>(h);
  if (graph == nullptr) {
    RaiseTypeError(StrCat("subgraph '", slot, "' of operator '", op.type(), "' must be a ge.graph.Graph, found '",
                          Shown(h.type()), "'"));
  }
  ir::Graph& g = Live(*graph);
  if (graph->owner.is_valid()) RaiseTaken(g, Shown(graph->owner.attr("name")));
  if (graph->owned == nullptr) RaiseRuntimeError(StrCat("graph '", g.name(), "' belongs to the compiler"));
  return *graph;
}

void CheckSubgraph(const Operator& op, const ir::Graph& g, size_t num_inputs, int64_t num_outputs) {
  size_t ends = g.CountOfType(ir::Common().NetOutput);
  if (ends != 1) {
    RaiseValueError(StrCat("subgraph '", g.name(), "' of operator '", op.type(), "' must have one NetOutput, found ",
                           ends));
  }
  if (num_outputs >= 0 && static_cast<int64_t>(g.net_output()->num_inputs()) != num_outputs) {
    RaiseValueError(StrCat("subgraph '", g.name(), "' of operator '", op.type(), "' must have ", num_outputs,
                           " outputs, found ", g.net_output()->num_inputs()));
  }
  int64_t last = -1;
  for (const ir::Node* n : g.InputNodes()) {
    const int64_t* index = n->attr<int64_t>(ir::Common().index);
    int64_t i = index ? *index : 0;
    if (i == last || i < 0 || i >= static_cast<int64_t>(num_inputs)) {
      RaiseValueError(StrCat("input '", n->name(), "' of subgraph '", g.name(), "' must have an index of its own below ",
                             num_inputs, ", found ", i));
    }
    last = i;
  }
}

struct SubgraphArgument {
  std::string slot;
  nb::handle object;
};

std::vector<SubgraphArgument> SubgraphArguments(const Operator& op, nb::handle args) {
  std::vector<SubgraphArgument> all;
  const auto& defs = op.def->subgraphs();
  for (size_t i = 0; i < defs.size(); ++i) {
    nb::handle arg = PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i));
    if (!arg.is_valid()) nb::raise_python_error();
    if (defs[i].kind == ops::SubgraphKind::kStatic) {
      all.push_back({std::string(defs[i].name.view()), arg});
      continue;
    }
    if (!IsList(arg)) {
      RaiseTypeError(StrCat("subgraphs '", defs[i].name.view(), "' of operator '", op.type(), "' must be a list, found '",
                            Shown(arg.type()), "'"));
    }
    for (Py_ssize_t k = 0; k < PyList_Size(arg.ptr()); ++k) {
      all.push_back({StrCat(defs[i].name.view(), k), PyList_GetItem(arg.ptr(), k)});
    }
  }
  return all;
}

// The condition of a loop gives one truth value, whatever the loop carries.
bool IsLoopCondition(const Operator& op, std::string_view slot) {
  static const ir::Symbol kLoops[] = {ir::Symbol("While"), ir::Symbol("StatelessWhile"), ir::Symbol("_While")};
  return slot == "cond" && std::find(std::begin(kLoops), std::end(kLoops), op.def->type()) != std::end(kLoops);
}

// All checks come before the first graph is used.
void AttachSubgraphs(const Operator& op, ir::Node* node, nb::handle args, const Inputs& inputs, nb::handle counts,
                     const Owner& owner) {
  size_t num_inputs = inputs.dynamic_counts.empty() ? inputs.size : static_cast<size_t>(inputs.dynamic_counts[0]);
  int64_t num_outputs = -1;
  if (op.num_dynamic_outputs > 0) num_outputs = WrappedInt(PyTuple_GetItem(counts.ptr(), 0));
  std::vector<SubgraphArgument> all = SubgraphArguments(op, args);
  std::vector<PyGraph*> graphs;
  for (const SubgraphArgument& argument : all) {
    PyGraph* graph = &SubgraphOrRaise(op, argument.slot, argument.object);
    for (const PyGraph* other : graphs) {
      if (other->graph == graph->graph) RaiseTaken(*graph->graph, owner.builder->name());
    }
    CheckSubgraph(op, *graph->graph, num_inputs, IsLoopCondition(op, argument.slot) ? -1 : num_outputs);
    graphs.push_back(graph);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    Status status = node->graph()->AddSubgraph(node, all[i].slot, graphs[i]->owned);
    if (!status.ok()) RaiseRuntimeError(StrCat("failed to use a subgraph in '", op.type(), "': ", status.message()));
  }
  for (const SubgraphArgument& argument : all) {
    argument.object.attr("_transfer_ownership_when_pass_as_subgraph")(owner.object);
  }
}

// ---- results --------------------------------------------------------------------------------------------------------

nb::object Results(const Operator& op, ir::Node* node, nb::handle counts, const Owner& owner) {
  const auto& defs = op.def->outputs();
  auto holder = [&](uint32_t i) { return NewHolder(owner.object, owner.builder, {node, i}); };
  if (defs.empty() || (defs.size() == 1 && op.num_dynamic_outputs == 0)) return holder(0);
  nb::object results = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(defs.size())));
  uint32_t next = 0;
  Py_ssize_t dynamic = 0;
  for (size_t i = 0; i < defs.size(); ++i) {
    nb::object result;
    if (defs[i].kind == IoKind::kDynamic) {
      nb::list all;
      int64_t n = WrappedInt(PyTuple_GetItem(counts.ptr(), dynamic++));
      for (int64_t k = 0; k < n; ++k) all.append(holder(next++));
      if (defs.size() == 1) return all;
      result = std::move(all);
    } else {
      result = holder(next++);
    }
    PyTuple_SetItem(results.ptr(), static_cast<Py_ssize_t>(i), result.release().ptr());
  }
  nb::object made = nb::steal(PyObject_CallObject(op.output_class.ptr(), results.ptr()));
  if (!made.is_valid()) nb::raise_python_error();
  return made;
}

uint32_t CountOutputs(const Operator& op, nb::handle counts) {
  size_t n = op.def->outputs().size() - op.num_dynamic_outputs;
  for (size_t i = 0; i < op.num_dynamic_outputs; ++i) {
    nb::handle count = PyTuple_GetItem(counts.ptr(), static_cast<Py_ssize_t>(i));
    if (!count.is_valid()) nb::raise_python_error();
    constexpr int64_t kMost = 1 << 20;
    if (!IsInt(count)) RaiseTypeError(StrCat("output count of operator '", op.type(), "' must be an int"));
    int64_t c = WrappedInt(count);
    if (c < 0 || c > kMost) {
      RaiseValueError(StrCat("output count of operator '", op.type(), "' must be 0 or more, found ", c));
    }
    n += static_cast<size_t>(c);
  }
  return static_cast<uint32_t>(n);
}

}  // namespace

nb::object CallOperator(const Operator& op, nb::handle args, nb::handle attrs, nb::handle given_builder,
                        nb::handle counts, nb::handle subgraphs) {
  Inputs inputs;
  Spread(op, args, &inputs);
  Owner owner = FindOwner(op, inputs, given_builder);
  Builder& builder = *owner.builder;
  if (builder.built()) {
    RaiseValueError(StrCat("Cannot create operator '", op.type(), "': GraphBuilder has already been built. Create a new "
                           "GraphBuilder to build another graph"));
  }
  CheckRequired(op, inputs);
  uint32_t num_outputs = CountOutputs(op, counts);
  // Constants come before the operator that uses them.
  ir::Anchor inline_sources[Inputs::kInline];
  std::vector<ir::Anchor> more;
  ir::Anchor* sources = inline_sources;
  if (inputs.size > Inputs::kInline) {
    more.resize(inputs.size);
    sources = more.data();
  }
  for (size_t i = 0; i < inputs.size; ++i) sources[i] = Source(op, inputs[i], builder);

  ir::Graph& graph = *builder.graph();
  ir::Node* node = builder.AddNode(op.def->type(), static_cast<uint32_t>(inputs.size), num_outputs);
  try {
    for (size_t i = 0; i < inputs.size; ++i) {
      if (sources[i]) graph.Connect(sources[i], node, static_cast<uint32_t>(i));
    }
    std::vector<nb::handle> tensors = SetOperatorAttrs(op, node, attrs);
    if (const ir::Tensor* value = node->const_value()) graph.SetOutputDesc(node, 0, value->desc);
    if (op.num_dynamic_inputs > 1) {
      static const ir::Symbol kCounts("_dynamic_input_counts");
      graph.SetAttr(node, kCounts, inputs.dynamic_counts);
    }
    if (op.num_dynamic_outputs > 1) {
      static const ir::Symbol kCounts("_dynamic_output_counts");
      std::vector<int64_t> numbers;
      for (size_t i = 0; i < op.num_dynamic_outputs; ++i) {
        numbers.push_back(WrappedInt(PyTuple_GetItem(counts.ptr(), static_cast<Py_ssize_t>(i))));
      }
      graph.SetAttr(node, kCounts, std::move(numbers));
    }
    if (!op.def->subgraphs().empty()) AttachSubgraphs(op, node, subgraphs, inputs, counts, owner);
    builder.ApplyScopes(node);
    // Last, so that a tensor can be used again after a call that failed.
    for (nb::handle tensor : tensors) tensor.attr("_transfer_ownership_when_pass_as_attr")(owner.object);
  } catch (...) {
    graph.RemoveNode(node);
    throw;
  }
  return Results(op, node, counts, owner);
}

}  // namespace ge::bridge
