#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace {

namespace ir = ge_core::ir;

void Collect(ir::Graph &graph, bool with_subgraphs, std::vector<GNode> *out) {
  for (ir::Node *n : graph.nodes()) {
    out->push_back(Access::Make(n));
    if (!with_subgraphs) continue;
    for (const ir::SubgraphRef &ref : n->subgraphs()) Collect(*ref.graph, true, out);
  }
}

graphStatus Refuse(const ir::GraphPtr &graph, std::string_view what, std::string_view why) {
  detail::NoteProblem(ge_core::StrCat("cannot ", what, " graph '", graph ? graph->name() : std::string(), "': ", why));
  return GRAPH_FAILED;
}

// The two ends of an edge, if both are direct nodes of the graph.
struct Edge {
  Edge(const ir::GraphPtr &graph, const GNode &src, const GNode &dst) : from(Access::Core(src)), to(Access::Core(dst)) {
    inside = graph != nullptr && from != nullptr && to != nullptr && from->graph() == graph.get() &&
             to->graph() == graph.get();
  }
  bool HasPorts(int32_t src_port, int32_t dst_port) const {
    return src_port >= 0 && dst_port >= 0 && static_cast<uint32_t>(src_port) < from->num_outputs() &&
           static_cast<uint32_t>(dst_port) < to->num_inputs();
  }

  ir::Node *from;
  ir::Node *to;
  bool inside;
};

constexpr const char *kOutside = "expected two direct nodes of this graph";

}  // namespace

Graph::Graph(const AscendString &name) : graph_(ir::Graph::Create(Access::View(name))) {}

graphStatus Graph::GetName(AscendString &name) const {
  if (!IsValid()) return GRAPH_FAILED;
  name = Access::Text(Access::Core(*this)->name());
  return GRAPH_SUCCESS;
}

std::vector<GNode> Graph::GetDirectNode() const {
  std::vector<GNode> nodes;
  if (auto graph = Access::Core(*this)) Collect(*graph, false, &nodes);
  return nodes;
}

std::vector<GNode> Graph::GetAllNodes() const {
  std::vector<GNode> nodes;
  if (auto graph = Access::Core(*this)) Collect(*graph, true, &nodes);
  return nodes;
}

GNodePtr Graph::FindNodeByName(const AscendString &name) const {
  auto graph = Access::Core(*this);
  ir::Node *node = graph == nullptr ? nullptr : graph->FindNode(Access::View(name));
  return node == nullptr ? nullptr : Access::MakePtr(node);
}

std::vector<GraphPtr> Graph::GetAllSubgraphs() const {
  std::vector<GraphPtr> out;
  auto graph = Access::Core(*this);
  if (graph == nullptr || graph->root() != graph.get()) return out;
  for (const ir::GraphPtr &sub : graph->subgraphs()) out.push_back(Access::MakePtr(sub));
  return out;
}

GraphPtr Graph::GetSubGraph(const AscendString &name) const {
  auto graph = Access::Core(*this);
  ir::Graph *sub = graph == nullptr ? nullptr : graph->FindSubgraph(Access::View(name));
  return sub == nullptr ? nullptr : Access::MakePtr(sub->shared_from_this());
}

graphStatus Graph::RemoveNode(GNode &node) {
  auto graph = Access::Core(*this);
  ir::Node *n = Access::Core(node);
  if (graph == nullptr || n == nullptr || n->graph() != graph.get()) {
    return Refuse(graph, "remove a node from", "expected a direct node of it");
  }
  graph->RemoveNode(n);
  return GRAPH_SUCCESS;
}

graphStatus Graph::AddDataEdge(GNode &src, int32_t src_port, GNode &dst, int32_t dst_port) {
  auto graph = Access::Core(*this);
  Edge edge(graph, src, dst);
  if (!edge.inside) return Refuse(graph, "add a data edge to", kOutside);
  if (!edge.HasPorts(src_port, dst_port)) return Refuse(graph, "add a data edge to", "there is no such port");
  auto slot = static_cast<uint32_t>(dst_port);
  if (edge.to->input(slot)) {
    return Refuse(graph, "add a data edge to", "the input is already connected; remove that edge first");
  }
  graph->Connect({edge.from, static_cast<uint32_t>(src_port)}, edge.to, slot);
  return GRAPH_SUCCESS;
}

graphStatus Graph::AddControlEdge(GNode &src, GNode &dst) {
  auto graph = Access::Core(*this);
  Edge edge(graph, src, dst);
  if (!edge.inside || edge.from == edge.to) return Refuse(graph, "add a control edge to", kOutside);
  graph->AddControlEdge(edge.from, edge.to);
  return GRAPH_SUCCESS;
}

graphStatus Graph::RemoveEdge(GNode &src, int32_t src_port, GNode &dst, int32_t dst_port) {
  auto graph = Access::Core(*this);
  Edge edge(graph, src, dst);
  if (!edge.inside) return Refuse(graph, "remove an edge from", kOutside);
  if (dst_port == -1 && src_port == -1) {
    return graph->RemoveControlEdge(edge.from, edge.to) ? GRAPH_SUCCESS
                                                        : Refuse(graph, "remove a control edge from", "there is none");
  }
  auto slot = static_cast<uint32_t>(dst_port);
  if (!edge.HasPorts(src_port, dst_port) ||
      edge.to->input(slot) != ir::Anchor{edge.from, static_cast<uint32_t>(src_port)}) {
    return Refuse(graph, "remove a data edge from", "there is no such edge");
  }
  graph->Disconnect(edge.to, slot);
  return GRAPH_SUCCESS;
}

graphStatus Graph::CopyFrom(const Graph &other) {
  auto graph = Access::Core(other);
  if (graph == nullptr) return GRAPH_FAILED;
  graph_ = graph->Clone();
  return GRAPH_SUCCESS;
}

graphStatus Graph::GetAttr(const AscendString &name, AttrValue &value) const {
  auto graph = Access::Core(*this);
  const ir::AttrValue *found = graph == nullptr ? nullptr : graph->attrs().Find(ir::Symbol(Access::View(name)));
  if (found == nullptr) return GRAPH_FAILED;
  value = Access::Make(*found);
  return GRAPH_SUCCESS;
}

graphStatus Graph::SetAttr(const AscendString &name, const AttrValue &value) {
  auto graph = Access::Core(*this);
  const ir::AttrValue *core = Access::Core(value);
  if (graph == nullptr || core == nullptr || name.GetLength() == 0) return GRAPH_FAILED;
  graph->SetGraphAttr(ir::Symbol(Access::View(name)), *core);
  return GRAPH_SUCCESS;
}

}  // namespace v1
}  // namespace ge
