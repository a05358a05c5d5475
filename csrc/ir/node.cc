#include "ir/graph.h"


namespace ge::ir {
namespace {
const TensorDesc& UndefinedDesc() {
  static const TensorDesc* desc = new TensorDesc;
  return *desc;
}
const AttrMap& NoAttrs() {
  static const AttrMap* attrs = new AttrMap;
  return *attrs;
}
}  // namespace

Node::~Node() {
  for (uint32_t i = 0; i < output_capacity_; ++i) outputs_[i].~OutputSlot();
}

Node::Extra& Node::extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

uint32_t Node::num_connected_inputs() const {
  uint32_t n = 0;
  for (uint32_t i = 0; i < num_inputs_; ++i) n += inputs_[i].source_ ? 1 : 0;
  return n;
}

bool Node::has_uses() const {
  for (uint32_t i = 0; i < num_outputs_; ++i) {
    if (outputs_[i].first_use != nullptr) return true;
  }
  return false;
}

bool Node::has_input_desc(uint32_t i) const {
  return extra_ && i < extra_->input_descs.size() && extra_->input_descs[i] != nullptr;
}

const TensorDesc& Node::input_desc(uint32_t i) const {
  if (has_input_desc(i)) return *extra_->input_descs[i];
  Anchor source = inputs_[i].source_;
  return source ? source.node->output_desc(source.index) : UndefinedDesc();
}

const AttrMap& Node::input_attrs(uint32_t i) const {
  return extra_ && i < extra_->input_attrs.size() ? extra_->input_attrs[i] : NoAttrs();
}
const AttrMap& Node::output_attrs(uint32_t i) const {
  return extra_ && i < extra_->output_attrs.size() ? extra_->output_attrs[i] : NoAttrs();
}

std::span<Node* const> Node::control_inputs() const {
  return extra_ ? std::span<Node* const>(extra_->control_inputs) : std::span<Node* const>();
}
std::span<Node* const> Node::control_outputs() const {
  return extra_ ? std::span<Node* const>(extra_->control_outputs) : std::span<Node* const>();
}
std::span<const SubgraphRef> Node::subgraphs() const {
  return extra_ ? std::span<const SubgraphRef>(extra_->subgraphs) : std::span<const SubgraphRef>();
}

}  // namespace ge::ir
