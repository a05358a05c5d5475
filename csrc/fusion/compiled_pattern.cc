#include "fusion/compiled_pattern.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "fusion/node_set.h"

namespace ge::fusion {
namespace {

constexpr size_t kMaxPatternNodes = 60000;

int64_t DataIndex(const ir::Node* data) {
  const int64_t* index = data->attr<int64_t>(ir::Common().index);
  return index ? *index : 0;
}

}  // namespace

Status CompiledPattern::Compile(const Pattern& pattern, PatternMatcherConfig matcher_config) {
  config = matcher_config;
  const ir::Graph& graph = pattern.graph();
  const ir::Node* net_output = graph.net_output();
  std::string what = StrCat("pattern '", graph.name(), "'");
  if (Status s = Check(graph, net_output); !s.ok()) return s.WithContext(what);
  Plan(net_output);

  std::map<int64_t, const ir::Node*> indices;
  for (const PatternNode& p : nodes) {
    if (p.role != Role::kWildcard) continue;
    auto [other, fresh] = indices.emplace(p.data_index, p.node);
    if (!fresh) {
      return Status::Error(StrCat(what, ": Data nodes '", other->second->name(), "' and '", p.node->name(),
                                  "' both have index ", p.data_index, "; give every Data node its own index"));
    }
  }
  for (const auto& [index, node] : indices) wildcards.push_back(static_cast<uint16_t>(NumberOf(node)));
  for (ir::Anchor a : pattern.captures()) captures.push_back({a.node ? NumberOf(a.node) : -1, a.index});
  return Status::Ok();
}

Status CompiledPattern::Check(const ir::Graph& graph, const ir::Node* net_output) {
  if (!graph.subgraphs().empty()) {
    return Status::Error(StrCat("It has subgraph '", graph.subgraphs().front()->name(),
                                "', which can't be matched; leave operators with subgraphs out of patterns"));
  }
  if (graph.num_nodes() > kMaxPatternNodes) {
    return Status::Error(StrCat("it has ", graph.num_nodes(), " nodes, at most ", kMaxPatternNodes, " can be matched"));
  }
  for (const ir::Node* n : graph.nodes()) {
    if (!n->control_inputs().empty() || !n->control_outputs().empty()) {
      return Status::Error(StrCat("node '", n->name(),
                                  "' has control edge, which can't be matched; remove it and test for control edges in "
                                  "meet_requirements"));
    }
  }
  if (net_output == nullptr || net_output->num_connected_inputs() == 0) {
    return Status::Error("expected at least one output, found none; name the outputs when building the graph");
  }
  for (uint32_t i = 0; i < net_output->num_inputs(); ++i) {
    ir::Anchor source = net_output->input(i);
    if (!source) return Status::Error(StrCat("output ", i, " is not connected; connect it or leave it out"));
    if (source.node->type() == ir::Common().Data) {
      return Status::Error(StrCat("output ", i, " is the input '", source.node->name(),
                                  "' itself (an identity), expected an operator's output; return results only"));
    }
  }
  if (!graph.topologically_ordered()) {
    GE_RETURN_IF_ERROR(graph.Clone()->TopologicalSort());
  }
  return Status::Ok();
}

uint16_t CompiledPattern::Bind(const ir::Node* node) {
  auto number = static_cast<uint16_t>(nodes.size());
  numbers_.emplace(node, number);
  PatternNode p;
  p.node = node;
  p.type = node->type();
  p.num_inputs = node->num_inputs();
  if (node->type() == ir::Common().Data) {
    p.role = Role::kWildcard;
    p.data_index = DataIndex(node);
  } else if (node->is_const()) {
    p.role = Role::kConst;
    p.value = node->const_value();
  } else {
    Describe(p);
  }
  nodes.push_back(p);
  return number;
}

void CompiledPattern::Describe(PatternNode& p) {
  p.absent.begin = static_cast<uint32_t>(absent_slots.size());
  for (uint32_t i = 0; i < p.num_inputs; ++i) {
    if (!p.node->input(i)) absent_slots.push_back(i);
  }
  p.absent.end = static_cast<uint32_t>(absent_slots.size());

  const ops::OpDef* def = ops::FindOp(p.type);
  p.exact_outputs = def != nullptr && def->has_dynamic_output();
  if (def != nullptr && (def->has_dynamic_input() || def->has_dynamic_output())) p.dynamic = def;
  p.commutative = config.commutative_match && def != nullptr && def->commutative() && p.num_inputs >= 2 &&
                  p.node->input(0) && p.node->input(1);
  p.attrs.begin = static_cast<uint32_t>(attr_checks.size());
  DescribeAttrs(p, def);
  p.attrs.end = static_cast<uint32_t>(attr_checks.size());

  p.rivals.begin = static_cast<uint32_t>(rivals.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].role == Role::kOp && nodes[i].type == p.type) rivals.push_back(static_cast<uint16_t>(i));
  }
  p.rivals.end = static_cast<uint32_t>(rivals.size());
  p.special = p.dynamic != nullptr || p.absent.begin != p.absent.end || p.attrs.begin != p.attrs.end;
}

void CompiledPattern::DescribeAttrs(PatternNode& p, const ops::OpDef* def) {
  if (!config.ir_attr_match) return;
  auto declared = [](const ops::AttrDef& a) {
    return a.required || std::holds_alternative<std::monostate>(a.default_value) ? nullptr : &a.default_value;
  };
  if (def == nullptr) {
    // An operator without definition: what the pattern sets must be there.
    for (const auto& [name, value] : p.node->attrs()) {
      if (name.view().substr(0, 1) != "_") attr_checks.push_back({name, &value, nullptr, true});
    }
    return;
  }
  for (const ops::AttrDef& a : def->attrs()) {
    const ir::AttrValue* set = p.node->attrs().Find(a.name);
    attr_checks.push_back({a.name, set ? set : declared(a), declared(a), a.required});
  }
}

bool CompiledPattern::IsFreeInput(const ir::InputSlot& slot) const {
  ir::Anchor source = slot.source();
  return source.node->type() == ir::Common().Data && source.node->num_uses(source.index) == 1;
}

void CompiledPattern::AddOrder(uint16_t number) {
  const ir::Node* node = nodes[number].node;
  Step step;
  step.kind = Step::Kind::kOrder;
  step.node = number;
  step.free = IsFreeInput(node->input_slot(0)) && IsFreeInput(node->input_slot(1));
  steps.push_back(step);
}

// Orders that decide nothing are chosen last, with the inputs they concern, so that a failing search never retries them.
void CompiledPattern::MoveFreeOrdersLast() {
  std::vector<bool> free(nodes.size());
  for (const Step& s : steps) {
    if (s.kind == Step::Kind::kOrder && s.free) free[s.node] = true;
  }
  std::stable_partition(steps.begin(), steps.end(), [&](const Step& s) {
    if (s.kind == Step::Kind::kOrder) return !s.free;
    return s.kind != Step::Kind::kBack || s.slot >= 2 || !free[s.from];
  });
}

// From a freshly bound operator along its inputs, breadth-first.
void CompiledPattern::ExpandBack(uint16_t start) {
  std::vector<uint16_t> queue{start};
  size_t head = 0;
  while (head < queue.size()) {
    uint16_t number = queue[head];
    if (config.commutative_match) {
      // Each operand as a whole before the next, so that trying another order of inputs undoes nothing else.
      number = queue.back();
      queue.pop_back();
    } else {
      ++head;
    }
    const auto found = static_cast<std::ptrdiff_t>(queue.size());
    const ir::Node* node = nodes[number].node;
    bool by_forward = !steps.empty() && steps.back().kind == Step::Kind::kForward && steps.back().node == number;
    if (nodes[number].commutative && !by_forward) AddOrder(number);
    for (uint32_t i = 0; i < node->num_inputs(); ++i) {
      ir::Anchor source = node->input(i);
      if (!source) continue;
      Step step;
      step.from = number;
      step.slot = i;
      step.index = source.index;
      int known = NumberOf(source.node);
      step.bound = known >= 0;
      step.node = step.bound ? static_cast<uint16_t>(known) : Bind(source.node);
      steps.push_back(step);
      if (!step.bound && nodes[step.node].role == Role::kOp) queue.push_back(step.node);
    }
    if (config.commutative_match) std::reverse(queue.begin() + found, queue.end());
  }
}

// Finds an operator still to bind that consumes something bound; outputs of operators have fewer consumers than what a
// wildcard stands for, so they come first, the latest before the others.
bool CompiledPattern::PlanForward() {
  const ir::InputSlot* best = nullptr;
  int best_from = -1;
  for (const ir::Node* n : needed_) {
    if (NumberOf(n) >= 0 || n->type() == ir::Common().Data || n->is_const()) continue;
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      int from = n->input(i) ? NumberOf(n->input(i).node) : -1;
      if (from < 0) continue;
      auto rank = [&](int number) { return std::make_pair(nodes[number].role == Role::kOp, number); };
      if (best == nullptr || rank(from) > rank(best_from)) {
        best = &n->input_slot(i);
        best_from = from;
      }
    }
  }
  if (best == nullptr) return false;
  Step step;
  step.kind = Step::Kind::kForward;
  step.from = static_cast<uint16_t>(best_from);
  step.slot = best->index();
  step.index = best->source().index;
  step.node = Bind(best->node());
  steps.push_back(step);
  ExpandBack(step.node);
  return true;
}

void CompiledPattern::Plan(const ir::Node* net_output) {
  NodeSet seen;
  for (uint32_t i = 0; i < net_output->num_inputs(); ++i) {
    const ir::Node* owner = net_output->input(i).node;
    if (seen.Insert(owner)) needed_.push_back(owner);
  }
  single_owner = needed_.size() == 1;
  for (size_t head = 0; head < needed_.size(); ++head) {
    const ir::Node* n = needed_[head];
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      ir::Anchor source = n->input(i);
      if (source && seen.Insert(source.node)) needed_.push_back(source.node);
    }
  }

  for (uint32_t i = 0; i < net_output->num_inputs(); ++i) {
    const ir::Node* owner = net_output->input(i).node;
    // Whatever hangs together with what is bound is reached from there; only then a free choice over the whole graph.
    while (NumberOf(owner) < 0 && i > 0 && PlanForward()) {
    }
    if (NumberOf(owner) < 0) {
      Step step;
      step.kind = Step::Kind::kRoot;
      step.node = Bind(owner);
      steps.push_back(step);
      if (nodes[step.node].role == Role::kOp) ExpandBack(step.node);
    }
    int number = NumberOf(owner);
    PatternNode& p = nodes[number];
    p.is_output = true;
    p.min_outputs = std::max(p.min_outputs, net_output->input(i).index + 1);
    outputs.push_back({number, net_output->input(i).index});
  }
  for (const ir::Node* n : needed_) {
    int number = NumberOf(n);
    if (nodes[number].role != Role::kWildcard) inner_order.push_back(static_cast<uint16_t>(number));
  }
  if (config.commutative_match) MoveFreeOrdersLast();
  CountUses();
  FindDecisions();
}

void CompiledPattern::CountUses() {
  NodeSet needed;
  for (const ir::Node* n : needed_) needed.Insert(n);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const PatternNode& p = nodes[i];
    if (p.role != Role::kOp || p.is_output) continue;
    inner_uses.push_back({static_cast<uint16_t>(i), p.node->num_outputs(), static_cast<uint32_t>(use_counts.size())});
    for (uint32_t o = 0; o < p.node->num_outputs(); ++o) {
      uint32_t count = 0;
      for (ir::InputSlot& use : p.node->uses(o)) count += needed.Contains(use.node()) ? 1 : 0;
      use_counts.push_back(count);
    }
  }
  for (Step& s : steps) {
    if (s.kind != Step::Kind::kForward) continue;
    for (ir::InputSlot& use : nodes[s.from].node->uses(s.index)) s.uses += needed.Contains(use.node()) ? 1 : 0;
  }
}

void CompiledPattern::FindDecisions() {
  decided_by.assign(2 * nodes.size(), 0);
  bound_from.assign(nodes.size(), -1);
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const Step& s = steps[i];
    PatternNode& p = nodes[s.node];
    if (s.kind == Step::Kind::kOrder) {
      p.ordered = true;
      decided_by[nodes.size() + s.node] = i;
      continue;
    }
    if (s.kind != Step::Kind::kBack) {
      decided_by[s.node] = i;
      continue;
    }
    ir::Symbol type = nodes[s.from].type;
    bool listed = std::find(input_types.begin(), input_types.end(), type) != input_types.end();
    if (p.role == Role::kWildcard && !listed) input_types.push_back(type);
    if (s.bound) continue;
    decided_by[s.node] = decided_by[FactOf(s.from, s.slot)];
    bound_from[s.node] = s.from;
    if (p.role != Role::kWildcard) continue;
    // Inputs that only change places in a free order stay inputs.
    const ir::Node* from = nodes[s.from].node;
    bool free = s.slot < 2 && nodes[s.from].ordered && IsFreeInput(from->input_slot(0)) && IsFreeInput(from->input_slot(1));
    wildcard_facts.push_back(free ? s.from : s.node);
  }
  any_commutative = std::any_of(nodes.begin(), nodes.end(), [](const PatternNode& p) { return p.commutative; });
}

namespace {
bool Present(const PatternNode& p, const ir::Graph& graph) {
  const ir::CommonSymbols& c = ir::Common();
  switch (p.role) {
    case Role::kWildcard: return true;
    case Role::kConst: return graph.CountOfType(c.Const) + graph.CountOfType(c.Constant) > 0;
    case Role::kOp: return graph.CountOfType(p.type) > 0;
  }
  return true;
}
}  // namespace

bool CompiledPattern::TypesPresent(const ir::Graph& graph) const {
  return std::all_of(nodes.begin(), nodes.end(), [&](const PatternNode& p) { return Present(p, graph); });
}

std::string CompiledPattern::MissingTypes(const ir::Graph& graph) const {
  std::vector<std::string> missing;
  for (const PatternNode& p : nodes) {
    if (!Present(p, graph)) missing.push_back(StrCat("'", p.type.view(), "'"));
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  return StrCat("the graph has no node of type ", Join(missing, ", "));
}

}  // namespace ge::fusion
