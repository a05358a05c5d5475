#include <algorithm>
#include <memory>
#include <optional>
#include <queue>

#include "base/log.h"
#include "base/output_file.h"
#include "base/strings.h"
#include "formats/onnx/external_data.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/graph_exporter.h"
#include "formats/onnx/model_files.h"
#include "formats/onnx/model_info.h"
#include "formats/onnx/nested_tensors.h"
#include "formats/onnx/onnx.h"
#include "formats/onnx/op_versions.h"
#include "formats/onnx/opset_choice.h"
#include "formats/onnx/source_files.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

// protobuf libraries refuse larger messages.
constexpr uint64_t kMaxInline = (uint64_t{1} << 31) - 1;

// The nodes so that every edge points forward, otherwise as they lie in the list.
Result<std::vector<const ir::Node*>> OrderedNodes(const ir::Graph& graph) {
  std::vector<const ir::Node*> nodes;
  nodes.reserve(graph.num_nodes());
  for (const ir::Node* n : graph.nodes()) nodes.push_back(n);
  if (graph.topologically_ordered()) return nodes;
  std::vector<uint32_t> waiting(graph.all_created().size());
  auto later = [](const ir::Node* a, const ir::Node* b) { return a->order() > b->order(); };
  std::priority_queue<const ir::Node*, std::vector<const ir::Node*>, decltype(later)> ready(later);
  for (const ir::Node* n : nodes) {
    waiting[n->id()] = n->num_connected_inputs() + static_cast<uint32_t>(n->control_inputs().size());
    if (waiting[n->id()] == 0) ready.push(n);
  }
  std::vector<const ir::Node*> sorted;
  sorted.reserve(nodes.size());
  auto release = [&](const ir::Node* n) {
    if (--waiting[n->id()] == 0) ready.push(n);
  };
  while (!ready.empty()) {
    const ir::Node* n = ready.top();
    ready.pop();
    sorted.push_back(n);
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      for (ir::InputSlot& use : n->uses(i)) release(use.node());
    }
    for (const ir::Node* c : n->control_outputs()) release(c);
  }
  if (sorted.size() != nodes.size()) {
    // The graph's own sort finds and names the cycle.
    Status cycle = graph.Clone()->TopologicalSort();
    return cycle.ok() ? Status::Error("the graph has a cycle") : cycle;
  }
  return sorted;
}

using Files = std::vector<std::shared_ptr<const MappedFile>>;

const Files& SourcesOf(const ir::Graph& graph, const ModelInfo* info) {
  static const Files kNone;
  if (info != nullptr) return info->files;
  const auto* other = dynamic_cast<const MappedModel*>(const_cast<ir::Graph&>(graph).extension().get());
  return other == nullptr ? kNone : other->sources();
}

Status CheckSources(const Files& sources) {
  for (const auto& file : sources) {
    if (!file->Unchanged()) {
      return Status::Error(StrCat("file '", file->path(), "' was changed after the model was loaded from it, so its "
                                  "weights can no longer be read; load the model again"),
                           "E13004");
    }
  }
  return Status::Ok();
}

void WriteOpsets(const GraphExporter& exporter, const ModelInfo* info, int64_t opset, wire::Writer* out) {
  auto write = [out](std::string_view domain, int64_t version) {
    auto mark = out->Begin(ModelField::kOpsetImport);
    out->Bytes(OpsetField::kDomain, domain);
    out->Int(OpsetField::kVersion, version);
    out->End(mark);
  };
  NameSet written;
  if (info != nullptr) {
    for (const OpsetImport& o : info->opsets) {
      if (written.Insert(o.domain, {}).second) write(o.domain, o.domain.empty() ? opset : o.version);
    }
  }
  if (!written.Contains("") && (info == nullptr || exporter.uses_onnx_domain())) {
    write("", opset);
    written.Insert("", {});
  }
  for (const auto& domain : exporter.domains()) {
    if (written.Insert(domain.first, {}).second) write(domain.first, 1);
  }
}

int64_t ChooseIrVersion(const GraphExporter& exporter, const ModelInfo* info, int64_t opset) {
  if (info == nullptr) return std::max<int64_t>(IrVersionOf(opset), 8);
  int64_t version = info->ir_version;
  if (opset != info->opset()) version = std::max(version, IrVersionOf(opset));
  // Until IR version 3 every initializer is a graph input, too.
  if (version < 4 && exporter.has_plain_initializer()) version = 4;
  return version;
}

struct Encoded {
  wire::Writer head, graph, tail;
  std::unique_ptr<ExternalSink> sink;       // null: all inline
  std::unique_ptr<GraphExporter> exporter;  // owns tensors that `graph` refers to
  uint64_t size() const { return head.size() + graph.size() + tail.size(); }
};

// A field of the model beside its graph, as it was; data that it points to goes where all data goes.
Status WriteModelField(std::string_view field, const ModelInfo* info, Encoded* out) {
  wire::Reader reader(field);
  wire::Field f;
  bool nested = info->nested_external && reader.Next(&f) &&
                (f.bytes_of(ModelField::kFunctions) || f.bytes_of(ModelField::kTraining));
  if (!nested) {
    out->tail.Raw(field);
    return Status::Ok();
  }
  ExternalFiles files(*info->external);
  auto mark = out->tail.Begin(f.number, f.bytes.size());
  GE_RETURN_IF_ERROR(CopyNested(f.number == ModelField::kFunctions ? Part::kFunction : Part::kTraining, f.bytes,
                                info->file, &files, out->sink.get(), &out->tail));
  out->tail.End(mark);
  return Status::Ok();
}

Status Encode(const ir::Graph& graph, const ModelInfo* info, const std::vector<const ir::Node*>& order, int64_t opset,
              Encoded* out) {
  out->exporter = std::make_unique<GraphExporter>(graph, info, opset, out->sink.get());
  GraphExporter& exporter = *out->exporter;
  GE_RETURN_IF_ERROR(exporter.Export(order, &out->graph));
  out->head.Int(ModelField::kIrVersion, ChooseIrVersion(exporter, info, opset));
  std::vector<std::string_view> after;
  if (info == nullptr) {
    out->head.Bytes(ModelField::kProducerName, "ge-py");
  } else {
    for (std::string_view field : info->model_fields) {
      wire::Reader reader(field);
      wire::Field f;
      if (reader.Next(&f) && f.number < ModelField::kGraph) {
        out->head.Raw(field);
      } else {
        after.push_back(field);
      }
    }
  }
  out->head.Varint(ModelField::kGraph << 3 | 2);
  out->head.Varint(out->graph.size());
  WriteOpsets(exporter, info, opset, &out->tail);
  for (std::string_view field : after) GE_RETURN_IF_ERROR(WriteModelField(field, info, out));
  return Status::Ok();
}

// Whether tensors go to a data file, and the least size of those that do.
std::optional<size_t> DataThreshold(const ModelInfo* info, const SaveOptions& options) {
  if (options.external_data_threshold) {
    if (*options.external_data_threshold < 0) return std::nullopt;
    return static_cast<size_t>(*options.external_data_threshold);
  }
  if (info == nullptr || !info->external_data) return std::nullopt;
  return ExternalSink::kDefaultMinSize;
}

Status TooLarge(const Encoded& encoded) {
  return Status::Error(StrCat("the model needs ", encoded.size(), " bytes, expected less than the 2 GiB of one protobuf "
                              "file; let the large tensors go to a data file with a lower external data threshold"),
                       "E13004");
}

}  // namespace

Status Save(const ir::Graph& graph, const std::string& path, const SaveOptions& options) {
  auto fail = [&path](const Status& status) { return status.WithContext(StrCat("saving '", path, "'")); };
  const ModelInfo* info = FindModelInfo(graph);
  const Files& sources = SourcesOf(graph, info);
  if (Status s = CheckSources(sources); !s.ok()) return fail(s);
  auto order = OrderedNodes(graph);
  if (!order.ok()) return fail(order.status());
  auto opset = ChooseOpset(order.value(), info, options.opset);
  if (!opset.ok()) return fail(opset.status());

  ModelFiles files(path, &sources);
  std::optional<size_t> threshold = DataThreshold(info, options);
  // The model's text, the name of the data file in it.
  auto encode = [&](const std::string& location) -> Result<std::unique_ptr<Encoded>> {
    auto encoded = std::make_unique<Encoded>();
    if (threshold) encoded->sink = std::make_unique<ExternalSink>(location, *threshold);
    GE_RETURN_IF_ERROR(Encode(graph, info, order.value(), opset.value(), encoded.get()));
    return Result<std::unique_ptr<Encoded>>(std::move(encoded));
  };
  const std::string encoded_for = files.data_name();
  auto encoded = encode(encoded_for);
  if (!encoded.ok()) return fail(encoded.status());
  if (!threshold && encoded.value()->size() > kMaxInline) {
    if (options.external_data_threshold) return fail(TooLarge(*encoded.value()));
    GE_LOG(LogLevel::kWarning, "onnx", "model '", path, "' needs ", encoded.value()->size(),
           " bytes, more than the 2 GiB of one protobuf file; its weights go to '", encoded_for, "' beside it");
    threshold = ExternalSink::kDefaultMinSize;
    encoded = encode(encoded_for);
    if (!encoded.ok()) return fail(encoded.status());
  }
  if (encoded.value()->size() > kMaxInline) return fail(TooLarge(*encoded.value()));

  // Commit may ask again, for another name of the data file.
  GE_RETURN_IF_ERROR(files.WriteModel([&](const std::string& location, OutputFile* out) -> Status {
    if (location != encoded_for) {
      encoded = encode(location);
      GE_RETURN_IF_ERROR(encoded.status());
    }
    const Encoded& model = *encoded.value();
    for (const wire::Writer* part : {&model.head, &model.graph, &model.tail}) {
      for (const wire::Writer::Piece& piece : part->Pieces()) GE_RETURN_IF_ERROR(out->Write(piece.data, piece.size));
    }
    return out->Flush();
  }));
  const ExternalSink* sink = encoded.value()->sink.get();
  if (sink != nullptr && !sink->entries().empty()) GE_RETURN_IF_ERROR(files.WriteData(*sink));
  if (Status s = CheckSources(sources); !s.ok()) return fail(s);
  return files.Commit();
}

}  // namespace ge::formats::onnx
