#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/raw_handle.h"

namespace ge::bridge {
namespace {

constexpr const char* kInputIndex = "Input index must be an integer";
constexpr const char* kOutputIndex = "Output index must be an integer";
constexpr const char* kAttrKey = "Attribute key must be a string";
constexpr const char* kAttrName = "Attribute name must be a string";

std::string Label(const ir::Node* n) { return StrCat("node '", n->name(), "' (", n->type().view(), ")"); }

// An index of an existing slot, else RuntimeError.
uint32_t Slot(const ir::Node* n, int64_t index, uint32_t count, const char* what) {
  if (index < 0 || index >= static_cast<int64_t>(count)) {
    RaiseRuntimeError(StrCat("failed to reach ", what, " ", index, " of ", Label(n), ": expected an index below ", count,
                             "; ask for the size first"));
  }
  return static_cast<uint32_t>(index);
}

// The desc shown for an input. Data nodes have no slot in the IR; their input stands for what is fed, which is what they
// give out.
const ir::TensorDesc& InputDesc(const ir::Node* n, int64_t index) {
  if (n->is_data() && n->num_inputs() == 0 && index == 0 && n->num_outputs() > 0) return n->output_desc(0);
  uint32_t i = Slot(n, index, n->num_inputs(), "input");
  if (!n->input(i) && !n->has_input_desc(i)) {
    RaiseRuntimeError(StrCat("failed to read the desc of input ", index, " of ", Label(n),
                             ": the input is not connected"));
  }
  const ir::TensorDesc& desc = n->input_desc(i);
  // Nothing is known of a graph output before inference; the GE API shows its default desc there.
  static const auto* plain = new ir::TensorDesc({}, ir::DataType::kFloat);
  if (n->is_net_output() && desc.dtype == ir::DataType::kUndefined && desc.shape.unknown_rank()) return *plain;
  return desc;
}

const ir::TensorDesc& DescOrRaise(nb::handle h) {
  ir::TensorDesc* desc = As<ir::TensorDesc>(h);
  if (desc == nullptr) RaiseTypeError("tensor_desc must be a TensorDesc");
  return *desc;
}

nb::object ReadAttr(const ir::AttrMap& attrs, std::string_view key, const ir::Node* n) {
  const ir::AttrValue* value = key.empty() ? nullptr : attrs.Find(ir::Symbol(key));
  if (value == nullptr) {
    RaiseRuntimeError(StrCat("failed to get attribute '", key, "' of ", Label(n),
                             ": it is not set; ask has_attr first"));
  }
  std::string problem;
  nb::object result = AttrToPython(*value, &problem);
  if (!result.is_valid()) RaiseRuntimeError(StrCat("failed to get attribute '", key, "' of ", Label(n), ": ", problem));
  return result;
}

ir::Symbol KeyToSet(std::string_view key, const ir::Node* n) {
  if (key.empty()) RaiseRuntimeError(StrCat("failed to set an attribute of ", Label(n), ": the name is empty"));
  return ir::Symbol(key);
}

// Making Python objects may run other Python code, which may change the graph: nodes are collected first.
nb::list NodeList(std::span<ir::Node* const> nodes, const Token& token) {
  std::vector<ir::Node*> kept(nodes.begin(), nodes.end());
  nb::list out;
  for (ir::Node* n : kept) out.append(NewNode(n, token));
  return out;
}

nb::tuple NodeAndIndex(ir::Node* n, uint32_t index, const Token& token) {
  return nb::make_tuple(NewNode(n, token), nb::int_(index));
}

nb::object Producer(const PyNode& self, nb::handle in_index) {
  int64_t index = IntOrRaise(in_index, kInputIndex);
  ir::Node* n = Live(self);
  ir::Anchor source = n->input(Slot(n, index, n->num_inputs(), "input"));
  if (!source) {
    RaiseRuntimeError(StrCat("failed to get the producer of input ", index, " of ", Label(n),
                             ": the input is not connected"));
  }
  return NodeAndIndex(source.node, source.index, self.token);
}

nb::object Consumers(const PyNode& self, nb::handle out_index) {
  int64_t index = IntOrRaise(out_index, kOutputIndex);
  if (self.node == nullptr) RaiseRuntimeError(StrCat("Failed to get output data node for index ", index, ": graph handle "
                                                     "has expired"));
  ir::Node* n = Live(self);
  std::vector<std::pair<ir::Node*, uint32_t>> uses;
  if (index >= 0 && index < static_cast<int64_t>(n->num_outputs())) {
    for (const ir::InputSlot& use : n->uses(static_cast<uint32_t>(index))) uses.emplace_back(use.node(), use.index());
  }
  nb::list out;
  for (auto [consumer, slot] : uses) out.append(NodeAndIndex(consumer, slot, self.token));
  return out;
}

nb::object HandleOf(const PyNode& self) {
  if (self.node == nullptr) return nb::none();
  ir::Node* n = Live(self);
  return NewRawHandle(NewNode(n, self.token), n);
}

// Taking the handle away makes the node expire; any null pointer does.
void SetHandle(PyNode& self, nb::handle handle) {
  if (PyObject_IsTrue(handle.ptr()) == 1) {
    PyNode target = TargetOrRaise<PyNode>(handle, "Node");
    self.node = target.node;
    self.token = target.token;
  } else {
    self.node = nullptr;
  }
}

nb::object Repr(const PyNode& self) {
  // A removed node still has its name, for as long as its graph exists.
  const bool known = self.node != nullptr && Usable(self.token);
  std::string what = known ? StrCat(" '", self.node->name(), "' of type '", self.node->type().view(), "'") : std::string();
  if (const char* why = WhyUnusable(self)) return NewText(StrCat("<ge.graph.Node", what, ", ", why, ">"));
  return NewText(StrCat("<ge.graph.Node", what, ", ", Counted(self.node->num_connected_inputs(), "input"), ", ",
                        Counted(self.node->num_outputs(), "output"), ">"));
}

[[noreturn]] void NoCopy(const char* what) { RaiseRuntimeError(StrCat("Node does not support ", what)); }

void BindAttrs(nb::class_<PyNode>& c) {
  c.def(
       "has_attr",
       [](const PyNode& self, nb::handle name) {
         std::string_view key = TextOrRaise(name, "attr_name must be a string");
         return Live(self)->attrs().Find(ir::Symbol(key)) != nullptr && !key.empty();
       },
       nb::arg("attr_name").none(), "Whether the attribute is set on this node.")
      .def(
          "get_attr",
          [](const PyNode& self, nb::handle key) {
            std::string_view k = TextOrRaise(key, kAttrKey);
            ir::Node* n = Live(self);
            return ReadAttr(n->attrs(), k, n);
          },
          nb::arg("key").none(), "Value of an attribute; RuntimeError if it is not set.")
      .def(
          "set_attr",
          [](const PyNode& self, nb::handle key, nb::handle value) {
            std::string_view k = TextOrRaise(key, kAttrKey);
            ir::AttrValue v = AttrFromPython(value);
            ir::Node* n = Live(self);
            n->graph()->SetAttr(n, KeyToSet(k, n), std::move(v));
          },
          nb::arg("key").none(), nb::arg("value").none())
      .def(
          "get_input_attr",
          [](const PyNode& self, nb::handle name, nb::handle index) {
            std::string_view k = TextOrRaise(name, kAttrName);
            int64_t i = IntOrRaise(index, kInputIndex);
            ir::Node* n = Live(self);
            return ReadAttr(n->input_attrs(Slot(n, i, n->num_inputs(), "input")), k, n);
          },
          nb::arg("attr_name").none(), nb::arg("input_index").none())
      .def(
          "set_input_attr",
          [](const PyNode& self, nb::handle name, nb::handle index, nb::handle value) {
            std::string_view k = TextOrRaise(name, kAttrName);
            int64_t i = IntOrRaise(index, kInputIndex);
            ir::AttrValue v = AttrFromPython(value);
            ir::Node* n = Live(self);
            n->graph()->SetInputAttr(n, Slot(n, i, n->num_inputs(), "input"), KeyToSet(k, n), std::move(v));
          },
          nb::arg("attr_name").none(), nb::arg("input_index").none(), nb::arg("value").none())
      .def(
          "get_output_attr",
          [](const PyNode& self, nb::handle name, nb::handle index) {
            std::string_view k = TextOrRaise(name, kAttrName);
            int64_t i = IntOrRaise(index, kOutputIndex);
            ir::Node* n = Live(self);
            return ReadAttr(n->output_attrs(Slot(n, i, n->num_outputs(), "output")), k, n);
          },
          nb::arg("attr_name").none(), nb::arg("output_index").none())
      .def(
          "set_output_attr",
          [](const PyNode& self, nb::handle name, nb::handle index, nb::handle value) {
            std::string_view k = TextOrRaise(name, kAttrName);
            int64_t i = IntOrRaise(index, kOutputIndex);
            ir::AttrValue v = AttrFromPython(value);
            ir::Node* n = Live(self);
            n->graph()->SetOutputAttr(n, Slot(n, i, n->num_outputs(), "output"), KeyToSet(k, n), std::move(v));
          },
          nb::arg("attr_name").none(), nb::arg("output_index").none(), nb::arg("value").none());
}

void BindDescs(nb::class_<PyNode>& c) {
  c.def(
       "get_input_desc",
       [](const PyNode& self, nb::handle index) {
         int64_t i = IntOrRaise(index, kInputIndex);
         return InputDesc(Live(self), i);
       },
       nb::arg("index").none(), "A snapshot of an input's desc.")
      .def(
          "update_input_desc",
          [](const PyNode& self, nb::handle index, nb::handle tensor_desc) {
            int64_t i = IntOrRaise(index, kInputIndex);
            const ir::TensorDesc& desc = DescOrRaise(tensor_desc);
            ir::Node* n = Live(self);
            if (n->is_data() && n->num_inputs() == 0 && i == 0 && n->num_outputs() > 0) {
              n->graph()->SetOutputDesc(n, 0, desc);
              return;
            }
            n->graph()->SetInputDesc(n, Slot(n, i, n->num_inputs(), "input"), desc);
          },
          nb::arg("index").none(), nb::arg("tensor_desc").none())
      .def(
          "get_output_desc",
          [](const PyNode& self, nb::handle index) {
            int64_t i = IntOrRaise(index, kOutputIndex);
            ir::Node* n = Live(self);
            return n->output_desc(Slot(n, i, n->num_outputs(), "output"));
          },
          nb::arg("index").none(), "A snapshot of an output's desc.")
      .def(
          "update_output_desc",
          [](const PyNode& self, nb::handle index, nb::handle tensor_desc) {
            int64_t i = IntOrRaise(index, kOutputIndex);
            const ir::TensorDesc& desc = DescOrRaise(tensor_desc);
            ir::Node* n = Live(self);
            n->graph()->SetOutputDesc(n, Slot(n, i, n->num_outputs(), "output"), desc);
          },
          nb::arg("index").none(), nb::arg("tensor_desc").none());
}

}  // namespace

void BindNode(nb::module_& m) {
  // Programs make and drop nodes by the thousand; a dropped one of 64 bytes serves again at half the cost of a new one.
  // The pool grows with the largest number ever held at a time.
  constexpr uint32_t kPooled = 1 << 17;
  nb::class_<PyNode> c(m, "Node", nb::pooled(kPooled),
                       "A node of a graph. It never keeps its graph alive: used after the graph, the hook that\n"
                       "received it or the node itself is gone, it raises RuntimeError.");
  c.def("__init__",
        [](PyNode*, nb::args, nb::kwargs) { RaiseRuntimeError("Node objects should not be created directly"); })
      .def_prop_ro("name", [](const PyNode& self) { return NewText(Live(self)->name()); })
      .def_prop_ro("type", [](const PyNode& self) { return NewText(Live(self)->type()); })
      .def("get_in_control_nodes", [](const PyNode& self) { return NodeList(Live(self)->control_inputs(), self.token); })
      .def("get_out_control_nodes",
           [](const PyNode& self) { return NodeList(Live(self)->control_outputs(), self.token); })
      .def("get_in_data_nodes_and_port_indexes", &Producer, nb::arg("in_index").none(),
           "(node, output index) of what feeds an input.")
      .def("get_out_data_nodes_and_port_indexes", &Consumers, nb::arg("out_index").none(),
           "[(node, input index), ...] of what an output feeds.")
      .def("get_inputs_size",
           [](const PyNode& self) {
             ir::Node* n = Live(self);
             return n->num_connected_inputs();
           },
           "Number of connected data inputs.")
      .def("get_outputs_size", [](const PyNode& self) { return Live(self)->num_outputs(); })
      .def_prop_ro("_owns_handle", [](const PyNode&) { return false; })
      .def_prop_rw("_handle", &HandleOf, &SetHandle, nb::for_setter(nb::arg("handle").none()))
      .def_static(
          "_create_from",
          [](nb::handle handle, bool) {
            PyNode target = TargetOrRaise<PyNode>(handle, "Node");
            return NewNode(Live(target), target.token);
          },
          nb::arg("node_handle").none(), nb::arg("owns_handle") = true)
      .def("__repr__", &Repr)
      .def("__copy__", [](const PyNode&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const PyNode&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
  BindAttrs(c);
  BindDescs(c);
}

}  // namespace ge::bridge
