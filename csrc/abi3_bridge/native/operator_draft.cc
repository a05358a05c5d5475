// What ge.graph.Operator writes into: the type, ports and attributes of a node that is still to be made.
#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"

namespace ge::bridge {
namespace {

struct Port {
  std::string name;
  const char* kind;
  uint32_t count;
};

struct OperatorDraft {
  std::string name;
  std::string type;
  ir::AttrMap attrs;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
};

uint32_t Slots(const std::vector<Port>& ports) {
  uint32_t n = 0;
  for (const Port& p : ports) n += p.count;
  return n;
}

nb::list Describe(const std::vector<Port>& ports) {
  nb::list out;
  for (const Port& p : ports) out.append(nb::make_tuple(NewText(p.name), nb::str(p.kind), p.count));
  return out;
}

void AddPort(std::vector<Port>& ports, const OperatorDraft& draft, nb::handle name, const char* kind, uint32_t count) {
  std::string text(TextOrRaise(name, "name of a port must be a string"));
  for (const Port& p : ports) {
    if (p.name == text) {
      RaiseRuntimeError(StrCat("failed to register '", text, "' of operator '", draft.name, "': there is a port of that "
                               "name already"));
    }
  }
  ports.push_back({std::move(text), kind, count});
}

// Makes the node: unconnected inputs, one slot for each element of a dynamic port.
nb::object AddTo(const OperatorDraft& draft, nb::handle graph) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError("graph must be a Graph");
  ir::Graph& target = Live(*g);
  if (target.FindNode(draft.name) != nullptr) {
    RaiseRuntimeError(StrCat("failed to add operator '", draft.name, "' to graph '", target.name(), "': it has a node of "
                             "that name"));
  }
  ir::Node* node = target.AddNode(ir::Symbol(draft.type), draft.name, Slots(draft.inputs), Slots(draft.outputs));
  for (const ir::AttrMap::Entry& e : draft.attrs) target.SetAttr(node, e.first, e.second);
  return NewNode(node, TokenOf(*g, node));
}

}  // namespace

void BindOperatorDraft(nb::module_& m) {
  nb::class_<OperatorDraft>(m, "OperatorDraft", "Type, ports and attributes of a node that is still to be made.")
      .def(
          "__init__",
          [](OperatorDraft* self, nb::handle name, nb::handle type) {
            new (self) OperatorDraft{std::string(TextOrRaise(name, "name must be a string")),
                                     std::string(TextOrRaise(type, "type must be a string")), {}, {}, {}};
          },
          nb::arg("name"), nb::arg("type"))
      .def_prop_ro("name", [](const OperatorDraft& d) { return NewText(d.name); })
      .def_prop_ro("type", [](const OperatorDraft& d) { return NewText(d.type); })
      .def_prop_ro("inputs", [](const OperatorDraft& d) { return Describe(d.inputs); }, "[(name, kind, count), ...]")
      .def_prop_ro("outputs", [](const OperatorDraft& d) { return Describe(d.outputs); })
      .def("set_attr",
           [](OperatorDraft& d, nb::handle name, nb::handle value) {
             // An empty list tells no kind; whoever knows the operator's prototype gives it the right one.
             const bool empty = IsList(value) && PyList_Size(value.ptr()) == 0;
             ir::AttrValue v = empty ? ir::AttrValue(std::vector<float>()) : AttrFromPython(value);
             d.attrs.Set(ir::Symbol(TextOrRaise(name, "attr name must be a string")), std::move(v));
           },
           nb::arg("name"), nb::arg("value").none())
      .def("add_input", [](OperatorDraft& d, nb::handle name) { AddPort(d.inputs, d, name, "required", 1); },
           nb::arg("name"))
      .def("add_optional_input", [](OperatorDraft& d, nb::handle name) { AddPort(d.inputs, d, name, "optional", 1); },
           nb::arg("name"))
      .def("add_output", [](OperatorDraft& d, nb::handle name) { AddPort(d.outputs, d, name, "required", 1); },
           nb::arg("name"))
      .def("add_dynamic_input",
           [](OperatorDraft& d, nb::handle name, uint32_t count) { AddPort(d.inputs, d, name, "dynamic", count); },
           nb::arg("name"), nb::arg("count"))
      .def("add_dynamic_output",
           [](OperatorDraft& d, nb::handle name, uint32_t count) { AddPort(d.outputs, d, name, "dynamic", count); },
           nb::arg("name"), nb::arg("count"))
      .def("add_to", &AddTo, nb::arg("graph"), "Makes the node in a graph and returns it.");
}

}  // namespace ge::bridge
