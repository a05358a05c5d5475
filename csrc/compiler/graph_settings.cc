#include "compiler/graph_settings.h"

#include <algorithm>

#include "base/mapped_file.h"
#include "base/strings.h"

namespace ge::compiler {
namespace {

using InputDims = std::map<std::string, std::vector<int64_t>>;

bool IsPascalCase(std::string_view type) {
  bool begins_well = !type.empty() && type[0] >= 'A' && type[0] <= 'Z';
  return begins_well && type.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") ==
                            std::string_view::npos;
}

bool CameFrom(const ir::Node& node, std::string_view name) {
  const auto* names = node.attr<std::vector<std::string>>(ir::Common().original_op_names);
  return names != nullptr && std::find(names->begin(), names->end(), name) != names->end();
}

}  // namespace

Status GraphSettings::Read(GraphSettingTexts texts, const std::vector<RequestedShape>& shapes, bool shapes_are_ranges) {
  texts_ = std::move(texts);
  shapes_ = shapes;
  GE_ASSIGN_OR_RETURN(sizes_, ParseDynamicSizes(texts_.sizes));
  if (!sizes_.given()) return Status::Ok();
  if (shapes_are_ranges) {
    return Status::Error(StrCat("--", sizes_.option(),
                                " and --input_shape_range exclude each other; say which dims are "
                                "dynamic with -1 in --input_shape"),
                         "E10009");
  }
  if (shapes_.empty()) {
    return Status::Error(StrCat("--", sizes_.option(),
                                " needs --input_shape, which says with -1 where the sizes belong; "
                                "use for example --input_shape=\"x:-1,3,224,224\""),
                         "E10004");
  }
  for (const RequestedShape& shape : shapes_) {
    for (const DimRange& dim : shape.dims) {
      bool open = dim.low == 1 && dim.high < 0;
      if (open || dim.low == dim.high) continue;
      return Status::Error(StrCat("--", sizes_.option(),
                                  " and a range with '~' in --input_shape exclude each other; "
                                  "put -1 in the place of the range"),
                           "E10040");
    }
  }
  return CheckAgainstShapes(sizes_, shapes_, texts_.input_format);
}

Status GraphSettings::CheckOpenDims(const InputDims& dims) const {
  for (const RequestedShape& shape : shapes_) {
    auto found = dims.find(shape.input);
    for (size_t i = 0; found != dims.end() && i < shape.dims.size(); ++i) {
      if (shape.dims[i].high >= 0 || found->second[i] < 0) continue;
      return Status::Error(
          StrCat("--input_shape gives dim ", i, " of input '", shape.input, "' as -1 for --", sizes_.option(),
                 ", the model fixes it to ", found->second[i], "; export the model with a dynamic dim"),
          "E10050");
    }
  }
  return Status::Ok();
}

Status GraphSettings::BeforePasses(ir::Graph& graph, const InputDims& dims) {
  std::vector<ChosenOutput> chosen;
  if (!texts_.out_nodes.empty()) {
    GE_ASSIGN_OR_RETURN(chosen, FindOutputs(texts_.out_nodes, graph));
    SetOutputs(graph, chosen);
    for (const ChosenOutput& output : chosen) output_names_.push_back(output.name);
  }
  if (!texts_.output_type.empty()) {
    GE_ASSIGN_OR_RETURN(types_, ParseOutputType(texts_.output_type, chosen, graph));
  }
  if (!texts_.input_fp16_nodes.empty()) {
    GE_ASSIGN_OR_RETURN(fp16_, FindFp16Inputs(texts_.input_fp16_nodes, graph));
    for (const ir::Node* n : fp16_) fp16_names_.emplace_back(n->tensor_name(0).empty() ? n->name() : n->tensor_name(0));
  }
  GE_RETURN_IF_ERROR(KeepTypes(graph));
  if (!sizes_.given()) return Status::Ok();
  GE_RETURN_IF_ERROR(NameShapes(&shapes_, graph));
  GE_RETURN_IF_ERROR(CheckOpenDims(dims));
  graph.SetGraphAttr(ir::Symbol(sizes_.key()), sizes_.text);
  return CheckProfiles(sizes_, shapes_, dims, graph);
}

Status GraphSettings::AfterPasses(ir::Graph& graph) {
  GE_RETURN_IF_ERROR(CastOutputs(graph, types_));
  TakeFp16(graph, fp16_);
  return Status::Ok();
}

std::vector<InputDims> GraphSettings::ShapesToTry(const InputDims& dims, size_t most) const {
  if (!sizes_.given()) return {dims};
  std::vector<InputDims> out;
  const size_t profiles = sizes_.profiles.size();
  const size_t count = std::min(profiles, most);
  // The first, the last, and others evenly between them.
  for (size_t i = 0; i < count; ++i) {
    size_t profile = count == 1 ? 0 : i * (profiles - 1) / (count - 1);
    out.push_back(ShapesOfProfile(sizes_, profile, shapes_, dims));
  }
  return out;
}

// Marks the operators whose element types the compiler on the device leaves alone.
Status GraphSettings::KeepTypes(ir::Graph& graph) {
  if (texts_.keep_dtype.empty()) return Status::Ok();
  auto file = MappedFile::Open(texts_.keep_dtype);
  if (!file.ok())
    return Status::Error(StrCat("--keep_dtype: ", file.status().message(), "; name a readable file"), "E10001");
  static const ir::Symbol kKeep("_keep_dtype");
  constexpr std::string_view kByType = "OpType::";
  std::vector<std::string> unknown;
  for (std::string_view line : Split(file.value()->bytes(), '\n')) {
    line = Trim(line);
    if (!line.empty() && line.back() == '\r') line = Trim(line.substr(0, line.size() - 1));
    if (line.empty()) continue;
    bool by_type = line.substr(0, kByType.size()) == kByType;
    std::string_view wanted = by_type ? Trim(line.substr(kByType.size())) : line;
    if (by_type && !IsPascalCase(wanted)) {
      return Status::Error(StrCat("--keep_dtype '", texts_.keep_dtype, "': '", wanted,
                                  "' is no operator type, which begins with a capital; use for example OpType::Conv2D"),
                           "E10003");
    }
    bool found = false;
    for (ir::Node* n : graph.nodes()) {
      if (by_type ? n->type().view() != wanted : n->name() != wanted && !CameFrom(*n, wanted)) continue;
      graph.SetAttr(n, kKeep, int64_t{1});
      found = true;
    }
    if (!found) unknown.push_back(StrCat("'", line, "'"));
  }
  if (!unknown.empty())
    warnings_.push_back(StrCat("--keep_dtype: the model has no ", Join(unknown, ", "), "; these lines have no effect"));
  return Status::Ok();
}

}  // namespace ge::compiler
