// ge.es.TensorHolder.
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_builder.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using ir::DataType;

// The producer, when it can still be reached.
ir::Node* NodeOf(const TensorHolder& self) {
  ir::Node* node = self.anchor.node;
  if (node->graph() == nullptr) {
    RaiseRuntimeError(StrCat("tensor has expired: node '", node->name(), "' was removed from its graph"));
  }
  return node;
}

template <typename Fn>
void ChangeDesc(TensorHolder& self, Fn change) {
  ir::Node* node = NodeOf(self);
  if (self.anchor.index >= node->num_outputs()) {
    RaiseRuntimeError(StrCat("failed to change the desc of node '", node->name(), "': it has no such output"));
  }
  ir::TensorDesc desc = node->output_desc(self.anchor.index);
  change(desc);
  node->graph()->SetOutputDesc(node, self.anchor.index, std::move(desc));
}

TensorHolder& SetDataType(TensorHolder& self, nb::handle data_type) {
  self.builder->RequireOpen("set data type");
  DataType type;
  if (!ReadDataType(data_type, &type)) RaiseTypeError("Data type must be a DataType enum");
  ChangeDesc(self, [&](ir::TensorDesc& d) { d.dtype = type; });
  return self;
}

TensorHolder& SetFormat(TensorHolder& self, nb::handle format) {
  self.builder->RequireOpen("set format");
  ir::Format f;
  if (!ReadFormat(format, &f)) RaiseTypeError("Format must be a Format enum");
  ChangeDesc(self, [&](ir::TensorDesc& d) { d.format = d.origin_format = f; });
  return self;
}

TensorHolder& SetShape(TensorHolder& self, nb::handle shape) {
  self.builder->RequireOpen("set shape");
  if (!IsList(shape)) RaiseTypeError("Shape must be a list of integers");
  std::vector<int64_t> dims;
  if (!ReadInts(shape, &dims)) RaiseTypeError("All shape dimensions must be integers");
  ChangeDesc(self, [&](ir::TensorDesc& d) {
    d.shape = ShapeOf(dims);
    d.origin_shape = nullptr;
  });
  return self;
}

nb::object Repr(const TensorHolder& self) {
  const ir::Node* node = self.anchor.node;
  std::string_view kind = node->graph() == nullptr ? "removed" : node->type().view();
  return NewText(StrCat("<ge.es.TensorHolder, output ", self.anchor.index, " of '", node->name(), "' (", kind, ")>"));
}

// ---- the private handle ---------------------------------------------------------------------------------------------

// A number that stands for the tensor: the node's address and, in the low bits, which of its outputs.
constexpr int kOutputBits = 16;

uint64_t HandleOf(const TensorHolder& self) {
  return (static_cast<uint64_t>(reinterpret_cast<uintptr_t>(self.anchor.node)) << kOutputBits) | self.anchor.index;
}

nb::object CreateFrom(nb::handle handle, nb::handle owner_builder) {
  if (handle.is_none()) RaiseValueError("Tensor handle cannot be None");
  if (owner_builder.is_none()) RaiseValueError("Owner builder cannot be None");
  Builder* builder = As<Builder>(owner_builder);
  if (builder == nullptr) RaiseTypeError("Owner builder must be a GraphBuilder");
  if (IsInt(handle)) {
    auto wanted = static_cast<uint64_t>(WrappedInt(handle));
    for (ir::Node* node : builder->graph()->nodes()) {
      if (reinterpret_cast<uintptr_t>(node) != wanted >> kOutputBits) continue;
      auto index = static_cast<uint32_t>(wanted & ((1u << kOutputBits) - 1));
      return NewHolder(owner_builder, builder, {node, index});
    }
  }
  RaiseValueError(StrCat("failed to make a tensor of graph '", builder->name(), "': expected the handle of one of its "
                         "tensors, found '", Shown(handle), "'"));
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

struct Arithmetic {
  const char* operation;  // as messages name it
  const char* type;
  ir::Symbol symbol{type};
};

const Arithmetic& AddOp() {
  static const Arithmetic op{"add", "Add"};
  return op;
}
const Arithmetic& SubOp() {
  static const Arithmetic op{"sub", "Sub"};
  return op;
}
const Arithmetic& MulOp() {
  static const Arithmetic op{"mul", "Mul"};
  return op;
}
const Arithmetic& DivOp() {
  static const Arithmetic op{"div", "Div"};
  return op;
}

ir::Anchor Operand(nb::handle h, const TensorHolder& beside, const Arithmetic& op) {
  if (TensorHolder* holder = HolderOf(h)) {
    if (holder->builder != beside.builder) {
      RaiseValueError(StrCat("Cannot perform ", op.operation, ": tensors from different GraphBuilders"));
    }
    beside.builder->RequireOpen(op.operation);
    return holder->anchor;
  }
  beside.builder->RequireOpen(op.operation);
  return ConstantOf(h, *beside.builder);
}

void ConnectOrRaise(ir::Anchor source, ir::Node* node, uint32_t slot) {
  if (source.node->graph() != node->graph() || source.index >= source.node->num_outputs()) {
    RaiseRuntimeError(StrCat("failed to connect '", source.node->name(), "' to '", node->name(),
                             "': expected an output of a node of the same graph"));
  }
  node->graph()->Connect(source, node, slot);
}

nb::object Binary(const TensorHolder& self, ir::Anchor x1, ir::Anchor x2, const Arithmetic& op) {
  ir::Node* node = self.builder->AddNode(op.symbol, 2, 1);
  ConnectOrRaise(x1, node, 0);
  ConnectOrRaise(x2, node, 1);
  self.builder->ApplyScopes(node);
  return NewHolder(self.owner, self.builder, {node, 0});
}

template <const Arithmetic& (*kOp)()>
nb::object Forward(TensorHolder& self, nb::handle other) {
  ir::Anchor x2 = Operand(other, self, kOp());
  return Binary(self, self.anchor, x2, kOp());
}

// `other` came first in the source text; it is no holder, or its own operator would have run.
template <const Arithmetic& (*kOp)()>
nb::object Reflected(TensorHolder& self, nb::handle other) {
  ir::Anchor x1 = Operand(other, self, kOp());
  return Binary(self, x1, self.anchor, kOp());
}

}  // namespace

void BindEsTensorHolder(nb::module_& m) {
  nb::class_<TensorHolder>(m, "TensorHolder",
                           "One output of a node in a graph under construction. `+ - * /` work with other tensors,\n"
                           "numbers and nested lists of numbers.")
      .def("__init__", [](TensorHolder*, nb::args,
                          nb::kwargs) { RaiseRuntimeError("TensorHolder objects should not be created directly"); })
      .def_prop_ro("name", [](const TensorHolder& self) { return NewText(self.anchor.node->name()); })
      .def("set_data_type", &SetDataType, nb::arg("data_type").none(), nb::rv_policy::reference)
      .def("set_format", &SetFormat, nb::arg("format").none(), nb::rv_policy::reference)
      .def("set_shape", &SetShape, nb::arg("shape").none(), nb::rv_policy::reference)
      .def("add", &Forward<AddOp>, "other"_a)
      .def("sub", &Forward<SubOp>, "other"_a)
      .def("mul", &Forward<MulOp>, "other"_a)
      .def("div", &Forward<DivOp>, "other"_a)
      .def("__add__", &Forward<AddOp>, "other"_a)
      .def("__sub__", &Forward<SubOp>, "other"_a)
      .def("__mul__", &Forward<MulOp>, "other"_a)
      .def("__truediv__", &Forward<DivOp>, "other"_a)
      // Addition and multiplication keep the tensor first.
      .def("__radd__", &Forward<AddOp>, "other"_a)
      .def("__rmul__", &Forward<MulOp>, "other"_a)
      .def("__rsub__", &Reflected<SubOp>, "other"_a)
      .def("__rtruediv__", &Reflected<DivOp>, "other"_a)
      .def("get_owner_builder", [](const TensorHolder& self) { return self.owner; })
      .def("_get_node_snapshot",
           [](const TensorHolder& self) {
             ir::Node* node = NodeOf(self);
             return NewNode(node, node->graph()->liveness());
           })
      .def_prop_ro("_builder", [](const TensorHolder& self) { return self.owner; })
      .def_prop_ro("_handle", &HandleOf)
      .def("__repr__", &Repr)
      .def("__copy__", [](const TensorHolder& self) { return NewHolder(self.owner, self.builder, self.anchor); })
      .def("__deepcopy__",
           [](const TensorHolder&, nb::handle) { RaiseRuntimeError("TensorHolder does not support deepcopy"); },
           nb::arg("memo").none())
      .def_static("_create_from", &CreateFrom, nb::arg("handle").none(), nb::arg("owner_builder").none())
      // NumPy's numbers leave the operators to this class.
      .attr("__array_ufunc__") = nb::none();
}

}  // namespace ge::bridge
