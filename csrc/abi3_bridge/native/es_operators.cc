// Operator functions of ge.es.<group>: one native call each. Python only carries the signature.
#include <memory>
#include <unordered_map>

#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_builder.h"
#include "abi3_bridge/native/tensor.h"
#include "ops/op_def.h"

namespace ge::bridge {
namespace {

using ops::AttrType;
using ops::IoKind;

// An operator as its Python function calls it.
struct Operator {
  const ops::OpDef* def = nullptr;
  // In the order of the signature: required ones first.
  std::vector<const ops::AttrDef*> attrs;
  // Numbers and lists of numbers are accepted beside tensors.
  bool tensor_like = false;
  size_t num_dynamic_inputs = 0;
  size_t num_dynamic_outputs = 0;
  // <Op>Output of an operator with several outputs; made by Python with the function.
  nb::object output_class;

  explicit Operator(const ops::OpDef* d) : def(d) {
    for (bool required : {true, false}) {
      for (const ops::AttrDef& a : d->attrs()) {
        if (a.required == required) attrs.push_back(&a);
      }
    }
    bool all_optional = true;
    for (const ops::IoDef& io : d->inputs()) {
      all_optional &= io.kind == IoKind::kOptional;
      num_dynamic_inputs += io.kind == IoKind::kDynamic;
    }
    for (const ops::IoDef& io : d->outputs()) num_dynamic_outputs += io.kind == IoKind::kDynamic;
    tensor_like = d->inputs().size() > 1 || all_optional;
  }
  std::string_view type() const { return def->type().view(); }
};

// ---- attributes -----------------------------------------------------------------------------------------------------

[[noreturn]] void RaiseAttr(const Operator& op, const ops::AttrDef& def, const char* expected, nb::handle found) {
  RaiseTypeError(StrCat("attribute '", def.name.view(), "' of operator '", op.type(), "' must be ", expected, ", found '",
                        Shown(found), "'"));
}

template <typename T, typename Fn>
std::vector<T> ListAttr(const Operator& op, const ops::AttrDef& def, const char* expected, nb::handle value, Fn read) {
  bool is_list = IsList(value);
  if (!is_list && !PyTuple_Check(value.ptr())) RaiseAttr(op, def, expected, value);
  Py_ssize_t n = is_list ? PyList_Size(value.ptr()) : PyTuple_Size(value.ptr());
  std::vector<T> out;
  out.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    nb::handle item = is_list ? PyList_GetItem(value.ptr(), i) : PyTuple_GetItem(value.ptr(), i);
    T element{};
    if (!read(item, &element)) RaiseAttr(op, def, expected, value);
    out.push_back(std::move(element));
  }
  return out;
}

bool ReadInt(nb::handle h, int64_t* out) {
  if (!IsInt(h)) return false;
  *out = WrappedInt(h);
  return true;
}
bool ReadFloat(nb::handle h, float* out) {
  if (!IsFloat(h) && !IsInt(h)) return false;
  double v = PyFloat_AsDouble(h.ptr());
  if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
  *out = static_cast<float>(v);
  return true;
}
bool ReadBool(nb::handle h, bool* out) {
  if (!IsInt(h)) return false;
  *out = PyObject_IsTrue(h.ptr()) == 1;
  return true;
}
bool ReadText(nb::handle h, std::string* out) {
  if (!IsText(h)) return false;
  *out = std::string(Text(h));
  return true;
}

ir::AttrValue ReadAttr(const Operator& op, const ops::AttrDef& def, nb::handle value, nb::handle builder) {
  switch (def.type) {
    case AttrType::kInt: {
      int64_t v;
      if (!ReadInt(value, &v)) RaiseAttr(op, def, "an int", value);
      return v;
    }
    case AttrType::kFloat: {
      float v;
      if (!ReadFloat(value, &v)) RaiseAttr(op, def, "a float", value);
      return v;
    }
    case AttrType::kBool: {
      bool v;
      if (!ReadBool(value, &v)) RaiseAttr(op, def, "a bool", value);
      return v;
    }
    case AttrType::kString: {
      std::string v;
      if (!ReadText(value, &v)) RaiseAttr(op, def, "a str", value);
      return v;
    }
    case AttrType::kType: {
      ir::DataType v;
      if (!ReadDataType(value, &v)) RaiseAttr(op, def, "a ge.graph.DataType", value);
      return v;
    }
    case AttrType::kTensor: {
      PyTensor* tensor = As<PyTensor>(value);
      if (tensor == nullptr) RaiseAttr(op, def, "a ge.graph.Tensor", value);
      value.attr("_transfer_ownership_when_pass_as_attr")(builder);
      return tensor->tensor;
    }
    case AttrType::kListInt: return ListAttr<int64_t>(op, def, "a list of int", value, ReadInt);
    case AttrType::kListFloat: return ListAttr<float>(op, def, "a list of float", value, ReadFloat);
    case AttrType::kListBool: return ListAttr<bool>(op, def, "a list of bool", value, ReadBool);
    case AttrType::kListString: return ListAttr<std::string>(op, def, "a list of str", value, ReadText);
    case AttrType::kListType: return ListAttr<ir::DataType>(op, def, "a list of ge.graph.DataType", value, ReadDataType);
    case AttrType::kListListInt:
      return ListAttr<std::vector<int64_t>>(op, def, "a list of lists of int", value, ReadInts);
  }
  RaiseAttr(op, def, "of a known kind", value);
}

// Only what differs from the declared default is written; required and tensor attributes always.
void SetAttrs(const Operator& op, ir::Node* node, nb::handle values, nb::handle builder) {
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const ops::AttrDef& def = *op.attrs[i];
    nb::handle value = PyTuple_GetItem(values.ptr(), static_cast<Py_ssize_t>(i));
    if (!value.is_valid()) nb::raise_python_error();
    if (def.type == AttrType::kTensor && value.is_none()) {
      node->graph()->SetAttr(node, def.name, std::make_shared<const ir::Tensor>());
      continue;
    }
    ir::AttrValue v = ReadAttr(op, def, value, builder);
    if (!def.required && def.type != AttrType::kTensor && ir::Equal(v, def.default_value)) continue;
    node->graph()->SetAttr(node, def.name, std::move(v));
  }
}

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

[[noreturn]] void RaiseNoBuilder(const Operator& op, const Inputs& inputs) {
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

ir::GraphPtr TakeSubgraph(const Operator& op, std::string_view slot, nb::handle h, const Owner& owner) {
  PyGraph* graph = As<PyGraph>(h);
  if (graph == nullptr) {
    RaiseTypeError(StrCat("subgraph '", slot, "' of operator '", op.type(), "' must be a ge.graph.Graph, found '",
                          Shown(h.type()), "'"));
  }
  ir::Graph& g = Live(*graph);
  h.attr("_transfer_ownership_when_pass_as_subgraph")(owner.object);
  if (graph->owned == nullptr) RaiseRuntimeError(StrCat("graph '", g.name(), "' belongs to the compiler"));
  return graph->owned;
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

void AttachSubgraphs(const Operator& op, ir::Node* node, nb::handle args, const Inputs& inputs, nb::handle counts,
                     const Owner& owner) {
  size_t num_inputs = inputs.dynamic_counts.empty() ? inputs.size : static_cast<size_t>(inputs.dynamic_counts[0]);
  int64_t num_outputs = -1;
  if (op.num_dynamic_outputs > 0) num_outputs = WrappedInt(PyTuple_GetItem(counts.ptr(), 0));
  auto attach = [&](std::string slot, nb::handle h) {
    ir::GraphPtr graph = TakeSubgraph(op, slot, h, owner);
    // The condition of a loop gives one truth value, whatever the loop carries.
    bool condition = slot == "cond";
    CheckSubgraph(op, *graph, num_inputs, condition ? -1 : num_outputs);
    Status status = node->graph()->AddSubgraph(node, slot, graph);
    if (!status.ok()) RaiseRuntimeError(StrCat("failed to use a subgraph in '", op.type(), "': ", status.message()));
  };
  const auto& defs = op.def->subgraphs();
  for (size_t i = 0; i < defs.size(); ++i) {
    nb::handle arg = PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i));
    if (!arg.is_valid()) nb::raise_python_error();
    if (defs[i].kind == ops::SubgraphKind::kStatic) {
      attach(std::string(defs[i].name.view()), arg);
      continue;
    }
    if (!IsList(arg)) {
      RaiseTypeError(StrCat("subgraphs '", defs[i].name.view(), "' of operator '", op.type(), "' must be a list"));
    }
    for (Py_ssize_t k = 0; k < PyList_Size(arg.ptr()); ++k) {
      attach(StrCat(defs[i].name.view(), k), PyList_GetItem(arg.ptr(), k));
    }
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

nb::object Make(Operator& op, nb::handle args, nb::handle attrs, nb::handle given_builder, nb::handle counts,
                nb::handle subgraphs) {
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
    SetAttrs(op, node, attrs, owner.object);
    if (const ir::Tensor* value = node->const_value()) graph.SetOutputDesc(node, 0, value->desc);
    if (op.num_dynamic_inputs > 1) {
      static const ir::Symbol kCounts("_dynamic_input_counts");
      graph.SetAttr(node, kCounts, inputs.dynamic_counts);
    }
    if (!op.def->subgraphs().empty()) AttachSubgraphs(op, node, subgraphs, inputs, counts, owner);
    builder.ApplyScopes(node);
  } catch (...) {
    graph.RemoveNode(node);
    throw;
  }
  return Results(op, node, counts, owner);
}

// ---- descriptions ---------------------------------------------------------------------------------------------------

const char* Name(IoKind kind) {
  return kind == IoKind::kRequired ? "required" : kind == IoKind::kOptional ? "optional" : "dynamic";
}

const char* Name(AttrType type) {
  switch (type) {
    case AttrType::kInt: return "int";
    case AttrType::kFloat: return "float";
    case AttrType::kBool: return "bool";
    case AttrType::kString: return "str";
    case AttrType::kType: return "DataType";
    case AttrType::kTensor: return "Tensor";
    case AttrType::kListInt: return "List[int]";
    case AttrType::kListFloat: return "List[float]";
    case AttrType::kListBool: return "List[bool]";
    case AttrType::kListString: return "List[str]";
    case AttrType::kListType: return "List[DataType]";
    case AttrType::kListListInt: return "List[List[int]]";
  }
  return "object";
}

nb::list Describe(const std::vector<ops::IoDef>& ios) {
  nb::list out;
  for (const ops::IoDef& io : ios) {
    nb::list dtypes;
    for (ir::DataType t : io.dtypes) dtypes.append(NewText(ir::Name(t)));
    out.append(nb::make_tuple(NewText(io.name.view()), Name(io.kind), dtypes));
  }
  return out;
}

bool OfferedBy(const ops::OpDef& def, std::string_view group) {
  if (group == "all" || def.es_group() == group) return true;
  // Passes written for CANN import this one from there, although no group declares it.
  return group == "math" && def.type().view() == "MatMul";
}

nb::dict Describe(const Operator& op) {
  nb::dict out;
  out["type"] = NewText(op.type());
  out["group"] = NewText(op.def->es_group());
  out["inputs"] = Describe(op.def->inputs());
  out["outputs"] = Describe(op.def->outputs());
  nb::list attrs;
  for (const ops::AttrDef* a : op.attrs) {
    nb::object value = a->required ? nb::none() : DefaultToPython(a->default_value);
    attrs.append(nb::make_tuple(NewText(a->name.view()), Name(a->type), a->required, value));
  }
  out["attrs"] = attrs;
  nb::list subgraphs;
  for (const ops::SubgraphDef& s : op.def->subgraphs()) {
    subgraphs.append(nb::make_tuple(NewText(s.name.view()), s.kind == ops::SubgraphKind::kDynamic));
  }
  out["subgraphs"] = subgraphs;
  return out;
}

}  // namespace

void BindEsOperators(nb::module_& m) {
  nb::class_<Operator>(m, "EsOperator", "What an operator function of ge.es calls.")
      .def("describe", [](const Operator& op) { return Describe(op); },
           "Inputs, outputs, attributes (required ones first) and subgraphs.")
      .def("offered_by", [](const Operator& op, nb::str group) { return OfferedBy(*op.def, Text(group)); })
      .def_rw("output_class", &Operator::output_class);

  m.def(
      "es_operator",
      [](nb::str type) -> nb::object {
        const ops::OpDef* def = ops::FindOp(ir::Symbol(Text(type)));
        return def ? nb::cast(Operator(def)) : nb::none();
      },
      "The operator of that type, or None.");
  m.def(
      "es_operator_names",
      [](nb::str group) {
        std::string_view wanted = Text(group);
        nb::list out;
        for (const ops::OpDef* def : ops::AllOps()) {
          if (OfferedBy(*def, wanted)) out.append(NewText(def->type().view()));
        }
        return out;
      },
      "Types of the operators a group offers, sorted; 'all' offers every one.");
  m.def(
      "es_call",
      [](Operator& op, nb::handle inputs, nb::handle attrs) { return Make(op, inputs, attrs, {}, {}, {}); },
      "Makes a node: a tuple of its inputs, a tuple of its attributes in the order of describe().");
  m.def(
      "es_call_full",
      [](Operator& op, nb::handle inputs, nb::handle attrs, nb::handle builder, nb::handle counts,
         nb::handle subgraphs) { return Make(op, inputs, attrs, builder, counts, subgraphs); },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
      "The same with a builder or None, the counts of dynamic outputs and the subgraphs.");
}

}  // namespace ge::bridge
