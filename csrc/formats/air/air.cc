#include "formats/air/air.h"

#include <utility>

#include "base/log.h"
#include "base/output_file.h"
#include "base/strings.h"
#include "formats/air/decoder.h"
#include "formats/air/encoder.h"
#include "formats/air/fields.h"
#include "formats/air/model_info.h"
#include "formats/air/names.h"
#include "formats/air/onnx_info.h"
#include "formats/onnx/external_data.h"
#include "formats/onnx/model_info.h"

namespace ge::formats::air {
namespace {

// protobuf libraries refuse larger messages.
constexpr uint64_t kMaxInline = (uint64_t{1} << 31) - 1;
// Smaller weights stay in the model.
constexpr size_t kMinMoved = 1024;

// What a model object has before it is compiled, and what the file had that the graph came from.
void ModelAttrs(Encoder* encoder, const AirInfo* info, const onnx::ModelInfo* onnx_info) {
  auto given = [info](const char* name) { return info != nullptr && info->attrs.Find(ir::Symbol(name)) != nullptr; };
  for (const char* name : {"memory_size", "p2p_memory_size", "stream_num", "event_num", "label_num", "weight_size"}) {
    if (!given(name)) encoder->Attr(ModelField::kAttr, name, int64_t{0});
  }
  if (!given("target_type")) encoder->Attr(ModelField::kAttr, "target_type", std::string("MINI"));
  if (info != nullptr) encoder->Attrs(ModelField::kAttr, info->attrs);
  if (onnx_info != nullptr) {
    encoder->Attr(ModelField::kAttr, NodeAttrs().onnx_model.view(), ir::Bytes{PackOnnxInfo(*onnx_info)});
  }
}

Status EncodeModel(const ir::Graph& graph, EncodeOptions options, wire::Writer* out) {
  const AirInfo* info = FindAirInfo(graph);
  if (info != nullptr) {
    if (!info->name.empty()) out->Bytes(ModelField::kName, info->name);
    if (info->version != 0) out->Int(ModelField::kVersion, static_cast<int64_t>(info->version));
    if (!info->custom_version.empty()) out->Bytes(ModelField::kCustomVersion, info->custom_version);
  }
  Encoder encoder(out, std::move(options));
  if (info != nullptr && !info->attr_groups.empty()) out->Bytes(ModelField::kAttrGroups, info->attr_groups);
  // A subgraph alone is no ONNX model.
  const bool root = const_cast<ir::Graph&>(graph).root() == &graph;
  ModelAttrs(&encoder, info, root ? onnx::FindModelInfo(graph) : nullptr);
  // The graphs come last, so that a file that was cut is never a whole model.
  return encoder.Graphs(ModelField::kGraph, graph);
}

// The file as AIR and as ONNX see it.
Result<std::shared_ptr<ir::GraphExtension>> WithOnnxInfo(const AirInfo& air, const ir::Graph& graph) {
  auto info = std::make_shared<OnnxAirInfo>();
  static_cast<AirInfo&>(*info) = air;
  info->packed = air.attrs.Get<ir::Bytes>(NodeAttrs().onnx_model)->data;
  info->AirInfo::attrs.Erase(NodeAttrs().onnx_model);
  GE_RETURN_IF_ERROR(UnpackOnnxInfo(info.get()));
  info->file = air.files.front();
  info->onnx::ModelInfo::files = air.files;
  info->end_of_import = graph.all_created().size();
  for (const ir::Node* n : graph.nodes()) {
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      info->has_value_info = info->has_value_info || (n->declared(i) && !n->is_data());
    }
  }
  return std::shared_ptr<ir::GraphExtension>(std::shared_ptr<onnx::ModelInfo>(std::move(info)));
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Status WriteModel(const ir::Graph& graph, const std::string& path) {
  GE_RETURN_IF_ERROR(CheckSources(graph));
  auto model = std::make_unique<wire::Writer>();
  GE_RETURN_IF_ERROR(EncodeModel(graph, {}, model.get()));
  onnx::ExternalSink sink(BaseName(path) + ".data");
  const std::string data_path = path + ".data";
  if (model->size() > kMaxInline) {
    GE_LOG(LogLevel::kWarning, "air", "model '", path, "' needs ", model->size(),
           " bytes, more than the 2 GiB of one protobuf file; its weights go to '", data_path, "'");
    EncodeOptions options;
    options.move_out = [&sink](const ir::Node&, std::span<const uint8_t> bytes, std::string* location,
                               uint64_t* offset) {
      if (bytes.size() < kMinMoved) return false;
      *location = sink.location();
      *offset = sink.Add(bytes);
      return true;
    };
    model = std::make_unique<wire::Writer>();
    GE_RETURN_IF_ERROR(EncodeModel(graph, std::move(options), model.get()));
    if (model->size() > kMaxInline) {
      return Status::Error(StrCat("expected a model of less than 2 GiB beside its weights, found ", model->size(),
                                  " bytes; split the model"),
                           "E13023");
    }
  }
  OutputFile data(&SourcesOf(graph)), file(&SourcesOf(graph));
  GE_RETURN_IF_ERROR(file.Create(path));
  if (!sink.entries().empty()) {
    GE_RETURN_IF_ERROR(data.Create(data_path));
    for (const onnx::ExternalSink::Entry& e : sink.entries()) {
      GE_RETURN_IF_ERROR(data.PadTo(e.offset));
      GE_RETURN_IF_ERROR(data.Write(e.data, e.size));
    }
    GE_RETURN_IF_ERROR(data.Flush());
  }
  for (const wire::Writer::Piece& piece : model->Pieces()) GE_RETURN_IF_ERROR(file.Write(piece.data, piece.size));
  GE_RETURN_IF_ERROR(file.Flush());
  GE_RETURN_IF_ERROR(CheckSources(graph));
  if (!sink.entries().empty()) GE_RETURN_IF_ERROR(data.Commit());
  return file.Commit();
}

}  // namespace

const std::vector<std::shared_ptr<const MappedFile>>& SourcesOf(const ir::Graph& graph) {
  static const std::vector<std::shared_ptr<const MappedFile>> kNone;
  if (const AirInfo* info = FindAirInfo(graph)) return info->files;
  if (const onnx::ModelInfo* info = onnx::FindModelInfo(graph)) return info->files;
  return kNone;
}

Status CheckSources(const ir::Graph& graph) {
  for (const auto& file : SourcesOf(graph)) {
    if (!file->Unchanged()) {
      return Status::Error(StrCat("file '", file->path(), "' was changed after the model was loaded from it, so its "
                                  "weights can no longer be read; load the model again"),
                           "E13004");
    }
  }
  return Status::Ok();
}

Result<ir::GraphPtr> Parse(std::shared_ptr<const MappedFile> file, std::string_view model,
                           std::shared_ptr<const void> owner, std::string_view weights) {
  auto info = std::make_shared<AirInfo>();
  onnx::ExternalFiles external(file->path());
  // One owner for both places that tensor data may lie in.
  using Owners = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  std::shared_ptr<const void> all = owner;
  if (owner != file) all = std::make_shared<const Owners>(std::move(owner), file);
  Decoder decoder(std::move(all), weights, info.get(), &external);
  GE_ASSIGN_OR_RETURN(ir::GraphPtr graph, decoder.Model(model));
  info->files.push_back(std::move(file));
  info->files.insert(info->files.end(), external.files().begin(), external.files().end());
  if (info->attrs.Get<ir::Bytes>(NodeAttrs().onnx_model) == nullptr) {
    graph->extension() = std::move(info);
    return graph;
  }
  GE_ASSIGN_OR_RETURN(graph->extension(), WithOnnxInfo(*info, *graph));
  return graph;
}

Result<ir::GraphPtr> Parse(std::shared_ptr<const MappedFile> file) {
  std::string path = file->path();
  std::string_view bytes = file->bytes();
  auto graph = bytes.empty() ? Result<ir::GraphPtr>(Status::Error("expected a model, found an empty file", "E13005"))
                             : Parse(file, bytes, file, {});
  if (!graph.ok()) return graph.status().WithContext(StrCat("model '", path, "'"));
  return graph;
}

Result<ir::GraphPtr> Load(const std::string& path) {
  GE_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return Parse(std::move(file));
}

Status Save(const ir::Graph& graph, const std::string& path) {
  return WriteModel(graph, path).WithContext(StrCat("saving '", path, "'"));
}

namespace {

std::string Encode(const ir::Graph& graph, EncodeOptions options) {
  options.for_people = true;
  wire::Writer out;
  (void)Encoder(&out, std::move(options)).Graphs(ModelField::kGraph, graph);
  std::string bytes;
  bytes.reserve(out.size());
  for (const wire::Writer::Piece& piece : out.Pieces()) {
    bytes.append(reinterpret_cast<const char*>(piece.data), piece.size);
  }
  return bytes;
}

}  // namespace

std::string EncodeForPeople(const ir::Graph& graph, bool with_weights) {
  EncodeOptions options;
  options.tensor_data = with_weights;
  return Encode(graph, std::move(options));
}

std::string EncodeDump(const ir::Graph& graph, DumpContent content) {
  EncodeOptions options;
  options.tensor_data = content.with_weights;
  options.leave_out_values = !content.with_weights && !content.with_descriptions;
  options.consumer_places = true;
  options.root_attrs = std::move(content.root_attrs);
  return Encode(graph, std::move(options));
}

}  // namespace ge::formats::air
