#include "ir/graph.h"

#include <algorithm>
#include <cassert>

#include "ir/journal.h"

namespace ge::ir {

void Graph::LinkUse(InputSlot* slot, Anchor source, InputSlot* after) {
  Node::OutputSlot& out = source.node->outputs_[source.index];
  slot->source_ = source;
  slot->prev_use_ = after;
  slot->next_use_ = after ? after->next_use_ : out.first_use;
  (slot->prev_use_ ? slot->prev_use_->next_use_ : out.first_use) = slot;
  (slot->next_use_ ? slot->next_use_->prev_use_ : out.last_use) = slot;
  ++out.num_uses;
}

void Graph::UnlinkUse(InputSlot* slot) {
  Node::OutputSlot& out = slot->source_.node->outputs_[slot->source_.index];
  (slot->prev_use_ ? slot->prev_use_->next_use_ : out.first_use) = slot->next_use_;
  (slot->next_use_ ? slot->next_use_->prev_use_ : out.last_use) = slot->prev_use_;
  slot->prev_use_ = slot->next_use_ = nullptr;
  slot->source_ = {};
  --out.num_uses;
}

void Graph::ConnectNew(Anchor source, Node* node, uint32_t slot) {
  assert(slot < node->num_inputs_ && !node->inputs_[slot].source_);
  assert(source.index < source.node->num_outputs_);
  LinkUse(&node->inputs_[slot], source, source.node->outputs_[source.index].last_use);
  if (source.node->order_ >= node->order_) ordered_ = false;
}

void Graph::Connect(Anchor source, Node* node, uint32_t slot) {
  ConnectNew(source, node, slot);
  if (Journal* j = journal()) j->Connected(node, slot);
}

void Graph::Disconnect(Node* node, uint32_t slot) {
  InputSlot* s = &node->inputs_[slot];
  if (!s->source_) return;
  if (Journal* j = journal()) {
    Anchor source = s->source_;
    InputSlot* prev = s->prev_use_;
    UnlinkUse(s);
    j->Disconnected(node, slot, source, prev);
    return;
  }
  UnlinkUse(s);
}

void Graph::ReplaceUses(Anchor from, Anchor to) {
  if (from == to) return;
  while (InputSlot* use = from.node->outputs_[from.index].first_use) {
    Disconnect(use->node_, use->index_);
    Connect(to, use->node_, use->index_);
  }
}

void Graph::AddControlEdge(Node* source, Node* node) {
  source->extra().control_outputs.push_back(node);
  node->extra().control_inputs.push_back(source);
  if (source->order_ >= node->order_) ordered_ = false;
  if (Journal* j = journal()) {
    j->Custom([source, node] {
      source->extra_->control_outputs.pop_back();
      node->extra_->control_inputs.pop_back();
    });
  }
}

bool Graph::RemoveControlEdge(Node* source, Node* node) {
  if (!source->extra_ || !node->extra_) return false;
  auto& outs = source->extra_->control_outputs;
  auto& ins = node->extra_->control_inputs;
  auto out = std::find(outs.begin(), outs.end(), node);
  auto in = std::find(ins.begin(), ins.end(), source);
  if (out == outs.end() || in == ins.end()) return false;
  auto out_at = out - outs.begin();
  auto in_at = in - ins.begin();
  outs.erase(out);
  ins.erase(in);
  if (Journal* j = journal()) {
    j->Custom([source, node, out_at, in_at] {
      auto& o = source->extra_->control_outputs;
      auto& i = node->extra_->control_inputs;
      o.insert(o.begin() + out_at, node);
      i.insert(i.begin() + in_at, source);
    });
  }
  return true;
}

}  // namespace ge::ir
