// ge.onnx_plugin.OnnxNode.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/onnx_node_handle.h"

namespace ge::bridge {
namespace {

nb::tuple Texts(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(NewText(text));
  return nb::tuple(list);
}

nb::object Value(const ir::AttrValue& value) {
  if (const auto* v = std::get_if<float>(&value)) return nb::float_(static_cast<double>(*v));
  if (const auto* v = std::get_if<int64_t>(&value)) return nb::int_(*v);
  if (const auto* v = std::get_if<std::string>(&value)) return NewText(*v);
  nb::list out;
  if (const auto* v = std::get_if<std::vector<float>>(&value)) {
    for (float f : *v) out.append(nb::float_(static_cast<double>(f)));
  } else if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) {
    for (int64_t i : *v) out.append(nb::int_(i));
  } else if (const auto* v = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& s : *v) out.append(NewText(s));
  }
  return out;
}

nb::object Attrs(const PyOnnxNode& n) {
  nb::dict dict;
  for (const auto& [name, value] : n.node.attrs) dict[NewText(name)] = Value(value);
  return nb::module_::import_("types").attr("MappingProxyType")(dict);
}

}  // namespace

void BindOnnxNode(nb::module_& m) {
  nb::class_<PyOnnxNode>(m, "OnnxNode", "A node of an ONNX model, as a plugin's parse_node gets it.")
      .def_prop_ro("name", [](const PyOnnxNode& n) { return NewText(n.node.name); })
      .def_prop_ro("origin_type", [](const PyOnnxNode& n) { return NewText(n.node.origin_type); },
                   "\"domain::opset::Type\"")
      .def_prop_ro("inputs", [](const PyOnnxNode& n) { return Texts(n.node.inputs); })
      .def_prop_ro("outputs", [](const PyOnnxNode& n) { return Texts(n.node.outputs); })
      .def_prop_ro("attrs", &Attrs, "Attributes by name; floats, ints, strings and lists of them.");
}

}  // namespace ge::bridge
