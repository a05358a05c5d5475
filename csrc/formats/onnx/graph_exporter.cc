#include "formats/onnx/graph_exporter.h"

#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/private_attrs.h"
#include "formats/onnx/tensor_codec.h"
#include "formats/onnx/value_info.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

std::string_view BytesOr(const ir::AttrMap& attrs, ir::Symbol name) {
  const auto* bytes = attrs.Get<ir::Bytes>(name);
  return bytes == nullptr ? std::string_view() : std::string_view(bytes->data);
}

}  // namespace

Status GraphExporter::Export(const std::vector<const ir::Node*>& order, wire::Writer* out) {
  out_ = out;
  order_ = order;
  dropped_.assign(graph_.all_created().size(), 0);
  do {
    out->Clear();
    added_.clear();
    derived_.clear();
    GE_RETURN_IF_ERROR(PrepareNames(order));
    GE_RETURN_IF_ERROR(WriteNodes(order));
  } while (DropUnreadConstants());
  out->Bytes(GraphField::kName, graph_.name());
  WriteInitializers(order);
  WriteInputs();
  GE_RETURN_IF_ERROR(WriteOutputs());
  WriteValueInfos(order);
  WriteAnnotations();
  if (info_ != nullptr) {
    for (std::string_view field : info_->graph_fields) out->Raw(field);
  }
  return Status::Ok();
}

// ---- constants ----------------------------------------------------------------------------------------------------------

bool GraphExporter::IsInitializer(const ir::Node& node) const {
  return node.attr<std::string>(Private().constant) == nullptr;
}

bool GraphExporter::Goes(const ir::Node& constant) const {
  return read_[constant.id()] != 0 || constant.attr<bool>(Private().unused) != nullptr;
}

// A Constant node whose value only became attributes of other nodes need not be written; what reads it is known only
// after the other nodes.
bool GraphExporter::DropUnreadConstants() {
  bool any = false;
  for (const ir::Node* node : order_) {
    if (!node->is_const() || IsInitializer(*node) || Goes(*node) || dropped_[node->id()]) continue;
    dropped_[node->id()] = 1;
    any = true;
  }
  return any;
}

void GraphExporter::WriteInitializers(const std::vector<const ir::Node*>& order) {
  const PrivateAttrs& attrs = Private();
  auto write = [&](std::string_view name, const ir::Tensor& value, const ir::Node* node) {
    EncodeOptions options;
    options.name = name;
    options.external = external_;
    if (node != nullptr) {
      if (const auto* type = node->attr<int64_t>(attrs.elem_type)) options.foreign_type = *type;
      options.other_fields = BytesOr(node->attrs(), attrs.tensor_fields);
    }
    EncodeTensor(*out_, GraphField::kInitializer, value, options);
  };
  for (const ir::Node* node : order) {
    if (!node->is_const() || !IsInitializer(*node) || !Goes(*node)) continue;
    if (node->attr<int64_t>(attrs.input_position) == nullptr) has_plain_initializer_ = true;
    write(names_[base_[node->id()]], *node->const_value(), node);
  }
  for (const Added& a : added_) {
    has_plain_initializer_ = true;
    write(a.name, *a.value, nullptr);
  }
  for (const ir::Node* node : order) {
    std::string_view sparse = BytesOr(node->attrs(), attrs.sparse);
    if (!sparse.empty()) out_->Bytes(GraphField::kSparseInitializer, sparse);
  }
}

// ---- nodes --------------------------------------------------------------------------------------------------------------

Status GraphExporter::WriteNodes(const std::vector<const ir::Node*>& order) {
  if (const ir::Node* net_output = graph_.net_output()) {
    for (uint32_t i = 0; i < net_output->num_inputs(); ++i) {
      if (net_output->input(i)) Read(net_output->input(i));
    }
  }
  for (const ir::Node* node : order) GE_RETURN_IF_ERROR(WriteNode(*node));
  for (const OutputIdentity& o : output_identities_) WriteIdentity(o.source, o.name);
  return Status::Ok();
}

void GraphExporter::WriteIdentity(ir::Anchor source, std::string_view name) {
  std::string_view input = Read(source);
  NodeExporter(this).WriteExtra("Identity", StrCat(name, "_identity"), input, name);
}

Status GraphExporter::WriteNode(const ir::Node& node) {
  const PrivateAttrs& attrs = Private();
  if (node.is_data() || node.is_net_output()) return Status::Ok();
  if (node.attrs().Find(attrs.sparse) != nullptr) return Status::Ok();
  if (node.type() == ir::Common().NoOp && node.num_outputs() == 0) return Status::Ok();
  if (node.is_const()) {
    if (node.const_value() == nullptr) {
      return Status::Error(StrCat("Const node '", node.name(), "' has no value; set its attribute 'value'"), "E19999");
    }
    if (IsInitializer(node) || dropped_[node.id()]) return Status::Ok();
  }
  if (const auto* captures = node.attr<std::vector<std::string>>(attrs.captures)) {
    auto first = node.num_inputs() - static_cast<uint32_t>(captures->size());
    for (OutputIdentity& c : capture_identities_) {
      for (uint32_t i = first; i < node.num_inputs(); ++i) {
        if (c.source && c.source == node.input(i) && c.name == (*captures)[i - first]) {
          WriteIdentity(c.source, c.name);
          c.source = {};
          break;
        }
      }
    }
  }
  return NodeExporter(this).Export(node);
}

// ---- inputs, outputs, declarations --------------------------------------------------------------------------------------

void GraphExporter::WriteInputs() {
  const PrivateAttrs& attrs = Private();
  struct Placed {
    int64_t position;
    const ir::Node* node;
  };
  std::vector<Placed> constants;
  for (const ir::Node* node : order_) {
    if (!node->is_const() || !Goes(*node)) continue;
    if (const auto* position = node->attr<int64_t>(attrs.input_position)) constants.push_back({*position, node});
  }
  std::sort(constants.begin(), constants.end(), [](const Placed& a, const Placed& b) { return a.position < b.position; });
  std::vector<ir::Node*> data = graph_.InputNodes();
  size_t next_data = 0, next_constant = 0;
  for (int64_t i = 0; next_data < data.size() || next_constant < constants.size(); ++i) {
    bool constant = next_constant < constants.size() &&
                    (constants[next_constant].position <= i || next_data == data.size());
    const ir::Node* node = constant ? constants[next_constant++].node : data[next_data++];
    WriteValueInfo(*out_, GraphField::kInput, names_[base_[node->id()]], node->output_desc(0),
                   BytesOr(node->output_attrs(0), attrs.value_info));
  }
}

Status GraphExporter::WriteOutputs() {
  const ir::Node* net_output = graph_.net_output();
  if (net_output == nullptr) return Status::Ok();
  for (uint32_t i = 0; i < net_output->num_inputs(); ++i) {
    ir::Anchor source = net_output->input(i);
    std::string_view name = output_names_[i];
    if (!source) continue;
    // What was inferred where it is more than what was declared.
    const ir::TensorDesc& declared = net_output->input_desc(i);
    const ir::TensorDesc& inferred = source.node->output_desc(source.index);
    bool use_inferred = declared.dtype == ir::DataType::kUndefined || declared.shape.unknown_rank();
    WriteValueInfo(*out_, GraphField::kOutput, name,
                   use_inferred && inferred.dtype != ir::DataType::kUndefined ? inferred : declared,
                   BytesOr(net_output->input_attrs(i), Private().value_info));
  }
  return Status::Ok();
}

void GraphExporter::WriteValueInfos(const std::vector<const ir::Node*>& order) {
  bool all = info_ != nullptr && info_->has_value_info;
  NameSet output_names;
  for (std::string_view name : output_names_) output_names.Insert(name, {});
  for (const ir::Node* node : order) {
    if (node->is_data() || node->num_outputs() == 0) continue;
    if (node->is_const() && (IsInitializer(*node) || !Goes(*node))) continue;
    for (uint32_t i = 0; i < node->num_outputs(); ++i) {
      const ir::TensorDesc& desc = node->output_desc(i);
      std::string_view name = names_[base_[node->id()] + i];
      bool known = desc.dtype != ir::DataType::kUndefined && !desc.shape.unknown_rank();
      if (name.empty() || !(node->declared(i) || (all && known && !node->is_const()))) continue;
      if (output_names.Contains(name)) continue;
      WriteValueInfo(*out_, GraphField::kValueInfo, name, desc,
                     BytesOr(node->output_attrs(i), Private().value_info));
    }
  }
}

void GraphExporter::WriteAnnotations() {
  if (info_ == nullptr) return;
  for (std::string_view annotation : info_->quantization_annotations) {
    wire::Reader reader(annotation);
    wire::Field f;
    bool present = true;
    while (reader.Next(&f)) {
      if (f.bytes_of(AnnotationField::kTensorName)) present = used_.Contains(f.bytes);
    }
    if (present) out_->Bytes(GraphField::kQuantizationAnnotation, annotation);
  }
}

}  // namespace ge::formats::onnx
