#include <algorithm>
#include <type_traits>

#include "base/output_file.h"
#include "base/strings.h"
#include "formats/air/air.h"
#include "formats/air/encoder.h"
#include "formats/air/fields.h"
#include "formats/air/model_info.h"
#include "formats/air/type_numbers.h"
#include "formats/om/container.h"
#include "formats/om/inout_info.h"
#include "formats/om/om.h"
#include "formats/om/weight_layout.h"

namespace ge::formats::om {
namespace {

constexpr int64_t kIrVersion = 2;
constexpr uint64_t kMaxModel = uint64_t{1} << 32;  // what tells partitions with weights from others in every reader
// Viewers know the element types that came first.
constexpr uint32_t kViewerTypes = 32;

// domi.ModelTaskDef of a model without tasks.
std::string TaskInfo() {
  wire::Writer out;
  out.Bytes(1, "1");  // version
  out.Int(12, 1);     // stream_num
  std::string bytes;
  for (const wire::Writer::Piece& p : out.Pieces()) bytes.append(reinterpret_cast<const char*>(p.data), p.size);
  return bytes;
}

void ModelAttrs(const ir::Graph& graph, const SaveOptions& options, uint64_t weights, uint64_t tasks,
                air::Encoder* encoder) {
  ir::AttrMap attrs;
  if (const air::AirInfo* info = air::FindAirInfo(graph)) attrs = info->attrs;
  auto set = [&attrs](const char* name, ir::AttrValue value) { attrs.Set(ir::Symbol(name), std::move(value)); };
  for (const char* name : {"memory_size", "p2p_memory_size", "zero_copy_memory_size", "event_num", "label_num"}) {
    set(name, int64_t{0});
  }
  set("weight_size", static_cast<int64_t>(weights));
  set("stream_num", int64_t{1});
  set("target_type", std::string("MINI"));
  set("attr_model_out_nodes_name", OutputNames(graph));
  set("om_info_list", std::vector<int64_t>{static_cast<int64_t>(weights), 0, 0, static_cast<int64_t>(tasks), 0});
  set("atc_version", std::string("ge-py " GE_VERSION));
  // Whoever looks into the file is to know what it is not.
  set("device_kernels", std::string("none: this file holds the graph and its weights, and cannot run on a device"));
  for (const auto& [name, value] : options.attrs) attrs.Set(ir::Symbol(name), value);
  encoder->Attrs(air::ModelField::kAttr, attrs);
}

Status Write(const ir::Graph& graph, const std::string& path, const SaveOptions& options) {
  GE_RETURN_IF_ERROR(air::CheckSources(graph));
  WeightLayout weights;
  wire::Writer model;
  model.Bytes(air::ModelField::kName, graph.name());
  model.Int(air::ModelField::kVersion, kIrVersion);
  model.Bytes(air::ModelField::kCustomVersion, "ge-py " GE_VERSION);
  air::EncodeOptions encode;
  encode.follow_producers = true;
  encode.place_weight = [&weights](std::span<const uint8_t> bytes) { return weights.Add(bytes); };
  air::Encoder encoder(&model, std::move(encode));
  GE_RETURN_IF_ERROR(encoder.Graphs(air::ModelField::kGraph, graph));
  std::string tasks = TaskInfo(), tensors = InOutInfo(graph);
  ModelAttrs(graph, options, weights.size(), tasks.size(), &encoder);
  if (model.size() >= kMaxModel) {
    return Status::Error(StrCat("expected a model of less than 4 GiB beside its weights, found ", model.size(),
                                " bytes; split the model"),
                         "E13023");
  }
  std::vector<PartitionSize> partitions{{PartitionType::kModelInOutInfo, tensors.size()},
                                        {PartitionType::kModelDef, model.size()}};
  if (weights.size() > 0) partitions.push_back({PartitionType::kWeightsData, weights.size()});
  partitions.push_back({PartitionType::kTaskInfo, tasks.size()});
  std::string head = HeaderAndTable(graph.name(), HasUnknownShape(graph), GE_VERSION, partitions);

  OutputFile file(&air::SourcesOf(graph));
  GE_RETURN_IF_ERROR(file.Create(path));
  auto write = [&file](std::string_view bytes) {
    return file.Write(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  };
  GE_RETURN_IF_ERROR(write(head));
  GE_RETURN_IF_ERROR(write(tensors));
  for (const wire::Writer::Piece& piece : model.Pieces()) GE_RETURN_IF_ERROR(file.Write(piece.data, piece.size));
  uint64_t start = head.size() + tensors.size() + model.size();
  for (const WeightLayout::Entry& e : weights.entries()) {
    GE_RETURN_IF_ERROR(file.PadTo(start + e.offset));
    GE_RETURN_IF_ERROR(file.Write(e.bytes.data(), e.bytes.size()));
  }
  GE_RETURN_IF_ERROR(file.PadTo(start + weights.size()));
  GE_RETURN_IF_ERROR(write(tasks));
  GE_RETURN_IF_ERROR(file.Flush());
  GE_RETURN_IF_ERROR(air::CheckSources(graph));
  return file.Commit();
}

// ---- what viewers refuse --------------------------------------------------------------------------------------------

bool IsViewerType(ir::DataType type) { return air::ToProtoType(type) < kViewerTypes; }

std::string ProblemOf(const ir::AttrValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, ir::TensorDescPtr>) return "it is a tensor description";
        if constexpr (std::is_same_v<T, std::vector<std::vector<float>>>) return "it is a list of lists of floats";
        if constexpr (std::is_same_v<T, ir::TensorPtr>) {
          if (v != nullptr && !IsViewerType(v->desc.dtype)) return StrCat("it has the type ", ir::Name(v->desc.dtype));
        }
        if constexpr (std::is_same_v<T, ir::DataType>) {
          if (static_cast<uint32_t>(v) >= kViewerTypes) return StrCat("it is the type ", ir::Name(v));
        }
        return {};
      },
      value);
}

std::string ProblemOf(const ir::Node& node) {
  auto at = [&node](std::string_view what) {
    return StrCat("node '", node.name(), "' (", node.type().view(), "), ", what);
  };
  for (const ir::AttrMap::Entry& e : node.attrs()) {
    std::string problem = ProblemOf(e.second);
    if (!problem.empty()) return at(StrCat("attribute '", e.first.view(), "': ", problem));
  }
  for (uint32_t i = 0; i < node.num_outputs(); ++i) {
    ir::DataType type = node.output_desc(i).dtype;
    if (!IsViewerType(type)) return at(StrCat("output ", i, " has the type ", ir::Name(type)));
  }
  return {};
}

}  // namespace

Status Save(const ir::Graph& graph, const std::string& path, const SaveOptions& options) {
  return Write(graph, path, options).WithContext(StrCat("saving '", path, "'"));
}

std::string ViewerProblem(const ir::Graph& graph) {
  for (const ir::Graph* g : air::GraphsOf(graph)) {
    for (const ir::Node* n : g->nodes()) {
      if (std::string problem = ProblemOf(*n); !problem.empty()) return problem;
    }
  }
  return {};
}

}  // namespace ge::formats::om
