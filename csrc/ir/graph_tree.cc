#include "ir/graph.h"

#include <algorithm>
#include <unordered_set>

#include "base/strings.h"
#include "ir/journal.h"

namespace ge::ir {

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
  if (parent != nullptr) parent->extra().subgraphs.push_back({std::string(slot_name), graph.get()});
  if (j != nullptr) {
    j->Custom([this, parent, graph, coming] {
      if (parent != nullptr) parent->extra_->subgraphs.pop_back();
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
    // What is done to it from here on is undone with the rest.
    j->Admit(top);
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
  copy->linked_ = linked_;
  return copy;
}

}  // namespace ge::ir
