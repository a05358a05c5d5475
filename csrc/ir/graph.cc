#include "ir/graph.h"

#include <algorithm>
#include <cassert>

#include "base/strings.h"
#include "ir/journal.h"

namespace ge::ir {
namespace {

// Neighbours that had to be relabelled are at least this far apart.
constexpr int64_t kOrderRoom = int64_t{1} << 12;

// The number after the last '_' of a name, 0 if there is none. Names with very long numbers stay out: a counter never
// gets there.
uint64_t TrailingNumber(std::string_view name) {
  uint64_t number = 0, scale = 1;
  size_t i = name.size();
  for (; i > 0 && name[i - 1] >= '0' && name[i - 1] <= '9'; --i) {
    if (name.size() - i >= 12) return 0;
    number += static_cast<uint64_t>(name[i - 1] - '0') * scale;
    scale *= 10;
  }
  return i > 0 && i < name.size() && name[i - 1] == '_' ? number : 0;
}

}  // namespace

GraphExtension::~GraphExtension() = default;

GraphPtr Graph::Create(std::string_view name) { return GraphPtr(new Graph(name)); }

Graph::Graph(std::string_view name) : name_(name) {}

Graph::~Graph() {
  if (liveness_) liveness_->alive.store(false, std::memory_order_release);
  // Subgraphs that somebody else holds too live on as trees of their own.
  auto shared = [](const GraphPtr& g) { return g.use_count() > 1; };
  for (;;) {
    auto held = std::find_if(subgraphs_.begin(), subgraphs_.end(), shared);
    if (held == subgraphs_.end()) break;
    RemoveSubgraph(std::string((*held)->name_));
  }
  for (Node* n : created_) n->~Node();
}

const std::shared_ptr<Liveness>& Graph::liveness() const {
  if (!liveness_) liveness_ = std::make_shared<Liveness>();
  return liveness_;
}

void Graph::ExpireHandles() {
  liveness()->alive.store(false, std::memory_order_release);
  if (root_ != this) return;
  for (const GraphPtr& g : subgraphs_) g->liveness()->alive.store(false, std::memory_order_release);
}

void Graph::SetName(std::string_view name) {
  if (Journal* j = journal()) j->Custom([this, old = name_] { name_ = old; });
  name_ = std::string(name);
}

void Graph::CountType(Symbol type, int delta) {
  if (type.id() >= type_counts_.size()) type_counts_.resize(type.id() + 1);
  type_counts_[type.id()] += static_cast<uint32_t>(delta);
}

void Graph::AssignOrder(Node* node) {
  int64_t before = node->prev_ ? node->prev_->order_ : 0;
  if (node->next_ == nullptr) {
    node->order_ = before + kOrderGap;
    return;
  }
  int64_t after = node->next_->order_;
  if (after - before >= 2) {
    node->order_ = before + (after - before) / 2;
    return;
  }
  // Too tight here: spread the nodes up to where there is room again.
  Node* end = node->next_;
  int64_t count = 1;
  while (end != nullptr && (end->order_ - before) / (count + 1) < kOrderRoom) {
    end = end->next_;
    ++count;
  }
  int64_t step = end != nullptr ? (end->order_ - before) / (count + 1) : kOrderGap;
  for (Node* n = node; n != end; n = n->next_) n->order_ = before += step;
}

void Graph::LinkAfter(Node* node, Node* position) {
  node->prev_ = position;
  node->next_ = position ? position->next_ : first_;
  (node->prev_ ? node->prev_->next_ : first_) = node;
  (node->next_ ? node->next_->prev_ : last_) = node;
  AssignOrder(node);
  ++num_nodes_;
  CountType(node->type_, 1);
  by_type_fresh_ = false;
  if (by_name_built_) by_name_[node->name_].push_back(node);
}

void Graph::Unlink(Node* node) {
  (node->prev_ ? node->prev_->next_ : first_) = node->next_;
  (node->next_ ? node->next_->prev_ : last_) = node->prev_;
  node->prev_ = node->next_ = nullptr;
  node->graph_ = nullptr;
  --num_nodes_;
  CountType(node->type_, -1);
  by_type_fresh_ = false;
  if (by_name_built_) {
    auto found = by_name_.find(node->name_);
    auto& same = found->second;
    same.erase(std::find(same.begin(), same.end(), node));
    if (same.empty()) by_name_.erase(found);
  }
}

Node* Graph::NewNode(Symbol type, std::string_view name, uint32_t num_inputs, uint32_t num_outputs) {
  Node* node = new (arena_.Allocate(sizeof(Node), alignof(Node))) Node;
  node->type_ = type;
  node->name_ = arena_.Copy(name);
  node->graph_ = this;
  node->id_ = created_.size();
  node->num_inputs_ = node->input_capacity_ = num_inputs;
  node->inputs_ = arena_.AllocateArray<InputSlot>(num_inputs);
  for (uint32_t i = 0; i < num_inputs; ++i) {
    InputSlot* slot = new (&node->inputs_[i]) InputSlot;
    slot->node_ = node;
    slot->index_ = i;
  }
  node->num_outputs_ = node->output_capacity_ = num_outputs;
  node->outputs_ = arena_.AllocateArray<Node::OutputSlot>(num_outputs);
  for (uint32_t i = 0; i < num_outputs; ++i) new (&node->outputs_[i]) Node::OutputSlot;
  created_.push_back(node);
  return node;
}

Node* Graph::AddNode(Symbol type, std::string_view name, uint32_t num_inputs, uint32_t num_outputs) {
  return InsertNodeAfter(last_, type, name, num_inputs, num_outputs);
}

Node* Graph::InsertNodeAfter(Node* position, Symbol type, std::string_view name, uint32_t num_inputs,
                             uint32_t num_outputs) {
  Node* node = NewNode(type, name, num_inputs, num_outputs);
  LinkAfter(node, position);
  if (Journal* j = journal()) j->NodeAdded(node);
  return node;
}

void Graph::RemoveNode(Node* node) {
  assert(node->graph_ == this);
  for (uint32_t i = 0; i < node->num_inputs_; ++i) Disconnect(node, i);
  for (uint32_t i = 0; i < node->num_outputs_; ++i) {
    while (InputSlot* use = node->outputs_[i].first_use) Disconnect(use->node_, use->index_);
  }
  if (node->extra_) {
    while (!node->extra_->control_inputs.empty()) RemoveControlEdge(node->extra_->control_inputs.back(), node);
    while (!node->extra_->control_outputs.empty()) RemoveControlEdge(node, node->extra_->control_outputs.back());
    while (!node->extra_->subgraphs.empty()) RemoveSubgraph(std::string(node->extra_->subgraphs.back().graph->name_));
  }
  Node* prev = node->prev_;
  Unlink(node);
  if (Journal* j = journal()) j->NodeRemoved(this, node, prev);
}

void Graph::MoveNodeAfter(Node* node, Node* position) {
  if (node == position || node->prev_ == position) return;
  Node* old = node->prev_;
  bool was_ordered = ordered_;
  Unlink(node);
  node->graph_ = this;
  LinkAfter(node, position);
  ordered_ = false;
  if (Journal* j = journal()) {
    j->Custom([this, node, old, was_ordered] {
      Unlink(node);
      node->graph_ = this;
      LinkAfter(node, old);
      ordered_ = was_ordered;
    });
  }
}

void Graph::SetType(Node* node, Symbol type) {
  if (Journal* j = journal()) {
    j->Custom([this, node, old = node->type_] {
      CountType(node->type_, -1);
      node->type_ = old;
      CountType(old, 1);
      by_type_fresh_ = false;
    });
  }
  CountType(node->type_, -1);
  node->type_ = type;
  CountType(type, 1);
  by_type_fresh_ = false;
}

void Graph::SetNodeName(Node* node, std::string_view name) {
  if (Journal* j = journal()) {
    j->Custom([this, node, old = node->name_] {
      node->name_ = old;
      by_name_built_ = false;
    });
  }
  node->name_ = arena_.Copy(name);
  by_name_built_ = false;
  root_->name_number_ = std::max(root_->name_number_, TrailingNumber(name));
}

void Graph::ResizeInputs(Node* node, uint32_t n) {
  uint32_t old = node->num_inputs_;
  if (n == old) return;
  for (uint32_t i = n; i < old; ++i) Disconnect(node, i);
  if (n > node->input_capacity_) {
    auto* fresh = arena_.AllocateArray<InputSlot>(n);
    for (uint32_t i = 0; i < n; ++i) {
      InputSlot* slot = new (&fresh[i]) InputSlot;
      slot->node_ = node;
      slot->index_ = i;
      if (i >= old || !node->inputs_[i].source_) continue;
      // Take the old slot's place in its use list.
      InputSlot* before = node->inputs_[i].prev_use_;
      Anchor source = node->inputs_[i].source_;
      UnlinkUse(&node->inputs_[i]);
      LinkUse(slot, source, before);
    }
    node->inputs_ = fresh;
    node->input_capacity_ = n;
  }
  node->num_inputs_ = n;
  if (Journal* j = journal()) j->Custom([node, old] { node->num_inputs_ = old; });
}

void Graph::ResizeOutputs(Node* node, uint32_t n) {
  uint32_t old = node->num_outputs_;
  if (n == old) return;
  if (n > node->output_capacity_) {
    auto* fresh = arena_.AllocateArray<Node::OutputSlot>(n);
    for (uint32_t i = 0; i < n; ++i) {
      if (i < node->output_capacity_) {
        new (&fresh[i]) Node::OutputSlot(std::move(node->outputs_[i]));
        node->outputs_[i].~OutputSlot();
      } else {
        new (&fresh[i]) Node::OutputSlot;
      }
    }
    node->outputs_ = fresh;
    node->output_capacity_ = n;
  }
  node->num_outputs_ = n;
  Journal* j = journal();
  if (j != nullptr) j->Custom([node, old] { node->num_outputs_ = old; });
  for (uint32_t i = old; i < n; ++i) {
    // A slot that was shrunk away earlier starts anew.
    if (j != nullptr) {
      j->Custom([node, i, desc = node->outputs_[i].desc, name = node->outputs_[i].tensor_name,
                 declared = node->outputs_[i].declared] {
        node->outputs_[i].desc = desc;
        node->outputs_[i].tensor_name = name;
        node->outputs_[i].declared = declared;
      });
    }
    node->outputs_[i] = Node::OutputSlot();
  }
}

Node* Graph::FindNode(std::string_view name) const {
  if (!by_name_built_) {
    by_name_.clear();
    by_name_.reserve(num_nodes_);
    for (Node* n = first_; n != nullptr; n = n->next_) by_name_[n->name_].push_back(n);
    by_name_built_ = true;
  }
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second.front();
}

std::string Graph::UniqueName(std::string_view base) const {
  if (FindNode(base) == nullptr) return std::string(base);
  for (int i = 1;; ++i) {
    std::string name = StrCat(base, "_", i);
    if (FindNode(name) == nullptr) return name;
  }
}

void Graph::NoteNames() {
  for (; names_noted_ < created_.size(); ++names_noted_) {
    const Node* node = created_[names_noted_];
    if (node->graph_ != nullptr) root_->name_number_ = std::max(root_->name_number_, TrailingNumber(node->name_));
  }
}

uint64_t Graph::NextNameNumber() {
  root_->NoteNames();
  for (const GraphPtr& g : root_->subgraphs_) g->NoteNames();
  return ++root_->name_number_;
}

const std::vector<Node*>& Graph::NodesOfType(Symbol type) const {
  if (!by_type_fresh_) {
    for (auto& entry : by_type_) entry.second.clear();
    // Graphs repeat few types, so most look-ups are saved by a small table.
    constexpr uint32_t kRecent = 32;
    constexpr size_t kAhead = 12;
    std::pair<Symbol, std::vector<Node*>*> recent[kRecent] = {};
    for (Node* n = first_; n != nullptr; n = n->next_) {
      // Nodes mostly stand in the order in which they were made, so this one is wanted soon.
      if (n->id_ + kAhead < created_.size()) __builtin_prefetch(created_[n->id_ + kAhead]);
      auto& [bucket_type, bucket] = recent[n->type_.id() % kRecent];
      if (bucket == nullptr || bucket_type != n->type_) {
        bucket_type = n->type_;
        bucket = &by_type_[bucket_type];
        bucket->reserve(CountOfType(bucket_type));
      }
      bucket->push_back(n);
    }
    by_type_fresh_ = true;
  }
  return by_type_[type];
}

}  // namespace ge::ir
