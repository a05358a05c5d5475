#include "ir/graph.h"

#include <algorithm>
#include <cassert>
#include <queue>
#include <unordered_set>

#include "base/strings.h"
#include "ir/journal.h"

namespace ge::ir {
namespace {

// Labels are this far apart, so that many nodes fit between two neighbours before relabelling.
constexpr int64_t kOrderGap = int64_t{1} << 24;

const TensorDesc& UndefinedDesc() {
  static const TensorDesc* desc = new TensorDesc;
  return *desc;
}
const AttrMap& NoAttrs() {
  static const AttrMap* attrs = new AttrMap;
  return *attrs;
}

}  // namespace

GraphExtension::~GraphExtension() = default;

// ---- Node -------------------------------------------------------------------------------------------------------------

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

// ---- Graph: life ------------------------------------------------------------------------------------------------------

GraphPtr Graph::Create(std::string_view name) { return GraphPtr(new Graph(name)); }

Graph::Graph(std::string_view name) : name_(name) {}

Graph::~Graph() {
  if (liveness_) liveness_->store(false);
  for (Node* n : created_) n->~Node();
}

std::shared_ptr<const std::atomic<bool>> Graph::liveness() const {
  if (!liveness_) liveness_ = std::make_shared<std::atomic<bool>>(true);
  return liveness_;
}

void Graph::SetName(std::string_view name) {
  if (Journal* j = journal()) j->Custom([this, old = name_] { name_ = old; });
  name_ = std::string(name);
}

// ---- Graph: node list -------------------------------------------------------------------------------------------------

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
  int64_t order = 0;
  for (Node* n = first_; n != nullptr; n = n->next_) n->order_ = order += kOrderGap;
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

const std::vector<Node*>& Graph::NodesOfType(Symbol type) const {
  if (!by_type_fresh_) {
    for (auto& entry : by_type_) entry.second.clear();
    std::vector<Node*>* bucket = nullptr;
    Symbol bucket_type;
    for (Node* n = first_; n != nullptr; n = n->next_) {
      if (bucket == nullptr || n->type_ != bucket_type) {
        bucket_type = n->type_;
        bucket = &by_type_[bucket_type];
      }
      bucket->push_back(n);
    }
    by_type_fresh_ = true;
  }
  return by_type_[type];
}

// ---- Graph: edges -----------------------------------------------------------------------------------------------------

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

void Graph::Connect(Anchor source, Node* node, uint32_t slot) {
  assert(slot < node->num_inputs_ && !node->inputs_[slot].source_);
  assert(source.index < source.node->num_outputs_);
  LinkUse(&node->inputs_[slot], source, source.node->outputs_[source.index].last_use);
  if (source.node->order_ >= node->order_) ordered_ = false;
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

// ---- Graph: attributes and descs --------------------------------------------------------------------------------------

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

void Graph::SetDeclared(Node* node, uint32_t i, bool declared) {
  if (Journal* j = journal()) {
    j->Custom([node, i, old = node->outputs_[i].declared] { node->outputs_[i].declared = old; });
  }
  node->outputs_[i].declared = declared;
}

void Graph::SetGraphAttr(Symbol name, AttrValue value) {
  SetRecorded(journal(), [this]() -> AttrMap& { return attrs_; }, name, std::move(value));
}

// ---- Graph: inputs, outputs, subgraphs --------------------------------------------------------------------------------

std::vector<Node*> Graph::InputNodes() const {
  const CommonSymbols& c = Common();
  std::vector<Node*> inputs;
  for (Symbol type : {c.Data, c.RefData, c.AippData, c.AnnData, c.AnyData}) {
    if (CountOfType(type) == 0) continue;
    const std::vector<Node*>& found = NodesOfType(type);
    inputs.insert(inputs.end(), found.begin(), found.end());
  }
  auto index = [&](const Node* n) {
    const int64_t* i = n->attr<int64_t>(c.index);
    return i ? *i : 0;
  };
  std::sort(inputs.begin(), inputs.end(), [&](const Node* a, const Node* b) {
    return std::make_pair(index(a), a->order()) < std::make_pair(index(b), b->order());
  });
  return inputs;
}

Node* Graph::net_output() const {
  if (CountOfType(Common().NetOutput) == 0) return nullptr;
  if (last_ != nullptr && last_->is_net_output()) return last_;
  return NodesOfType(Common().NetOutput).front();
}

Graph* Graph::FindSubgraph(std::string_view name) const {
  for (const GraphPtr& g : root_->subgraphs_) {
    if (g->name_ == name) return g.get();
  }
  return nullptr;
}

void Graph::Rehome(Graph* root, Graph* parent_graph, Node* parent_node) {
  root_ = root;
  parent_graph_ = parent_graph;
  parent_node_ = parent_node;
}

Status Graph::AddSubgraph(Node* parent, std::string_view slot_name, GraphPtr graph) {
  if (graph->root_ != graph.get() || graph.get() == root_) {
    return Status::Error(StrCat("graph '", graph->name_, "' is already part of another graph"));
  }
  std::vector<GraphPtr> coming{graph};
  coming.insert(coming.end(), graph->subgraphs_.begin(), graph->subgraphs_.end());
  for (const GraphPtr& g : coming) {
    if (FindSubgraph(g->name_) != nullptr || g->name_ == root_->name_) {
      return Status::Error(StrCat("a graph named '", g->name_, "' is already there in '", root_->name_, "'"));
    }
  }
  Journal* j = journal();
  graph->subgraphs_.clear();
  for (const GraphPtr& g : coming) {
    if (g == graph) {
      g->Rehome(root_, this, parent);
    } else {
      g->root_ = root_;
    }
    root_->subgraphs_.push_back(g);
  }
  parent->extra().subgraphs.push_back({std::string(slot_name), graph.get()});
  if (j != nullptr) {
    j->Custom([this, parent, graph, coming] {
      parent->extra_->subgraphs.pop_back();
      root_->subgraphs_.resize(root_->subgraphs_.size() - coming.size());
      for (const GraphPtr& g : coming) g->root_ = graph.get();
      graph->Rehome(graph.get(), nullptr, nullptr);
      graph->subgraphs_.assign(coming.begin() + 1, coming.end());
    });
  }
  return Status::Ok();
}

bool Graph::RemoveSubgraph(std::string_view name) {
  Graph* found = FindSubgraph(name);
  if (found == nullptr) return false;
  auto& all = root_->subgraphs_;
  std::vector<GraphPtr> before = all;
  // The subgraph and all below it leave the root and become a tree of their own.
  std::unordered_set<Graph*> leaving{found};
  for (bool grew = true; grew;) {
    grew = false;
    for (const GraphPtr& g : all) {
      if (leaving.count(g->parent_graph_) && leaving.insert(g.get()).second) grew = true;
    }
  }
  std::vector<GraphPtr> below;
  GraphPtr top;
  all.clear();
  for (const GraphPtr& g : before) {
    if (g.get() == found) {
      top = g;
    } else {
      (leaving.count(g.get()) ? below : all).push_back(g);
    }
  }
  Node* parent = found->parent_node_;
  Graph* parent_graph = found->parent_graph_;
  std::vector<SubgraphRef> old_refs;
  if (parent != nullptr) {
    auto& refs = parent->extra().subgraphs;
    old_refs = refs;
    refs.erase(std::remove_if(refs.begin(), refs.end(), [&](const SubgraphRef& r) { return r.graph == found; }),
               refs.end());
  }
  for (const GraphPtr& g : below) g->root_ = found;
  found->Rehome(found, nullptr, nullptr);
  found->subgraphs_ = below;
  if (Journal* j = journal()) {
    j->Custom([this, top, below, before, parent, parent_graph, old_refs] {
      top->subgraphs_.clear();
      for (const GraphPtr& g : below) g->root_ = root_;
      top->Rehome(root_, parent_graph, parent);
      root_->subgraphs_ = before;
      if (parent != nullptr) parent->extra().subgraphs = old_refs;
    });
  }
  return true;
}

// ---- Graph: order -----------------------------------------------------------------------------------------------------

Status Graph::TopologicalSort() {
  if (ordered_) return Status::Ok();
  // Kahn's algorithm with the present position as priority: stable, and linear when little is out of place.
  std::unordered_map<const Node*, uint32_t> waiting;
  waiting.reserve(num_nodes_);
  auto earlier = [](const Node* a, const Node* b) { return a->order_ > b->order_; };
  std::priority_queue<Node*, std::vector<Node*>, decltype(earlier)> ready(earlier);
  for (Node* n = first_; n != nullptr; n = n->next_) {
    uint32_t count = n->num_connected_inputs() + static_cast<uint32_t>(n->control_inputs().size());
    if (count == 0) {
      ready.push(n);
    } else {
      waiting.emplace(n, count);
    }
  }
  std::vector<Node*> sorted;
  sorted.reserve(num_nodes_);
  auto release = [&](Node* n) {
    auto found = waiting.find(n);
    if (--found->second == 0) {
      waiting.erase(found);
      ready.push(n);
    }
  };
  while (!ready.empty()) {
    Node* n = ready.top();
    ready.pop();
    sorted.push_back(n);
    for (uint32_t i = 0; i < n->num_outputs_; ++i) {
      for (InputSlot& use : n->uses(i)) release(use.node_);
    }
    for (Node* c : n->control_outputs()) release(c);
  }
  if (sorted.size() != num_nodes_) {
    // Walk backwards from any node left over: among these there is a cycle.
    Node* n = const_cast<Node*>(waiting.begin()->first);
    for (const auto& entry : waiting) {
      if (entry.first->order_ < n->order_) n = const_cast<Node*>(entry.first);
    }
    std::vector<Node*> path;
    while (std::find(path.begin(), path.end(), n) == path.end()) {
      path.push_back(n);
      Node* back = nullptr;
      for (uint32_t i = 0; i < n->num_inputs_ && back == nullptr; ++i) {
        Node* source = n->inputs_[i].source_.node;
        if (source != nullptr && waiting.count(source)) back = source;
      }
      for (Node* c : n->control_inputs()) {
        if (back == nullptr && waiting.count(c)) back = c;
      }
      n = back;
    }
    std::string cycle;
    auto begin = std::find(path.begin(), path.end(), n);
    for (auto it = path.rbegin(); it != std::make_reverse_iterator(begin); ++it) {
      if (path.rbegin() - it < -8) {
        cycle += " -> ...";
        break;
      }
      cycle = cycle.empty() ? StrCat("'", (*it)->name_, "'") : StrCat(cycle, " -> '", (*it)->name_, "'");
    }
    return Status::Error(StrCat("graph '", name_, "' has a cycle: ", cycle, " -> '", (*path.rbegin())->name_, "'"));
  }
  if (Journal* j = journal()) {
    std::vector<Node*> before;
    for (Node* n = first_; n != nullptr; n = n->next_) before.push_back(n);
    j->Custom([this, before] {
      Node* prev = nullptr;
      first_ = last_ = nullptr;
      int64_t order = 0;
      for (Node* n : before) {
        n->prev_ = prev;
        n->next_ = nullptr;
        (prev ? prev->next_ : first_) = n;
        n->order_ = order += kOrderGap;
        last_ = prev = n;
      }
      ordered_ = false;
      by_type_fresh_ = false;
    });
  }
  Node* prev = nullptr;
  first_ = last_ = nullptr;
  int64_t order = 0;
  for (Node* n : sorted) {
    n->prev_ = prev;
    n->next_ = nullptr;
    (prev ? prev->next_ : first_) = n;
    n->order_ = order += kOrderGap;
    last_ = prev = n;
  }
  ordered_ = true;
  by_type_fresh_ = false;
  return Status::Ok();
}

// ---- Graph: clone -----------------------------------------------------------------------------------------------------

void Graph::CopyInto(Graph* target, std::unordered_map<const Graph*, Graph*>* copies) const {
  target->attrs_ = attrs_;
  std::unordered_map<const Node*, Node*> nodes;
  nodes.reserve(num_nodes_);
  for (Node* n = first_; n != nullptr; n = n->next_) {
    Node* copy = target->AddNode(n->type_, n->name_, n->num_inputs_, n->num_outputs_);
    nodes.emplace(n, copy);
    copy->attrs_ = n->attrs_;
    for (uint32_t i = 0; i < n->num_outputs_; ++i) {
      copy->outputs_[i].desc = n->outputs_[i].desc;
      copy->outputs_[i].declared = n->outputs_[i].declared;
      if (!n->outputs_[i].tensor_name.empty()) target->SetTensorName(copy, i, n->outputs_[i].tensor_name);
    }
    if (!n->extra_) continue;
    for (uint32_t i = 0; i < n->extra_->input_descs.size(); ++i) {
      if (n->extra_->input_descs[i]) target->SetInputDesc(copy, i, *n->extra_->input_descs[i]);
    }
    if (!n->extra_->input_attrs.empty()) copy->extra().input_attrs = n->extra_->input_attrs;
    if (!n->extra_->output_attrs.empty()) copy->extra().output_attrs = n->extra_->output_attrs;
    for (const SubgraphRef& ref : n->extra_->subgraphs) {
      GraphPtr sub = Create(ref.graph->name_);
      sub->Rehome(target->root_, target, copy);
      target->root_->subgraphs_.push_back(sub);
      copy->extra().subgraphs.push_back({ref.name, sub.get()});
      (*copies)[ref.graph] = sub.get();
      ref.graph->CopyInto(sub.get(), copies);
    }
  }
  // Consumers in the same order as in the original: walk outputs, not inputs.
  for (Node* n = first_; n != nullptr; n = n->next_) {
    Node* copy = nodes.at(n);
    for (uint32_t i = 0; i < n->num_outputs_; ++i) {
      for (InputSlot& use : n->uses(i)) target->Connect({copy, i}, nodes.at(use.node_), use.index_);
    }
    for (Node* c : n->control_inputs()) target->AddControlEdge(nodes.at(c), copy);
  }
  target->ordered_ = ordered_;
}

GraphPtr Graph::Clone() const {
  GraphPtr copy = Create(name_);
  std::unordered_map<const Graph*, Graph*> copies;
  CopyInto(copy.get(), &copies);
  copy->extension_ = root_ == this ? extension_ : nullptr;
  return copy;
}

}  // namespace ge::ir
