#include <algorithm>
#include <queue>

#include "base/log.h"
#include "base/strings.h"
#include "formats/onnx/external_data.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/graph_exporter.h"
#include "formats/onnx/model_info.h"
#include "formats/onnx/onnx.h"
#include "formats/onnx/op_versions.h"
#include "formats/onnx/opset_choice.h"
#include "formats/onnx/output_file.h"
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

Status CheckSources(const ModelInfo* info) {
  if (info == nullptr) return Status::Ok();
  for (const auto& file : info->files) {
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
  std::unique_ptr<GraphExporter> exporter;  // owns tensors that `graph` refers to
  uint64_t size() const { return head.size() + graph.size() + tail.size(); }
};

Status Encode(const ir::Graph& graph, const ModelInfo* info, const std::vector<const ir::Node*>& order, int64_t opset,
              ExternalSink* external, Encoded* out) {
  out->exporter = std::make_unique<GraphExporter>(graph, info, opset, external);
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
  for (std::string_view field : after) out->tail.Raw(field);
  return Status::Ok();
}

std::string BaseName(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

Status Save(const ir::Graph& graph, const std::string& path, const SaveOptions& options) {
  auto fail = [&path](const Status& status) { return status.WithContext(StrCat("saving '", path, "'")); };
  const ModelInfo* info = FindModelInfo(graph);
  if (Status s = CheckSources(info); !s.ok()) return fail(s);
  auto order = OrderedNodes(graph);
  if (!order.ok()) return fail(order.status());
  auto opset = ChooseOpset(order.value(), info, options.opset);
  if (!opset.ok()) return fail(opset.status());

  const std::string data_path = path + ".data";
  auto encoded = std::make_unique<Encoded>();
  ExternalSink sink(BaseName(data_path));
  bool external = info != nullptr && info->external_data;
  Status status = Encode(graph, info, order.value(), opset.value(), external ? &sink : nullptr, encoded.get());
  if (!status.ok()) return fail(status);
  if (!external && encoded->size() > kMaxInline) {
    GE_LOG(LogLevel::kWarning, "onnx", "model '", path, "' needs ", encoded->size(),
           " bytes, more than the 2 GiB of one protobuf file; its weights go to '", data_path, "'");
    external = true;
    encoded = std::make_unique<Encoded>();
    status = Encode(graph, info, order.value(), opset.value(), &sink, encoded.get());
    if (!status.ok()) return fail(status);
  }

  static const std::vector<std::shared_ptr<const MappedFile>> kNoFiles;
  const auto* sources = info == nullptr ? &kNoFiles : &info->files;
  OutputFile data(sources), model(sources);
  GE_RETURN_IF_ERROR(model.Create(path));
  if (external && !sink.entries().empty()) {
    GE_RETURN_IF_ERROR(data.Create(data_path));
    for (const ExternalSink::Entry& e : sink.entries()) {
      GE_RETURN_IF_ERROR(data.PadTo(e.offset));
      GE_RETURN_IF_ERROR(data.Write(e.data, e.size));
    }
    GE_RETURN_IF_ERROR(data.Flush());
  }
  for (const wire::Writer* part : {&encoded->head, &encoded->graph, &encoded->tail}) {
    for (const wire::Writer::Piece& piece : part->Pieces()) GE_RETURN_IF_ERROR(model.Write(piece.data, piece.size));
  }
  GE_RETURN_IF_ERROR(model.Flush());
  if (external && !sink.entries().empty()) GE_RETURN_IF_ERROR(data.Commit());
  return model.Commit();
}

}  // namespace ge::formats::onnx
