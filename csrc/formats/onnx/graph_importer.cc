#include "formats/onnx/graph_importer.h"

#include <algorithm>
#include <functional>

#include "base/strings.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/node_importer.h"
#include "formats/onnx/node_view.h"
#include "formats/onnx/private_attrs.h"
#include "formats/onnx/tensor_codec.h"
#include "formats/onnx/value_info.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

using wire::Field;
using wire::Reader;

ir::Bytes KeepBytes(std::string_view bytes) { return ir::Bytes{std::string(bytes)}; }

// The name alone, without keeping the rest. Of a repeated field the last counts.
std::string_view NameOf(std::string_view proto, uint32_t field) {
  Reader reader(proto);
  Field f;
  std::string_view name;
  while (reader.Next(&f)) {
    if (f.bytes_of(field)) name = f.bytes;
  }
  return name;
}

}  // namespace

Result<ir::GraphPtr> GraphImporter::Import(std::string_view proto, std::span<const std::string> captures) {
  opset_ = info_->opset();
  Spans spans;
  GE_RETURN_IF_ERROR(Scan(proto, &spans));
  std::string_view name = NameOf(proto, GraphField::kName);
  graph_ = ir::Graph::Create(name);
  size_t expected = spans.nodes.size() + spans.initializers.size() + spans.inputs.size();
  tensors_.Reserve(expected);
  node_names_.Reserve(expected);
  GE_RETURN_IF_ERROR(ImportInputs(spans));
  GE_RETURN_IF_ERROR(ImportCaptures(captures));
  GE_RETURN_IF_ERROR(ImportInitializers(spans));
  GE_RETURN_IF_ERROR(ImportSparse(spans));
  GE_RETURN_IF_ERROR(ImportNodes(spans));
  GE_RETURN_IF_ERROR(ConnectPending());
  GE_RETURN_IF_ERROR(ImportValueInfos(spans));
  GE_RETURN_IF_ERROR(ImportOutputs(spans));
  MarkUnused();
  GE_RETURN_IF_ERROR(graph_->TopologicalSort());
  info_->end_of_import = graph_->all_created().size();
  return graph_;
}

Status GraphImporter::Scan(std::string_view proto, Spans* spans) {
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != wire::WireType::kBytes) {
      info_->graph_fields.push_back(f.raw);
      continue;
    }
    switch (f.number) {
      case GraphField::kNode: spans->nodes.push_back(f.bytes); break;
      case GraphField::kName: break;
      case GraphField::kInitializer: spans->initializers.push_back(f.bytes); break;
      case GraphField::kInput: spans->inputs.push_back(f.bytes); break;
      case GraphField::kOutput: spans->outputs.push_back(f.bytes); break;
      case GraphField::kValueInfo: spans->value_infos.push_back(f.bytes); break;
      case GraphField::kSparseInitializer: spans->sparse.push_back(f.bytes); break;
      case GraphField::kQuantizationAnnotation: info_->quantization_annotations.push_back(f.bytes); break;
      default: info_->graph_fields.push_back(f.raw);
    }
  }
  if (!reader.ok()) return Status::Error(StrCat("the graph is malformed: ", reader.error()), "E13005");
  return Status::Ok();
}

ir::Node* GraphImporter::AddNode(ir::Symbol type, std::string_view name, std::string_view op_type, uint32_t inputs,
                                 uint32_t outputs) {
  // A name in the file outlives the import; made ones are taken from the node, which has a copy.
  bool in_file = name.data() >= info_->file->bytes().data() &&
                 name.data() < info_->file->bytes().data() + info_->file->size();
  if (in_file && !name.empty() && node_names_.Insert(name, {}).second) {
    return graph_->AddNode(type, name, inputs, outputs);
  }
  if (!in_file && !name.empty() && !node_names_.Contains(name)) {
    ir::Node* node = graph_->AddNode(type, name, inputs, outputs);
    node_names_.Insert(node->name(), {});
    return node;
  }
  std::string unique = StrCat(name.empty() ? op_type : name, "_", node_number_);
  for (int n = 1; node_names_.Contains(unique); ++n) {
    unique = StrCat(name.empty() ? op_type : name, "_", node_number_, "_", n);
  }
  ir::Node* node = graph_->AddNode(type, unique, inputs, outputs);
  node_names_.Insert(node->name(), {});
  graph_->SetAttr(node, Private().renamed, std::vector<std::string>{unique, std::string(name)});
  return node;
}

Status GraphImporter::Produce(std::string_view name, ir::Node* node, uint32_t i) {
  if (name.empty()) return Status::Ok();
  graph_->SetTensorName(node, i, name);
  auto [anchor, fresh] = tensors_.Insert(name, {node, i});
  if (!fresh) {
    return Status::Error(StrCat("tensor '", name, "' is produced by '", anchor->node->name(), "' and by '",
                                node->name(), "', expected one producer; rename one of them"),
                         "E13005");
  }
  return Status::Ok();
}

void GraphImporter::Use(std::string_view name, ir::Node* node, uint32_t slot) {
  if (name.empty()) return;
  if (ir::Anchor* source = tensors_.Find(name)) {
    graph_->Connect(*source, node, slot);
  } else {
    pending_.push_back({name, node, slot});
  }
}

Status GraphImporter::ImportInputs(const Spans& spans) {
  const ir::CommonSymbols& common = ir::Common();
  for (size_t i = 0; i < spans.inputs.size(); ++i) {
    std::string_view name = NameOf(spans.inputs[i], ValueInfoField::kName);
    if (name.empty()) return Status::Error(StrCat("graph input ", i, " has no name"), "E13005");
    inputs_.Insert(name, {spans.inputs[i], static_cast<uint32_t>(i), false});
  }
  for (std::string_view proto : spans.initializers) {
    if (InputPlace* input = inputs_.Find(NameOf(proto, TensorField::kName))) input->has_initializer = true;
  }
  int64_t index = 0;
  for (size_t i = 0; i < spans.inputs.size(); ++i) {
    GE_ASSIGN_OR_RETURN(ValueInfo value, ParseValueInfo(spans.inputs[i]));
    const InputPlace* place = inputs_.Find(value.name);
    if (place != nullptr && place->has_initializer) continue;
    ir::Node* node = AddNode(common.Data, value.name, "Data", 1, 1);
    graph_->SetAttr(node, common.index, index++);
    graph_->SetOutputDesc(node, 0, value.desc);
    graph_->SetDeclared(node, 0, true);
    if (!value.plain) graph_->SetOutputAttr(node, 0, Private().value_info, KeepBytes(spans.inputs[i]));
    GE_RETURN_IF_ERROR(Produce(value.name, node, 0));
  }
  return Status::Ok();
}

Status GraphImporter::ImportCaptures(std::span<const std::string> captures) {
  auto index = static_cast<int64_t>(graph_->InputNodes().size());
  for (const std::string& name : captures) {
    ir::Node* node = AddNode(ir::Common().Data, name, "Data", 1, 1);
    graph_->SetAttr(node, ir::Common().index, index++);
    GE_RETURN_IF_ERROR(Produce(name, node, 0));
  }
  return Status::Ok();
}

Status GraphImporter::ImportInitializers(const Spans& spans) {
  const ir::CommonSymbols& common = ir::Common();
  const PrivateAttrs& names = Private();
  constants_.reserve(spans.initializers.size());
  for (std::string_view proto : spans.initializers) {
    GE_ASSIGN_OR_RETURN(DecodedTensor t, DecodeTensor(proto, info_->file, external_));
    if (t.name.empty()) return Status::Error("an initializer has no name", "E13005");
    ir::Node* node = AddNode(common.Const, t.name, "Const", 0, 1);
    NoteConstant(node);
    graph_->SetOutputDesc(node, 0, t.tensor->desc);
    graph_->SetAttr(node, common.value, ir::TensorPtr(std::move(t.tensor)));
    if (t.foreign_type != 0) graph_->SetAttr(node, names.elem_type, t.foreign_type);
    if (!t.other_fields.empty()) graph_->SetAttr(node, names.tensor_fields, ir::Bytes{std::move(t.other_fields)});
    if (t.external) NoteExternalData();
    if (const InputPlace* place = inputs_.Find(t.name)) {
      graph_->SetAttr(node, names.input_position, static_cast<int64_t>(place->position));
      // Kept whole: the declared type may be wider than the initializer's.
      graph_->SetOutputAttr(node, 0, names.value_info, KeepBytes(place->proto));
    }
    GE_RETURN_IF_ERROR(Produce(t.name, node, 0));
  }
  return Status::Ok();
}

Status GraphImporter::ImportSparse(const Spans& spans) {
  for (std::string_view proto : spans.sparse) {
    std::string_view name = NameOf(NameOf(proto, SparseTensorField::kValues), TensorField::kName);
    GE_RETURN_IF_ERROR(OpenNested(Part::kSparseTensor, proto));
    ir::Node* node = AddNode(ir::Symbol("ai.onnx::SparseInitializer"), name, "SparseInitializer", 0, 1);
    graph_->SetAttr(node, Private().sparse, KeepBytes(proto));
    GE_RETURN_IF_ERROR(Produce(name, node, 0));
  }
  return Status::Ok();
}

Status GraphImporter::ImportNodes(const Spans& spans) {
  NodeView view;
  NodeImporter importer(this);
  for (std::string_view proto : spans.nodes) {
    Status status = view.Parse(proto);
    if (status.ok() && view.op_type.empty()) status = Status::Error("it has no operator", "E13005");
    if (status.ok()) status = importer.Import(view);
    if (!status.ok()) {
      return status.WithContext(StrCat("node '", view.name, "' (", view.op_type, ", number ", node_number_, ")"));
    }
    ++node_number_;
  }
  return Status::Ok();
}

Status GraphImporter::ConnectPending() {
  for (const Pending& p : pending_) {
    ir::Anchor* source = tensors_.Find(p.name);
    if (source == nullptr) {
      return Status::Error(StrCat("node '", p.node->name(), "' (", p.node->type().view(), ") reads the tensor '", p.name,
                                  "', expected a graph input, an initializer or a node's output of that name, found "
                                  "none; the model is damaged or was cut out of a larger one"),
                           "E13005");
    }
    graph_->Connect(*source, p.node, p.slot);
  }
  return Status::Ok();
}

Status GraphImporter::ImportValueInfos(const Spans& spans) {
  info_->has_value_info = !spans.value_infos.empty();
  for (std::string_view proto : spans.value_infos) {
    GE_ASSIGN_OR_RETURN(ValueInfo value, ParseValueInfo(proto));
    const ir::Anchor* a = tensors_.Find(value.name);
    // Some exporters describe tensors that no longer exist, or inputs and initializers once more.
    if (a == nullptr || a->node->is_data() || a->node->const_value() != nullptr) continue;
    graph_->SetOutputDesc(a->node, a->index, std::move(value.desc));
    graph_->SetDeclared(a->node, a->index, true);
    if (!value.plain) graph_->SetOutputAttr(a->node, a->index, Private().value_info, KeepBytes(proto));
  }
  return Status::Ok();
}

void GraphImporter::MarkUnused() {
  std::sort(folded_.begin(), folded_.end(), std::less<>());
  for (ir::Node* node : constants_) {
    const bool folded = std::binary_search(folded_.begin(), folded_.end(), node, std::less<>());
    if (!node->has_uses() && !folded) graph_->SetAttr(node, Private().unused, true);
  }
}

Status GraphImporter::ImportOutputs(const Spans& spans) {
  std::vector<std::string> names;
  names.reserve(spans.outputs.size());
  const auto count = static_cast<uint32_t>(spans.outputs.size());
  ir::Node* net_output = AddNode(ir::Common().NetOutput, "NetOutput", "NetOutput", count, 0);
  for (uint32_t i = 0; i < count; ++i) {
    GE_ASSIGN_OR_RETURN(ValueInfo value, ParseValueInfo(spans.outputs[i]));
    ir::Anchor source = Producer(value.name);
    if (!source) {
      return Status::Error(StrCat("graph output '", value.name, "' (number ", i, ") is produced by no node, input or "
                                  "initializer; the model is damaged or was cut out of a larger one"),
                           "E13005");
    }
    graph_->Connect(source, net_output, i);
    graph_->SetInputDesc(net_output, i, value.desc);
    if (!value.plain) graph_->SetInputAttr(net_output, i, Private().value_info, KeepBytes(spans.outputs[i]));
    // The declaration of an output describes the tensor, too.
    if (!source.node->declared(source.index) && !source.node->is_data() && !source.node->is_const()) {
      graph_->SetOutputDesc(source.node, source.index, value.desc);
    }
    names.emplace_back(value.name);
  }
  graph_->SetAttr(net_output, Private().output_names, std::move(names));
  return Status::Ok();
}

}  // namespace ge::formats::onnx
