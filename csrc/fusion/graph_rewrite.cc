#include "fusion/graph_rewrite.h"

#include <algorithm>

#include "base/strings.h"
#include "fusion/fuse_check.h"

namespace ge::fusion {
Status GraphRewrite::Run(const ir::Graph& replacement, std::string_view pass_name) {
  replacement_ = &replacement;
  sorted_.reset();
  GE_RETURN_IF_ERROR(Check(replacement));
  GE_RETURN_IF_ERROR(CheckAttrConflicts(site_.inner));
  GE_RETURN_IF_ERROR(FindPlacement(site_, *replacement_, search_, &placement_));
  origin_.Collect(site_.inner, pass_name);
  AddNodes();
  TakeOverOutputs();
  ConnectNodes();
  MoveControlEdges();
  RemoveDeadNodes();
  return Status::Ok();
}

Status GraphRewrite::InferNewNodes() {
  if (inferrer_ == nullptr) inferrer_ = std::make_unique<ops::NodeInferrer>(*site_.graph);
  for (ir::Node* n : new_nodes_) {
    if (n->graph() != nullptr) GE_RETURN_IF_ERROR(inferrer_->Infer(n));
  }
  return Status::Ok();
}

// ---- checks -----------------------------------------------------------------------------------------------------------

Status GraphRewrite::Check(const ir::Graph& replacement) {
  auto fail = [&](const auto&... parts) {
    return Status::Error(StrCat("replacement '", replacement.name(), "' ", parts...));
  };
  // Graphs of one tree share the root's list.
  if (&replacement.subgraphs() == &site_.graph->subgraphs()) {
    return fail("is the graph that is rewritten, or a subgraph of it; make a graph of its own for the replacement");
  }
  if (!replacement.topologically_ordered()) {
    sorted_ = replacement.Clone();
    if (Status s = sorted_->TopologicalSort(); !s.ok()) {
      return fail("can't be ordered. There may exist cycle on replacement graph: ", s.message());
    }
    replacement_ = sorted_.get();
  }
  copies_.assign(replacement_->all_created().size(), Copy());
  copied_.clear();
  seen_.assign(site_.inputs.size(), false);
  size_t num_data = 0;
  const ir::Node* net_output = nullptr;
  for (const ir::Node* n : replacement_->nodes()) {
    if (n->is_net_output()) {
      if (net_output != nullptr) return fail("has two NetOutput nodes, expected one");
      net_output = n;
    } else if (n->is_data()) {
      const int64_t* index = n->attr<int64_t>(ir::Common().index);
      copies_[n->id()].input = index ? *index : 0;
      ++num_data;
    } else {
      copied_.push_back(n);
    }
  }
  if (num_data != site_.inputs.size()) {
    return fail("has ", num_data, " Data nodes, not equal with Boundary input size ", site_.inputs.size(),
                "; declare one for every input of what is replaced, also for those that are not used");
  }
  size_t num_outputs = net_output ? net_output->num_inputs() : 0;
  if (num_outputs != site_.outputs.size()) {
    return fail("has ", num_outputs, " outputs, not equal with Boundary output size ", site_.outputs.size(),
                "; return one tensor for every output of what is replaced");
  }
  for (const ir::Node* n : replacement_->nodes()) {
    if (num_data == 0) break;
    if (!n->is_data()) continue;
    --num_data;
    int64_t index = copies_[n->id()].input;
    if (index < 0 || static_cast<size_t>(index) >= seen_.size() || seen_[index]) {
      return fail("has a Data node '", n->name(), "' with index ", index, ", expected each index from 0 to ",
                  seen_.size() - 1, " once");
    }
    seen_[index] = true;
  }
  for (uint32_t j = 0; j < num_outputs; ++j) {
    if (!net_output->input(j)) return fail("has nothing connected to its output ", j, "; return a tensor there");
  }
  return Status::Ok();
}

// ---- new nodes --------------------------------------------------------------------------------------------------------

ir::Anchor GraphRewrite::Translate(ir::Anchor inner) const {
  const Copy& copy = copies_[inner.node->id()];
  return copy.input >= 0 ? site_.inputs[copy.input] : ir::Anchor{copy.node, inner.index};
}

void GraphRewrite::AddNodes() {
  new_nodes_.clear();
  ir::Node* position = placement_.after;
  for (const ir::Node* n : copied_) {
    position = CopyNode(*n, position);
    copies_[n->id()].node = position;
    new_nodes_.push_back(position);
  }
  if (placement_.behind.empty()) return;
  for (ir::Node* n : placement_.behind) {
    site_.graph->MoveNodeAfter(n, position);
    position = n;
  }
  site_.graph->MarkTopologicallyOrdered();
}

ir::Node* GraphRewrite::CopyNode(const ir::Node& from, ir::Node* position) {
  ir::Graph& graph = *site_.graph;
  name_.assign(from.name());
  name_.push_back('_');
  name_.append(origin_.joined_names());
  name_.push_back('_');
  char number[24];
  char* end = std::to_chars(number, number + sizeof number, graph.NextNameNumber()).ptr;
  name_.append(number, end);
  ir::Node* node = graph.InsertNodeAfter(position, from.type(), name_, from.num_inputs(), from.num_outputs());
  ir::AttrMap& attrs = graph.NewNodeAttrs(node);
  bool is_const = from.is_const();
  attrs.Reserve(from.attrs().size() + (is_const ? 0 : 3));
  for (const auto& [name, value] : from.attrs()) attrs.Set(name, value);
  // A constant is not made from the old operators.
  if (!is_const) origin_.ApplyToNew(graph, node);
  for (uint32_t i = 0; i < from.num_outputs(); ++i) {
    const ir::TensorDesc* desc = &from.output_desc(i);
    if (is_const && desc->dtype == ir::DataType::kUndefined) {
      if (const ir::Tensor* value = from.const_value()) desc = &value->desc;
    }
    graph.InitOutput(node, i, *desc, from.tensor_name(i), from.declared(i));
    for (const auto& [name, value] : from.output_attrs(i)) graph.SetOutputAttr(node, i, name, value);
  }
  for (uint32_t i = 0; i < from.num_inputs(); ++i) {
    if (from.has_input_desc(i)) graph.SetInputDesc(node, i, from.input_desc(i));
    for (const auto& [name, value] : from.input_attrs(i)) graph.SetInputAttr(node, i, name, value);
  }
  if (!from.subgraphs().empty()) CopySubgraphs(from, node);
  return node;
}

void GraphRewrite::CopySubgraphs(const ir::Node& from, ir::Node* node) {
  ir::Graph* root = site_.graph->root();
  auto make_unique = [&](ir::Graph& g) {
    while (root->FindSubgraph(g.name()) != nullptr || g.name() == root->name()) {
      g.SetName(StrCat(g.name(), "_", root->NextNameNumber()));
    }
  };
  for (const ir::SubgraphRef& ref : from.subgraphs()) {
    ir::GraphPtr copy = ref.graph->Clone();
    make_unique(*copy);
    for (const ir::GraphPtr& below : copy->subgraphs()) make_unique(*below);
    // Can't fail: the copy is a root of its own and its names are free.
    (void)site_.graph->AddSubgraph(node, ref.name, copy);
  }
}

// ---- edges ------------------------------------------------------------------------------------------------------------

void GraphRewrite::TakeOverOutputs() {
  ir::Graph& graph = *site_.graph;
  const ir::Node* net_output = replacement_->net_output();
  results_.clear();
  for (size_t j = 0; j < site_.outputs.size(); ++j) {
    ir::Anchor old = site_.outputs[j];
    ir::Anchor source = net_output->input(static_cast<uint32_t>(j));
    ir::Anchor fresh = Translate(source);
    results_.push_back(fresh);
    if (fresh == old) continue;
    if (copies_[source.node->id()].input < 0) TakeOverDesc(old, fresh);
    if (site_.convex) {
      // Nobody inside consumes the only owner.
      graph.ReplaceUses(old, fresh);
      continue;
    }
    ir::UseRange uses = old.node->uses(old.index);
    ir::InputSlot* use = uses.empty() ? nullptr : &*uses.begin();
    while (use != nullptr) {
      ir::InputSlot* next = use->next_use();
      if (!site_.inner_set.Contains(use->node())) {
        ir::Node* user = use->node();
        uint32_t slot = use->index();
        graph.Disconnect(user, slot);
        graph.Connect(fresh, user, slot);
      }
      use = next;
    }
  }
}

// A new output says what the old one said where the replacement left it open, and goes by its name.
void GraphRewrite::TakeOverDesc(ir::Anchor old, ir::Anchor fresh) {
  ir::Graph& graph = *site_.graph;
  const ir::TensorDesc& had = old.node->output_desc(old.index);
  ir::TensorDesc desc = fresh.node->output_desc(fresh.index);
  bool declared = fresh.node->declared(fresh.index);
  bool no_shape = desc.shape.unknown_rank();
  bool no_type = desc.dtype == ir::DataType::kUndefined;
  if (no_shape && no_type) {
    desc = had;
    declared = old.node->declared(old.index);
  } else if (no_shape) {
    desc.shape = had.shape;
  } else if (no_type) {
    desc.dtype = had.dtype;
  }
  std::string_view name;
  if (fresh.node->tensor_name(fresh.index).empty()) name = old.node->tensor_name(old.index);
  graph.InitOutput(fresh.node, fresh.index, std::move(desc), name, declared);
}

void GraphRewrite::ConnectNodes() {
  for (const ir::Node* n : copied_) {
    ir::Node* copy = copies_[n->id()].node;
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      if (ir::Anchor source = n->input(i)) site_.graph->ConnectNew(Translate(source), copy, i);
    }
    for (const ir::Node* c : n->control_inputs()) {
      if (ir::Node* source = copies_[c->id()].node) site_.graph->AddControlEdge(source, copy);
    }
  }
}

// ---- control edges ----------------------------------------------------------------------------------------------------

void GraphRewrite::MoveControlEdges() {
  std::vector<ir::Node*> before, after;
  auto add = [&](std::vector<ir::Node*>* to, ir::Node* n) {
    if (!site_.inner_set.Contains(n) && std::find(to->begin(), to->end(), n) == to->end()) to->push_back(n);
  };
  for (ir::Node* n : site_.inner) {
    for (ir::Node* c : n->control_inputs()) add(&before, c);
    for (ir::Node* c : n->control_outputs()) add(&after, c);
  }
  if (before.empty() && after.empty()) return;
  ir::Graph& graph = *site_.graph;
  if (new_nodes_.empty()) {
    for (ir::Anchor a : site_.inputs) add(&before, a.node);
    LinkControlsDirectly(before, after);
    return;
  }
  ir::Symbol type = ir::Common().NoOp;
  if (!before.empty()) {
    ir::Node* first = new_nodes_.front();
    ir::Node* gate = graph.InsertNodeAfter(first->prev(), type, StrCat("noop_in_", first->name()), 0, 0);
    for (ir::Node* c : before) graph.AddControlEdge(c, gate);
    for (ir::Node* n : new_nodes_) graph.AddControlEdge(gate, n);
  }
  if (!after.empty()) {
    ir::Node* last = new_nodes_.back();
    ir::Node* gate = graph.InsertNodeAfter(last, type, StrCat("noop_out_", last->name()), 0, 0);
    for (ir::Node* n : new_nodes_) graph.AddControlEdge(n, gate);
    for (ir::Node* c : after) graph.AddControlEdge(gate, c);
  }
}

void GraphRewrite::LinkControlsDirectly(const std::vector<ir::Node*>& before, const std::vector<ir::Node*>& after) {
  constexpr size_t kMaxEdges = 1000;
  ir::Graph& graph = *site_.graph;
  if (before.size() * after.size() <= kMaxEdges) {
    for (ir::Node* b : before) {
      for (ir::Node* a : after) graph.AddControlEdge(b, a);
    }
    return;
  }
  ir::Node* owner = site_.outputs.front().node;
  ir::Node* gate = graph.InsertNodeAfter(owner, ir::Common().NoOp, StrCat(owner->name(), "_noop"), 0, 0);
  for (ir::Node* b : before) graph.AddControlEdge(b, gate);
  for (ir::Node* a : after) graph.AddControlEdge(gate, a);
}

// ---- old nodes --------------------------------------------------------------------------------------------------------

void GraphRewrite::RemoveDeadNodes() {
  for (bool removed = true; removed;) {
    removed = false;
    // Breadth-first from the outputs: what a node was made of comes after it.
    for (ir::Node*& n : site_.inner) {
      if (n == nullptr || n->has_uses()) continue;
      site_.graph->RemoveNode(n);
      n = nullptr;
      removed = true;
    }
    auto end = std::remove(site_.inner.begin(), site_.inner.end(), nullptr);
    site_.inner.erase(end, site_.inner.end());
    removed = removed && !site_.inner.empty();
  }
  // An owner that stays for another of its outputs has given this one's name away.
  for (size_t j = 0; j < results_.size(); ++j) {
    ir::Anchor old = site_.outputs[j];
    if (old.node->graph() == nullptr || old == results_[j]) continue;
    std::string_view name = old.node->tensor_name(old.index);
    if (!name.empty() && results_[j].node->tensor_name(results_[j].index) == name) {
      site_.graph->SetTensorName(old.node, old.index, {});
    }
  }
}

}  // namespace ge::fusion
