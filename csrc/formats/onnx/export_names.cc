// Tensor names of an export: interface names first, then what subgraphs capture, then the tensors' own names.
#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/graph_exporter.h"
#include "formats/onnx/private_attrs.h"
#include "formats/onnx/subgraph_names.h"

namespace ge::formats::onnx {

std::string_view GraphExporter::Unique(NameSet* set, std::string_view base) {
  if (!base.empty() && set->Insert(base, {}).second) return base;
  for (int n = 1;; ++n) {
    std::string name = StrCat(base.empty() ? "tensor" : base, "_", n);
    if (set->Contains(name)) continue;
    text_.push_back(std::move(name));
    set->Insert(text_.back(), {});
    return text_.back();
  }
}

std::string_view GraphExporter::NewTensorName(std::string_view base) {
  text_.emplace_back(base);
  std::string_view name = Unique(&used_, text_.back());
  while (inner_names_.Contains(name)) name = Unique(&used_, text_.back());
  return name;
}

std::string_view GraphExporter::NewNodeName(std::string_view base) {
  if (!node_names_ready_) {
    for (const ir::Node* node : *order_) node_names_.Insert(node->name(), {});
    node_names_ready_ = true;
  }
  text_.emplace_back(base);
  return Unique(&node_names_, text_.back());
}

std::string_view GraphExporter::Read(ir::Anchor source) {
  read_[source.node->id()] = 1;
  return OutputName(*source.node, source.index, true);
}

std::string_view GraphExporter::OutputName(const ir::Node& node, uint32_t i, bool required) {
  std::string_view& name = names_[base_[node.id()] + i];
  if (name.empty() && (required || node.num_uses(i) > 0)) {
    name = NewTensorName(i == 0 ? std::string(node.name()) : StrCat(node.name(), "_", i));
  }
  return name;
}

std::string_view GraphExporter::AddInitializer(std::string_view base, ir::TensorPtr value) {
  std::string_view name = NewTensorName(base);
  added_.push_back({name, std::move(value)});
  return name;
}

Status GraphExporter::PrepareNames() {
  read_.assign(base_.size(), 0);
  std::fill(names_.begin(), names_.end(), std::string_view());
  used_ = NameSet();
  used_.Reserve(names_.size() + 16);
  capture_identities_.clear();
  GE_RETURN_IF_ERROR(ReserveNames());
  GE_RETURN_IF_ERROR(NameOutputs());
  for (const ir::Node* node : opaque_) GE_RETURN_IF_ERROR(NameCaptures(*node));
  for (const ir::Node* node : *order_) {
    for (uint32_t i = 0; i < node->num_outputs(); ++i) {
      std::string_view& name = names_[base_[node->id()] + i];
      std::string_view own = node->tensor_name(i);
      if (name.empty() && !own.empty()) name = Unique(&used_, own);
    }
  }
  return Status::Ok();
}

// Graph inputs keep their names, and nothing made here may shadow a name inside a subgraph.
Status GraphExporter::ReserveNames() {
  for (const ir::Node* node : inputs_) {
    if (node->num_outputs() == 0) continue;
    std::string_view name = node->tensor_name(0).empty() ? node->name() : node->tensor_name(0);
    if (!used_.Insert(name, {}).second) {
      return Status::Error(StrCat("two graph inputs are called '", name, "'; rename one of them"), "E19999");
    }
    NameSlot({const_cast<ir::Node*>(node), 0}) = name;
  }
  for (const ir::Node* node : opaque_) {
    for (const auto& entry : node->attrs()) {
      const auto* attr = std::get_if<ir::Bytes>(&entry.second);
      if (attr == nullptr) continue;
      std::vector<std::string_view> graphs;
      if (!GraphsOfAttr(attr->data, &graphs).ok()) continue;
      for (std::string_view graph : graphs) {
        // Bodies were read in full when the model was loaded.
        if (!CollectInnerNames(graph, &inner_names_).ok()) continue;
      }
    }
  }
  return Status::Ok();
}

Status GraphExporter::NameOutputs() {
  output_identities_.clear();
  output_names_.clear();
  if (net_output_ == nullptr) return Status::Ok();
  const auto* names = net_output_->attr<std::vector<std::string>>(Private().output_names);
  for (uint32_t i = 0; i < net_output_->num_inputs(); ++i) {
    ir::Anchor source = net_output_->input(i);
    output_names_.emplace_back();
    if (!source) continue;
    std::string_view& name = NameSlot(source);
    bool named = names != nullptr && i < names->size() && !(*names)[i].empty();
    std::string_view own = source.node->tensor_name(source.index);
    bool initializer = source.node->is_const() && IsInitializer(*source.node);
    if (!named && name.empty() && !initializer) {
      // A graph that was built here: the output is called like the tensor or the node.
      name = own.empty() ? NewTensorName(source.node->name()) : Unique(&used_, own);
      output_names_.back() = name;
      continue;
    }
    std::string_view wanted = named ? std::string_view((*names)[i]) : NewTensorName(StrCat("output_", i));
    output_names_.back() = wanted;
    if (name == wanted) continue;
    if (named && !used_.Insert(wanted, {}).second) {
      return Status::Error(StrCat("graph output '", wanted, "' has the name of another input or output"), "E19999");
    }
    if (name.empty() && (!initializer || own == wanted)) {
      name = wanted;
    } else {
      output_identities_.push_back({source, wanted});
    }
  }
  return Status::Ok();
}

Status GraphExporter::NameCaptures(const ir::Node& node) {
  const auto* captures = node.attr<std::vector<std::string>>(Private().captures);
  if (captures == nullptr || captures->size() > node.num_inputs()) return Status::Ok();
  auto first = node.num_inputs() - static_cast<uint32_t>(captures->size());
  for (uint32_t i = 0; i < captures->size(); ++i) {
    ir::Anchor source = node.input(first + i);
    std::string_view wanted = (*captures)[i];
    if (!source) {
      return Status::Error(StrCat("node '", node.name(), "' has a subgraph that reads '", wanted,
                                  "', which nothing feeds any more"),
                           "E19999");
    }
    std::string_view& name = NameSlot(source);
    if (name == wanted) continue;
    bool known = false;
    for (const OutputIdentity& c : capture_identities_) known |= c.source == source && c.name == wanted;
    if (known) continue;
    auto output = std::find_if(output_identities_.begin(), output_identities_.end(),
                               [&](const OutputIdentity& o) { return o.source == source && o.name == wanted; });
    if (output != output_identities_.end()) {
      // The same tensor is a graph output of that name: it gets the name here already, before the subgraph reads it.
      capture_identities_.push_back(*output);
      output_identities_.erase(output);
      continue;
    }
    if (!used_.Insert(wanted, {}).second) {
      return Status::Error(StrCat("the subgraphs of '", node.name(), "' read '", wanted,
                                  "', which is now the name of another tensor; let the pass leave that tensor alone"),
                           "E19999");
    }
    if (name.empty()) {
      name = wanted;
    } else {
      capture_identities_.push_back({source, wanted});
    }
  }
  return Status::Ok();
}

}  // namespace ge::formats::onnx
