// Short ways to build and print graphs in tests.
#ifndef GE_TESTS_CPP_GRAPH_BUILDER_H_
#define GE_TESTS_CPP_GRAPH_BUILDER_H_

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "ir/graph.h"
#include "ir/journal.h"

namespace ge::testing {

class Builder {
 public:
  explicit Builder(std::string_view name = "g") : graph_(ir::Graph::Create(name)) {}

  ir::Anchor In(int64_t index) {
    ir::Node* n = graph_->AddNode(ir::Common().Data, StrCat("input_", index), 0, 1);
    graph_->SetAttr(n, ir::Common().index, index);
    return {n, 0};
  }
  ir::Anchor Const(ir::TensorPtr value, std::string_view name = "") {
    ir::Node* n = graph_->AddNode(ir::Common().Const, name.empty() ? Auto("const") : std::string(name), 0, 1);
    if (value) {
      graph_->SetOutputDesc(n, 0, value->desc);
      graph_->SetAttr(n, ir::Common().value, value);
    }
    return {n, 0};
  }
  ir::Anchor Scalar(float v) { return Const(ir::ScalarTensor(v)); }
  // Empty anchors leave slots open.
  ir::Anchor Op(std::string_view type, std::vector<ir::Anchor> inputs, std::string_view name = "",
                uint32_t num_outputs = 1) {
    ir::Node* n = graph_->AddNode(ir::Symbol(type), name.empty() ? Auto(type) : std::string(name),
                                  static_cast<uint32_t>(inputs.size()), num_outputs);
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]) graph_->Connect(inputs[i], n, i);
    }
    return {n, 0};
  }
  ir::GraphPtr Out(std::vector<ir::Anchor> outputs) {
    ir::Node* n = graph_->AddNode(ir::Common().NetOutput, "NetOutput", static_cast<uint32_t>(outputs.size()), 0);
    for (uint32_t i = 0; i < outputs.size(); ++i) graph_->Connect(outputs[i], n, i);
    return graph_;
  }
  const ir::GraphPtr& graph() { return graph_; }

 private:
  std::string Auto(std::string_view type) { return StrCat(type, "_", count_++); }
  ir::GraphPtr graph_;
  int count_ = 0;
};

inline std::string DumpAttr(const ir::AttrValue& v) {
  if (auto* s = std::get_if<std::string>(&v)) return *s;
  if (auto* i = std::get_if<int64_t>(&v)) return StrCat(*i);
  if (auto* l = std::get_if<std::vector<std::string>>(&v)) return Join(*l, ",");
  return StrCat("kind ", v.index());
}

// Everything that can be seen of a graph, in order.
inline std::string Dump(const ir::Graph& g) {
  std::string out = StrCat("graph ", g.name(), " ", g.num_nodes(), "\n");
  for (const ir::Node* n : g.nodes()) {
    out += StrCat(n->type().view(), " ", n->name(), " (");
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      ir::Anchor a = n->input(i);
      out += a ? StrCat(a.node->name(), ":", a.index, ",") : std::string("-,");
    }
    out += ")";
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      const ir::TensorDesc& d = n->output_desc(i);
      out += StrCat(" [", i, " ", n->tensor_name(i), " ", n->declared(i) ? "d " : "", ir::Name(d.dtype),
                    d.shape.ToString(), " ->");
      uint32_t count = 0;
      for (ir::InputSlot& use : n->uses(i)) {
        out += StrCat(" ", use.node()->name(), ":", use.index());
        ++count;
      }
      out += count == n->num_uses(i) ? "]" : " MISCOUNTED]";
    }
    for (const auto& [name, value] : n->attrs()) out += StrCat(" ", name.view(), "=", DumpAttr(value));
    for (ir::Node* c : n->control_inputs()) out += StrCat(" <~", c->name());
    for (ir::Node* c : n->control_outputs()) out += StrCat(" ~>", c->name());
    for (const ir::SubgraphRef& s : n->subgraphs()) out += StrCat(" {", s.name, "=", s.graph->name(), "}");
    out += "\n";
  }
  for (const ir::GraphPtr& s : g.subgraphs()) {
    if (s->parent_graph() == &g) out += Dump(*s);
  }
  return out;
}

// "" or what is wrong with the links, counts and order of a graph.
inline std::string Defect(ir::Graph& g) {
  int64_t last = -1;
  size_t count = 0;
  std::unordered_map<uint32_t, size_t> types;
  for (ir::Node* n : g.nodes()) {
    ++count;
    ++types[n->type().id()];
    if (n->graph() != &g) return StrCat(n->name(), " is in the list but not in the graph");
    if (n->order() <= last) return StrCat(n->name(), " breaks the order labels");
    last = n->order();
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      ir::Anchor a = n->input(i);
      if (!a) continue;
      if (a.node->graph() != &g) return StrCat(n->name(), " is fed by a removed node ", a.node->name());
      if (g.topologically_ordered() && a.node->order() >= n->order()) return StrCat(n->name(), " stands before its input");
      bool found = false;
      for (ir::InputSlot& use : a.node->uses(a.index)) found = found || (use.node() == n && use.index() == i);
      if (!found) return StrCat(n->name(), " is not among the uses of ", a.node->name());
    }
    for (ir::Node* c : n->control_inputs()) {
      if (c->graph() != &g) return StrCat(n->name(), " is controlled by a removed node");
      if (g.topologically_ordered() && c->order() >= n->order()) return StrCat(n->name(), " stands before its control");
    }
  }
  if (count != g.num_nodes()) return "the node count is wrong";
  for (ir::Node* n : g.nodes()) {
    if (g.CountOfType(n->type()) != types[n->type().id()]) return "a type count is wrong";
  }
  Status sorted = g.Clone()->TopologicalSort();
  return sorted.message();
}

}  // namespace ge::testing

#endif  // GE_TESTS_CPP_GRAPH_BUILDER_H_
