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

// What was declared, with what was inferred where it says more.
ir::TensorDesc MoreSpecific(const ir::TensorDesc& declared, const ir::TensorDesc& inferred) {
  if (inferred.dtype == ir::DataType::kUndefined) return declared;
  if (declared.dtype == ir::DataType::kUndefined || declared.shape.unknown_rank()) return inferred;
  ir::TensorDesc desc = declared;
  if (inferred.shape.unknown_rank() || inferred.shape.rank() != declared.shape.rank()) return desc;
  for (size_t i = 0; i < desc.shape.rank(); ++i) {
    if (!ir::IsStatic(desc.shape[i]) && ir::IsStatic(inferred.shape[i])) desc.shape.Set(i, inferred.shape[i]);
  }
  return desc;
}

}  // namespace

Status GraphExporter::Export(const std::vector<const ir::Node*>& order, wire::Writer* out) {
  out_ = out;
  order_ = &order;
  SortNodes();
  do {
    out->Clear();
    added_.clear();
    derived_.clear();
    if (external_ != nullptr) external_->Clear();
    GE_RETURN_IF_ERROR(PrepareNames());
    GE_RETURN_IF_ERROR(WriteNodes());
  } while (DropUnreadConstants());
  out->Bytes(GraphField::kName, graph_.name());
  WriteInitializers();
  WriteInputs();
  GE_RETURN_IF_ERROR(WriteOutputs());
  WriteValueInfos();
  WriteAnnotations();
  if (info_ != nullptr) {
    for (std::string_view field : info_->graph_fields) out->Raw(field);
  }
  return kept_status_;
}

void GraphExporter::WriteKept(Part part, uint32_t field, std::string_view proto) {
  if (info_ == nullptr || !info_->nested_external) {
    out_->Bytes(field, proto);
    return;
  }
  // Other threads may save the same graph.
  if (kept_files_ == nullptr) kept_files_ = std::make_unique<ExternalFiles>(*info_->external);
  auto mark = out_->Begin(field, proto.size());
  Status status = CopyNested(part, proto, info_->file, kept_files_.get(), external_, out_);
  if (kept_status_.ok()) kept_status_ = status;
  out_->End(mark);
}

// One walk over all nodes; later ones visit only the nodes they are about.
void GraphExporter::SortNodes() {
  const PrivateAttrs& attrs = Private();
  base_.assign(graph_.all_created().size(), 0);
  dropped_.assign(base_.size(), 0);
  std::vector<uint8_t> opaque_type;  // by symbol: 0 not looked at, 1 no, 2 yes
  uint32_t total = 0;
  for (const ir::Node* node : *order_) {
    base_[node->id()] = total;
    total += node->num_outputs();
    if (node->is_const()) {
      (IsInitializer(*node) ? initializers_ : constant_nodes_).push_back(node);
      if (node->attrs().Find(attrs.input_position) != nullptr) inputs_.push_back(node);
      continue;
    }
    if (node->is_data()) {
      inputs_.push_back(node);
      data_.push_back(node);
      continue;
    }
    if (node->is_net_output()) net_output_ = node;
    uint32_t type = node->type().id();
    if (type >= opaque_type.size()) opaque_type.resize(type + 1);
    if (opaque_type[type] == 0) opaque_type[type] = node->type().view().find("::") == std::string_view::npos ? 1 : 2;
    if (opaque_type[type] == 1) continue;
    opaque_.push_back(node);
    if (node->attrs().Find(attrs.sparse) != nullptr) sparse_.push_back(node);
  }
  names_.resize(total);
  auto index = [](const ir::Node* node) {
    const auto* i = node->attr<int64_t>(ir::Common().index);
    return i == nullptr ? int64_t{0} : *i;
  };
  std::stable_sort(data_.begin(), data_.end(),
                   [&](const ir::Node* a, const ir::Node* b) { return index(a) < index(b); });
}

// ---- constants ----------------------------------------------------------------------------------------------------------

bool GraphExporter::IsInitializer(const ir::Node& node) const {
  return node.attr<std::string>(Private().constant) == nullptr;
}

const ir::Node* GraphExporter::ConstOfTensor(std::string_view name) {
  for (const auto* list : {&initializers_, &constant_nodes_}) {
    for (const ir::Node* node : *list) {
      if (!const_tensors_ready_) const_tensors_.Insert(node->tensor_name(0), node);
    }
  }
  const_tensors_ready_ = true;
  const ir::Node** found = const_tensors_.Find(name);
  return found == nullptr ? nullptr : *found;
}

bool GraphExporter::Goes(const ir::Node& constant) const {
  return read_[constant.id()] != 0 || constant.attr<bool>(Private().unused) != nullptr;
}

// A Constant node whose value only became attributes of other nodes need not be written; what reads it is known only
// after the other nodes.
bool GraphExporter::DropUnreadConstants() {
  bool any = false;
  for (const ir::Node* node : constant_nodes_) {
    if (Goes(*node) || dropped_[node->id()]) continue;
    dropped_[node->id()] = 1;
    any = true;
  }
  return any;
}

void GraphExporter::WriteInitializers() {
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
  for (const ir::Node* node : initializers_) {
    if (!Goes(*node)) continue;
    if (node->attr<int64_t>(attrs.input_position) == nullptr) has_plain_initializer_ = true;
    write(names_[base_[node->id()]], *node->const_value(), node);
  }
  for (const Added& a : added_) {
    has_plain_initializer_ = true;
    write(a.name, *a.value, nullptr);
  }
  for (const ir::Node* node : sparse_) {
    WriteKept(Part::kSparseTensor, GraphField::kSparseInitializer, BytesOr(node->attrs(), attrs.sparse));
  }
}

// ---- nodes --------------------------------------------------------------------------------------------------------------

Status GraphExporter::WriteNodes() {
  for (uint32_t i = 0; net_output_ != nullptr && i < net_output_->num_inputs(); ++i) {
    if (net_output_->input(i)) Read(net_output_->input(i));
  }
  NodeExporter exporter(this);
  for (const ir::Node* node : *order_) GE_RETURN_IF_ERROR(WriteNode(*node, &exporter));
  for (const OutputIdentity& o : output_identities_) WriteIdentity(o.source, o.name);
  return Status::Ok();
}

void GraphExporter::WriteIdentity(ir::Anchor source, std::string_view name) {
  std::string_view input = Read(source);
  NodeExporter(this).WriteExtra("Identity", StrCat(name, "_identity"), input, name);
}

Status GraphExporter::WriteNode(const ir::Node& node, NodeExporter* exporter) {
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
  return exporter->Export(node);
}

// ---- inputs, outputs, declarations --------------------------------------------------------------------------------------

void GraphExporter::WriteInputs() {
  const PrivateAttrs& attrs = Private();
  struct Placed {
    int64_t position;
    const ir::Node* node;
  };
  std::vector<Placed> constants;
  for (const ir::Node* node : inputs_) {
    if (!node->is_const() || !Goes(*node)) continue;
    if (const auto* position = node->attr<int64_t>(attrs.input_position)) constants.push_back({*position, node});
  }
  std::sort(constants.begin(), constants.end(), [](const Placed& a, const Placed& b) { return a.position < b.position; });
  size_t next_data = 0, next_constant = 0;
  for (int64_t i = 0; next_data < data_.size() || next_constant < constants.size(); ++i) {
    bool constant = next_constant < constants.size() &&
                    (constants[next_constant].position <= i || next_data == data_.size());
    const ir::Node* node = constant ? constants[next_constant++].node : data_[next_data++];
    WriteValueInfo(*out_, GraphField::kInput, names_[base_[node->id()]], node->output_desc(0),
                   BytesOr(node->output_attrs(0), attrs.value_info));
  }
}

Status GraphExporter::WriteOutputs() {
  for (uint32_t i = 0; net_output_ != nullptr && i < net_output_->num_inputs(); ++i) {
    ir::Anchor source = net_output_->input(i);
    std::string_view name = output_names_[i];
    if (!source) continue;
    WriteValueInfo(*out_, GraphField::kOutput, name,
                   MoreSpecific(net_output_->input_desc(i), source.node->output_desc(source.index)),
                   BytesOr(net_output_->input_attrs(i), Private().value_info));
  }
  return Status::Ok();
}

void GraphExporter::WriteValueInfos() {
  bool all = info_ != nullptr && info_->has_value_info;
  NameSet output_names;
  for (std::string_view name : output_names_) output_names.Insert(name, {});
  for (const ir::Node* node : *order_) {
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
