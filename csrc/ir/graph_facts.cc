#include "ir/graph.h"

#include "ir/journal.h"

namespace ge::ir {

namespace {
// Sets an attribute in `map()` and records how to get the old one back. `map` is called again at undo time, since the
// map may have moved meanwhile.
template <typename MapOf>
void SetRecorded(Journal* journal, MapOf map, Symbol name, AttrValue value) {
  if (journal != nullptr) {
    const AttrValue* old = map().Find(name);
    if (old != nullptr) {
      journal->Custom([map, name, saved = *old] { map().Set(name, saved); });
    } else {
      journal->Custom([map, name] { map().Erase(name); });
    }
  }
  map().Set(name, std::move(value));
}
}  // namespace

void Graph::SetAttr(Node* node, Symbol name, AttrValue value) {
  SetRecorded(journal(), [node]() -> AttrMap& { return node->attrs_; }, name, std::move(value));
}

bool Graph::EraseAttr(Node* node, Symbol name) {
  if (node->attrs_.Find(name) == nullptr) return false;
  // The whole map is saved, so that undo restores the order too.
  if (Journal* j = journal()) j->Custom([node, old = node->attrs_] { node->attrs_ = old; });
  return node->attrs_.Erase(name);
}

void Graph::SetInputAttr(Node* node, uint32_t i, Symbol name, AttrValue value) {
  auto& all = node->extra().input_attrs;
  if (all.size() <= i) all.resize(i + 1);
  SetRecorded(journal(), [node, i]() -> AttrMap& { return node->extra_->input_attrs[i]; }, name, std::move(value));
}

void Graph::SetOutputAttr(Node* node, uint32_t i, Symbol name, AttrValue value) {
  auto& all = node->extra().output_attrs;
  if (all.size() <= i) all.resize(i + 1);
  SetRecorded(journal(), [node, i]() -> AttrMap& { return node->extra_->output_attrs[i]; }, name, std::move(value));
}

void Graph::SetOutputDesc(Node* node, uint32_t i, TensorDesc desc) {
  if (Journal* j = journal()) {
    j->Custom([node, i, old = node->outputs_[i].desc] { node->outputs_[i].desc = old; });
  }
  node->outputs_[i].desc = std::move(desc);
}

void Graph::SetInputDesc(Node* node, uint32_t i, TensorDesc desc) {
  auto& descs = node->extra().input_descs;
  if (descs.size() <= i) descs.resize(i + 1);
  if (Journal* j = journal()) {
    auto old = descs[i] ? std::make_shared<TensorDesc>(*descs[i]) : nullptr;
    j->Custom([node, i, old] {
      node->extra_->input_descs[i] = old ? std::make_unique<TensorDesc>(*old) : nullptr;
    });
  }
  descs[i] = std::make_unique<TensorDesc>(std::move(desc));
}

void Graph::SetTensorName(Node* node, uint32_t i, std::string_view name) {
  if (Journal* j = journal()) {
    j->Custom([node, i, old = node->outputs_[i].tensor_name] { node->outputs_[i].tensor_name = old; });
  }
  node->outputs_[i].tensor_name = name == node->name_ ? node->name_ : arena_.Copy(name);
}

void Graph::InitOutput(Node* node, uint32_t i, TensorDesc desc, std::string_view tensor_name, bool declared) {
  Node::OutputSlot& out = node->outputs_[i];
  out.desc = std::move(desc);
  out.declared = declared;
  if (!tensor_name.empty()) out.tensor_name = tensor_name == node->name_ ? node->name_ : arena_.Copy(tensor_name);
}

void Graph::SetDeclared(Node* node, uint32_t i, bool declared) {
  if (Journal* j = journal()) {
    j->Custom([node, i, old = node->outputs_[i].declared] { node->outputs_[i].declared = old; });
  }
  node->outputs_[i].declared = declared;
}

void Graph::SetGraphAttr(Symbol name, AttrValue value) {
  SetRecorded(journal(), [this]() -> AttrMap& { return attrs_; }, name, std::move(value));
}

}  // namespace ge::ir
