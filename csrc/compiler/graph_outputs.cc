#include "compiler/graph_outputs.h"

#include <algorithm>

#include "base/strings.h"
#include "compiler/closest_name.h"
#include "formats/onnx/private_attrs.h"

namespace ge::compiler {
namespace {

Status Bad(std::string_view text, std::string_view reason, const char* code) {
  return Status::Error(StrCat("--out_nodes '", text, "': ", reason), code);
}

constexpr std::string_view kForms =
    "; use node names with output numbers (\"conv1:0;fc:1\") or names of tensors (\"out1;out2\")";

ir::Anchor FindTensor(std::string_view name, const ir::Graph& graph) {
  for (const ir::Node* n : graph.nodes()) {
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      if (n->tensor_name(i) == name) return {const_cast<ir::Node*>(n), i};
    }
  }
  return {};
}

std::string Suggestion(std::string_view name, const ir::Graph& graph, bool tensors) {
  std::vector<std::string_view> names;
  for (const ir::Node* n : graph.nodes()) {
    if (!tensors && n->num_outputs() > 0) names.push_back(n->name());
    for (uint32_t i = 0; tensors && i < n->num_outputs(); ++i) names.push_back(n->tensor_name(i));
  }
  std::string_view closest = ClosestName(name, names);
  return closest.empty() ? std::string("; --mode=1 lists the names of a model")
                         : StrCat("; did you mean '", closest, "'?");
}

Result<ChosenOutput> ByTensor(std::string_view text, std::string_view name, const ir::Graph& graph) {
  ir::Anchor source = FindTensor(name, graph);
  if (!source) {
    return Bad(text, StrCat("the model has no tensor '", name, "'", Suggestion(name, graph, true)), "E10016");
  }
  return ChosenOutput{source, std::string(name), std::string(name), -1};
}

Result<ChosenOutput> ByNode(std::string_view text, std::string_view item, const ir::Graph& graph) {
  size_t colon = item.find(':');
  std::string_view name = Trim(item.substr(0, colon));
  std::string_view number = Trim(item.substr(colon + 1));
  bool digits = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  if (name.empty() || !digits) {
    // Names of tensors may hold a colon, too.
    if (ir::Anchor tensor = FindTensor(item, graph))
      return ChosenOutput{tensor, std::string(item), std::string(item), -1};
    return Bad(text, StrCat("'", item, "' is not node:number", kForms), "E10001");
  }
  std::optional<int64_t> index = ParseInt(number);
  if (!index || *index > INT32_MAX) return Bad(text, StrCat("number '", number, "' is too large"), "E10013");
  ir::Node* node = graph.FindNode(name);
  if (node == nullptr || node->is_net_output()) {
    if (ir::Anchor tensor = FindTensor(item, graph))
      return ChosenOutput{tensor, std::string(item), std::string(item), -1};
    return Bad(text, StrCat("the model has no node '", name, "'", Suggestion(name, graph, false)), "E10016");
  }
  if (*index >= node->num_outputs()) {
    return Bad(text,
               StrCat("node '", name, "' (", node->type().view(), ") has no output ", number,
                      ", its number of outputs is ", node->num_outputs()),
               "E10003");
  }
  ir::Anchor source{node, static_cast<uint32_t>(*index)};
  std::string_view own = node->tensor_name(source.index);
  return ChosenOutput{source, own.empty() ? StrCat(name, ":", *index) : std::string(own), std::string(name), *index};
}

// Marks what the outputs need, by id.
std::vector<bool> Needed(const ir::Graph& graph, const ir::Node* net_output) {
  std::vector<bool> needed(graph.all_created().size());
  std::vector<const ir::Node*> stack = {net_output};
  needed[net_output->id()] = true;
  while (!stack.empty()) {
    const ir::Node* n = stack.back();
    stack.pop_back();
    auto visit = [&](const ir::Node* source) {
      if (source == nullptr || needed[source->id()]) return;
      needed[source->id()] = true;
      stack.push_back(source);
    };
    for (uint32_t i = 0; i < n->num_inputs(); ++i) visit(n->input(i).node);
    for (const ir::Node* c : n->control_inputs()) visit(c);
  }
  return needed;
}

void RemoveUnneeded(ir::Graph& graph, const std::vector<bool>& needed) {
  std::vector<ir::Node*> dead;
  for (ir::Node* n : graph.nodes()) {
    // Constants that nothing read before stay what they were: part of the model.
    bool kept = needed[n->id()] || n->is_data() || n->attrs().Find(formats::onnx::Private().unused) != nullptr;
    if (!kept) dead.push_back(n);
  }
  for (ir::Node* n : dead) {
    std::vector<std::string> bodies;
    for (const ir::SubgraphRef& ref : n->subgraphs()) bodies.push_back(ref.graph->name());
    for (const std::string& body : bodies) graph.RemoveSubgraph(body);
    graph.RemoveNode(n);
  }
}

}  // namespace

Result<std::vector<ChosenOutput>> FindOutputs(std::string_view text, const ir::Graph& graph) {
  std::vector<std::string_view> items = Split(text, ';');
  if (items.size() > 1 && Trim(items.back()).empty()) items.pop_back();
  std::vector<ChosenOutput> out;
  for (std::string_view item : items) {
    item = Trim(item);
    if (item.empty()) return Bad(text, StrCat("an item is empty", kForms), "E10001");
    Result<ChosenOutput> chosen =
        item.find(':') == std::string_view::npos ? ByTensor(text, item, graph) : ByNode(text, item, graph);
    if (!chosen.ok()) return chosen.status();
    bool by_node = chosen.value().index >= 0;
    if (!out.empty() && by_node != (out[0].index >= 0))
      return Bad(text, StrCat("'", item, "' is of another form than '", out[0].node, "'", kForms), "E10001");
    for (const ChosenOutput& other : out) {
      if (other.source == chosen.value().source) return Bad(text, StrCat("'", item, "' is named twice"), "E10001");
    }
    out.push_back(std::move(chosen).value());
  }
  return out;
}

void SetOutputs(ir::Graph& graph, const std::vector<ChosenOutput>& outputs) {
  const formats::onnx::PrivateAttrs& names = formats::onnx::Private();
  ir::Node* old = graph.net_output();
  const auto count = static_cast<uint32_t>(outputs.size());
  ir::Node* fresh = graph.AddNode(ir::Common().NetOutput, old == nullptr ? "NetOutput" : old->name(), count, 0);
  std::vector<std::string> output_names;
  for (uint32_t i = 0; i < count; ++i) {
    ir::Anchor source = outputs[i].source;
    graph.Connect(source, fresh, i);
    graph.SetInputDesc(fresh, i, source.node->output_desc(source.index));
    // Declarations that a description can't hold are those of the tensor, or of the output that it was.
    const ir::AttrValue* declared = source.node->output_attrs(source.index).Find(names.value_info);
    for (uint32_t j = 0; old != nullptr && j < old->num_inputs(); ++j) {
      if (old->input(j) == source && declared == nullptr) declared = old->input_attrs(j).Find(names.value_info);
    }
    if (declared != nullptr) graph.SetInputAttr(fresh, i, names.value_info, *declared);
    output_names.push_back(outputs[i].name);
  }
  if (old != nullptr) graph.RemoveNode(old);
  graph.SetAttr(fresh, names.output_names, std::move(output_names));
  RemoveUnneeded(graph, Needed(graph, fresh));
}

}  // namespace ge::compiler
