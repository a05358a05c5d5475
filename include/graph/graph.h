// Graph: nodes and edges, of the model under compilation or of one's own making.
#ifndef GE_GRAPH_GRAPH_H_
#define GE_GRAPH_GRAPH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ge/export.h"
#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/ge_error_codes.h"
#include "graph/gnode.h"
#include "graph/operator.h"

namespace ge {
inline namespace v1 {

// A handle: copies mean the same graph, which lives as long as one of them. Not thread-safe.
class GE_API Graph {
 public:
  // An empty handle: IsValid() is false.
  Graph() = default;
  explicit Graph(const AscendString &name);
  explicit Graph(const char *name) : Graph(AscendString(name)) {}

  bool IsValid() const { return graph_ != nullptr; }
  graphStatus GetName(AscendString &name) const;

  // Direct nodes in the order of the node list.
  std::vector<GNode> GetDirectNode() const;
  // Those, and the nodes of all subgraphs after the node that they belong to.
  std::vector<GNode> GetAllNodes() const;
  // Null when there is none.
  GNodePtr FindNodeByName(const AscendString &name) const;
  std::vector<GraphPtr> GetAllSubgraphs() const;
  GraphPtr GetSubGraph(const AscendString &name) const;

  // A node as `op` describes it, with open inputs. An empty GNode (it has no type) on failure.
  GNode AddNodeByOp(const Operator &op);
  graphStatus RemoveNode(GNode &node);
  // The input must be open.
  graphStatus AddDataEdge(GNode &src, int32_t src_port, GNode &dst, int32_t dst_port);
  graphStatus AddControlEdge(GNode &src, GNode &dst);
  // With both ports -1 a control edge.
  graphStatus RemoveEdge(GNode &src, int32_t src_port, GNode &dst, int32_t dst_port);
  // Makes this graph a deep copy of another one.
  graphStatus CopyFrom(const Graph &other);

  graphStatus GetAttr(const AscendString &name, AttrValue &value) const;
  graphStatus SetAttr(const AscendString &name, const AttrValue &value);

 private:
  friend struct detail::Access;

  std::shared_ptr<void> graph_;
};

}  // namespace v1
}  // namespace ge

#endif  // GE_GRAPH_GRAPH_H_
