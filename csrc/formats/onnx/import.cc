#include "base/strings.h"
#include "formats/onnx/external_data.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/graph_importer.h"
#include "formats/onnx/model_info.h"
#include "formats/onnx/onnx.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

using wire::Field;
using wire::Reader;

Status ParseOpset(std::string_view proto, OpsetImport* out) {
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(OpsetField::kDomain)) out->domain = f.bytes == "ai.onnx" ? std::string_view() : f.bytes;
    if (f.varint_of(OpsetField::kVersion)) out->version = f.Int();
  }
  return reader.ok() ? Status::Ok() : Status::Error(StrCat("an opset import is malformed: ", reader.error()), "E13005");
}

// What a node of this domain means must be one thing.
Status CheckOneVersion(const std::vector<OpsetImport>& seen, const OpsetImport& opset) {
  for (const OpsetImport& other : seen) {
    if (other.domain != opset.domain || other.version == opset.version) continue;
    return Status::Error(StrCat("expected one version of each operator set, found ", other.version, " and ", opset.version,
                                " of '", opset.domain.empty() ? "ai.onnx" : opset.domain, "'; export the model again"),
                         "E16005");
  }
  return Status::Ok();
}

// Splits a ModelProto; `graph` is what the importer goes on with.
Status ParseModel(ModelInfo* info, std::string_view* graph) {
  std::string_view bytes = info->file->bytes();
  if (bytes.empty()) return Status::Error("expected an ONNX model, found an empty file", "E13005");
  Reader reader(bytes);
  Field f;
  bool has_graph = false;
  while (reader.Next(&f)) {
    if (f.varint_of(ModelField::kIrVersion)) {
      info->ir_version = f.Int();
    } else if (f.bytes_of(ModelField::kGraph)) {
      if (has_graph) return Status::Error("expected one graph, found two", "E13005");
      *graph = f.bytes;
      has_graph = true;
    } else if (f.bytes_of(ModelField::kOpsetImport)) {
      OpsetImport opset;
      GE_RETURN_IF_ERROR(ParseOpset(f.bytes, &opset));
      GE_RETURN_IF_ERROR(CheckOneVersion(info->opsets, opset));
      info->opsets.push_back(std::move(opset));
    } else {
      info->model_fields.push_back(f.raw);
    }
  }
  if (!reader.ok()) {
    // Every writer puts the IR version or the producer first, so this much tells a cut model from other files.
    bool model = info->ir_version > 0 && reader.truncated();
    return Status::Error(model ? StrCat("expected a whole ONNX model, found a truncated one (", reader.error(),
                                        "); copy or download the file again")
                               : StrCat("expected an ONNX model, found other data (", reader.error(),
                                        "); pass a file written by an ONNX exporter"),
                         "E13005");
  }
  if (!has_graph) {
    return Status::Error("expected an ONNX model with a graph, found none; pass a file written by an ONNX exporter",
                         "E16004");
  }
  // It stands behind the graph, so this is how a file looks that was cut there.
  if (info->opsets.empty() && info->ir_version >= 3) {
    return Status::Error("expected an ONNX model that imports an operator set, found none; copy or download the file "
                         "again, it may be truncated",
                         "E13005");
  }
  return Status::Ok();
}

Result<ir::GraphPtr> ImportModel(const std::shared_ptr<const MappedFile>& file) {
  auto info = std::make_shared<ModelInfo>();
  info->file = file;
  std::string_view graph_proto;
  GE_RETURN_IF_ERROR(ParseModel(info.get(), &graph_proto));
  auto external = std::make_shared<ExternalFiles>(file->path());
  GraphImporter importer(info.get(), external.get());
  GE_ASSIGN_OR_RETURN(ir::GraphPtr graph, importer.Import(graph_proto));
  for (std::string_view field : info->model_fields) {
    Reader reader(field);
    Field f;
    if (!reader.Next(&f)) continue;
    if (f.bytes_of(ModelField::kFunctions)) GE_RETURN_IF_ERROR(importer.OpenNested(Part::kFunction, f.bytes));
    if (f.bytes_of(ModelField::kTraining)) GE_RETURN_IF_ERROR(importer.OpenNested(Part::kTraining, f.bytes));
  }
  GE_RETURN_IF_ERROR(external->CheckOverlaps());
  info->files.push_back(file);
  info->files.insert(info->files.end(), external->files().begin(), external->files().end());
  for (const auto& used : info->files) {
    if (used->Unchanged()) continue;
    return Status::Error(StrCat("file '", used->path(), "' was changed while the model was read; load the model again"),
                         "E13005");
  }
  info->external_data |= info->nested_external;
  info->external = std::move(external);
  graph->extension() = std::move(info);
  return graph;
}

}  // namespace

Result<ir::GraphPtr> Load(const std::string& path) {
  GE_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  auto graph = ImportModel(file);
  if (!graph.ok()) return graph.status().WithContext(StrCat("model '", path, "'"));
  return graph;
}

const ModelInfo* FindModelInfo(const ir::Graph& graph) {
  return dynamic_cast<const ModelInfo*>(const_cast<ir::Graph&>(graph).extension().get());
}

}  // namespace ge::formats::onnx
