#include "compiler/boundary_types.h"

#include <algorithm>

#include "base/strings.h"
#include "compiler/closest_name.h"
#include "formats/onnx/private_attrs.h"

namespace ge::compiler {
namespace {

constexpr std::pair<std::string_view, ir::DataType> kTypes[] = {
    {"FP32", ir::DataType::kFloat},         {"FP16", ir::DataType::kFloat16},
    {"UINT8", ir::DataType::kUint8},        {"INT8", ir::DataType::kInt8},
    {"HIF8", ir::DataType::kHifloat8},      {"HIF4", ir::DataType::kHifloat4},
    {"FP8E5M2", ir::DataType::kFloat8E5M2}, {"FP8E4M3FN", ir::DataType::kFloat8E4M3Fn},
};

Status BadType(std::string_view text, std::string_view reason) {
  return Status::Error(StrCat("--output_type '", text, "': ", reason,
                              "; use one type for all outputs (FP16), or node:number:type with outputs of --out_nodes "
                              "(conv1:0:FP16;fc:1:FP32)"),
                       "E10001");
}

Result<ir::DataType> TypeOf(std::string_view text, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
    names.push_back(known);
  }
  return BadType(text, StrCat("type '", name, "' is not one of ", Join(names, ", ")));
}

ir::Node* AddCast(ir::Graph& graph, ir::Node* position, ir::Anchor source, ir::DataType to) {
  static const ir::Symbol kCast("Cast"), kDstType("dst_type");
  ir::Node* cast = graph.InsertNodeAfter(position, kCast, graph.UniqueName(StrCat(source.node->name(), "_cast")), 1, 1);
  graph.SetAttr(cast, kDstType, static_cast<int64_t>(to));
  ir::TensorDesc desc = source.node->output_desc(source.index);
  desc.dtype = to;
  graph.SetOutputDesc(cast, 0, std::move(desc));
  return cast;
}

bool IsCalledLikeInput(const ir::Graph& graph, std::string_view name) {
  std::vector<ir::Node*> inputs = graph.InputNodes();
  return std::any_of(inputs.begin(), inputs.end(),
                     [name](const ir::Node* n) { return n->num_outputs() > 0 && n->tensor_name(0) == name; });
}

// An output that handed on an input had its name; as the result of a cast it needs one of its own.
void RenameCastOutputs(ir::Graph& graph) {
  const ir::Symbol output_names = formats::onnx::Private().output_names;
  ir::Node* net_output = graph.net_output();
  const auto* had = net_output == nullptr ? nullptr : net_output->attr<std::vector<std::string>>(output_names);
  if (had == nullptr) return;
  std::vector<std::string> names = *had;
  for (uint32_t i = 0; i < names.size() && i < net_output->num_inputs(); ++i) {
    ir::Anchor source = net_output->input(i);
    if (!source || source.node->is_data() || !IsCalledLikeInput(graph, names[i])) continue;
    const std::string base = StrCat(names[i], "_cast");
    names[i] = base;
    for (int n = 1; std::count(names.begin(), names.end(), names[i]) > 1 || IsCalledLikeInput(graph, names[i]); ++n)
      names[i] = StrCat(base, "_", n);
  }
  if (names != *had) graph.SetAttr(net_output, output_names, std::move(names));
}

bool IsTensor(const ir::AttrMap& attrs) { return attrs.Find(formats::onnx::Private().value_info) == nullptr; }

}  // namespace

Result<OutputTypes> ParseOutputType(std::string_view text, const std::vector<ChosenOutput>& chosen,
                                    const ir::Graph& graph) {
  OutputTypes out;
  if (text.find(':') == std::string_view::npos) {
    GE_ASSIGN_OR_RETURN(ir::DataType type, TypeOf(text, Trim(text)));
    const ir::Node* net_output = graph.net_output();
    for (uint32_t i = 0; net_output != nullptr && i < net_output->num_inputs(); ++i) out.emplace_back(i, type);
    return out;
  }
  std::vector<std::string_view> items = Split(text, ';');
  if (items.size() > 1 && Trim(items.back()).empty()) items.pop_back();
  for (std::string_view item : items) {
    std::vector<std::string_view> parts = Split(Trim(item), ':');
    if (parts.size() != 3) return BadType(text, StrCat("'", Trim(item), "' is not node:number:type"));
    std::optional<int64_t> index = ParseInt(Trim(parts[1]));
    if (!index || *index < 0) return BadType(text, StrCat("'", parts[1], "' is not the number of an output"));
    GE_ASSIGN_OR_RETURN(ir::DataType type, TypeOf(text, Trim(parts[2])));
    auto found = std::find_if(chosen.begin(), chosen.end(), [&](const ChosenOutput& c) {
      return c.source.node->name() == Trim(parts[0]) && c.source.index == *index;
    });
    if (found == chosen.end()) return BadType(text, StrCat("'", parts[0], ":", parts[1], "' is not in --out_nodes"));
    auto number = static_cast<uint32_t>(found - chosen.begin());
    if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.first == number; }))
      return BadType(text, StrCat("'", parts[0], ":", parts[1], "' is named twice"));
    out.emplace_back(number, type);
  }
  return out;
}

Status CastOutputs(ir::Graph& graph, const OutputTypes& types) {
  static const ir::Symbol kUserType("_user_defined_output_data_type");
  ir::Node* net_output = graph.net_output();
  for (auto [i, type] : types) {
    if (net_output == nullptr || i >= net_output->num_inputs()) continue;
    ir::Anchor source = net_output->input(i);
    if (!source) continue;
    if (!IsTensor(net_output->input_attrs(i))) {
      return Status::Error(StrCat("--output_type: output ", i, ", made by node '", source.node->name(),
                                  "', is no tensor, so it can't be cast; name the other outputs one by one"),
                           "E10001");
    }
    const auto* had = source.node->attr<std::vector<std::string>>(kUserType);
    std::vector<std::string> notes = had == nullptr ? std::vector<std::string>() : *had;
    notes.push_back(StrCat(source.index, ":", ir::Name(type)));
    graph.SetAttr(source.node, kUserType, std::move(notes));
    if (source.node->output_desc(source.index).dtype == type) continue;
    ir::Node* cast = AddCast(graph, source.node, source, type);
    graph.Connect(source, cast, 0);
    graph.Disconnect(net_output, i);
    graph.Connect({cast, 0}, net_output, i);
    graph.SetInputDesc(net_output, i, cast->output_desc(0));
  }
  RenameCastOutputs(graph);
  return Status::Ok();
}

Result<std::vector<ir::Node*>> FindFp16Inputs(std::string_view text, const ir::Graph& graph) {
  std::vector<ir::Node*> out;
  std::vector<ir::Node*> inputs = graph.InputNodes();
  std::vector<std::string_view> items = Split(text, ';');
  if (items.size() > 1 && Trim(items.back()).empty()) items.pop_back();
  for (std::string_view item : items) {
    std::string_view name = Trim(item);
    auto fail = [&, text](std::string_view reason, const char* code) {
      return Status::Error(StrCat("--input_fp16_nodes '", text, "': '", name, "' ", reason), code);
    };
    auto found = std::find_if(inputs.begin(), inputs.end(), [&](const ir::Node* n) {
      return n->name() == name || (n->num_outputs() > 0 && n->tensor_name(0) == name);
    });
    if (found == inputs.end()) {
      if (graph.FindNode(name) != nullptr)
        return fail("is a node but not an input; name inputs of the model", "E10017");
      std::vector<std::string_view> names;
      for (const ir::Node* n : inputs) names.push_back(n->name());
      std::string_view closest = ClosestName(name, names);
      return fail(closest.empty() ? StrCat("is not in the model; its inputs are '", Join(names, "', '"), "'")
                                  : StrCat("is not in the model; did you mean '", closest, "'?"),
                  "E10016");
    }
    ir::DataType type = (*found)->output_desc(0).dtype;
    if (!IsTensor((*found)->output_attrs(0)) || !ir::IsFloating(type)) {
      return fail(StrCat("is ", ir::Name(type), ", expected a tensor of floats; half floats can't hold its values"),
                  "E10001");
    }
    if (std::find(out.begin(), out.end(), *found) == out.end()) out.push_back(*found);
  }
  return out;
}

void TakeFp16(ir::Graph& graph, const std::vector<ir::Node*>& inputs) {
  for (ir::Node* data : inputs) {
    if (data->graph() != &graph) continue;
    ir::DataType had = data->output_desc(0).dtype;
    if (had == ir::DataType::kFloat16) continue;
    ir::Node* cast = AddCast(graph, data, {data, 0}, had);
    graph.ReplaceUses({data, 0}, {cast, 0});
    graph.Connect({data, 0}, cast, 0);
    ir::TensorDesc desc = data->output_desc(0);
    desc.dtype = ir::DataType::kFloat16;
    if (data->num_inputs() > 0 && data->has_input_desc(0)) graph.SetInputDesc(data, 0, desc);
    graph.SetOutputDesc(data, 0, std::move(desc));
  }
  RenameCastOutputs(graph);
}

}  // namespace ge::compiler
