#include "abi3_bridge/custom_op_bridge/parse_node.h"

#include <stdexcept>

#include "abi3_bridge/custom_op_bridge/python_side.h"
#include "abi3_bridge/custom_op_bridge/report.h"
#include "abi3_bridge/handles.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/onnx_node_handle.h"
#include "base/strings.h"
#include "custom_op/onnx_plugin.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;
namespace {

using custom_op::OnnxNode;
using custom_op::OnnxPlugin;
using custom_op::ParsedNode;

std::vector<ParsedNode::Port> PortsOf(nb::handle ports) {
  std::vector<ParsedNode::Port> out;
  for (nb::handle described : ports) {
    nb::object port = nb::borrow(described);
    out.push_back({std::string(bridge::Text(nb::object(port[0]))), nb::cast<uint32_t>(nb::object(port[2])),
                   bridge::Text(nb::object(port[1])) == "dynamic"});
  }
  return out;
}

void RequireNoMore(const std::vector<ParsedNode::Port>& ports, size_t given, const char* what) {
  uint64_t elements = 0;
  for (const ParsedNode::Port& port : ports) elements += port.dynamic ? port.count : 0;
  if (elements > given) {
    throw std::runtime_error(StrCat("parse_node registered ", elements, " element(s) of dynamic ", what, "s, the node has ",
                                    given, " ", what, "(s)"));
  }
}

// The attributes that the callback has set lie in a draft of the other native module, which can put them into a node.
void Read(nb::handle draft, const OnnxNode& source, ParsedNode* out) {
  out->inputs = PortsOf(draft.attr("inputs"));
  RequireNoMore(out->inputs, source.inputs.size(), "input");
  RequireNoMore(PortsOf(draft.attr("outputs")), source.outputs.size(), "output");
  nb::object scratch = nb::module_::import_("ge.graph").attr("Graph")("parse_node");
  nb::object made = draft.attr("add_to")(scratch);
  const ir::Node* node = bridge::NodeOrRaise(made, "add_to of a draft must return a Node");
  for (const auto& [name, value] : node->attrs()) out->attrs.Set(name, value);
}

Status Parse(const OnnxPlugin& plugin, const OnnxNode& node, ParsedNode* out) {
  nb::gil_scoped_acquire gil;
  if (!gil.is_valid()) return Status::Error("the Python interpreter has ended");
  const bool done = Guarded<bool>(false, [&] {
    nb::object type = nb::module_::import_("ge.passes.runtime").attr("ensure_native_module")().attr("OperatorDraft");
    nb::object draft = type(bridge::NewText(node.name.empty() ? "node" : node.name), bridge::NewText(plugin.target));
    nb::object view = nb::cast(bridge::PyOnnxNode{node}, nb::rv_policy::move);
    PythonSide::Get().call_parse_node(bridge::NewText(node.origin_type), view, draft);
    Read(draft, node, out);
    return true;
  });
  if (done) return Status::Ok();
  const std::string why = custom_op::TakeCallbackError();
  const std::string in = Guarded<std::string>({}, [&] {
    nb::object file = PythonSide::Get().plugin_source_of(bridge::NewText(node.origin_type));
    return StrCat(" in '", bridge::Text(file), "'");
  });
  return Status::Error(StrCat("ONNX plugin '", plugin.descriptor_key, "'", in, " failed: ", why));
}

}  // namespace

void RegisterPlugin(nb::handle descriptor) {
  nb::object d = nb::borrow(descriptor);
  OnnxPlugin plugin;
  plugin.descriptor_key = bridge::Text(nb::object(d["descriptor_key"]));
  plugin.target = bridge::Text(nb::object(d["target"]));
  for (nb::handle origin : nb::object(d["origin_types"])) plugin.origin_types.emplace_back(bridge::Text(origin));
  plugin.parse = &Parse;
  const Status status = custom_op::RegisterOnnxPlugin(std::move(plugin));
  if (!status.ok()) throw std::runtime_error(status.message());
}

}  // namespace ge::custom_op_bridge
