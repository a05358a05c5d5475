// GNode: a handle onto a node of a graph.
#ifndef GE_GRAPH_GNODE_H_
#define GE_GRAPH_GNODE_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ge/export.h"
#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"

namespace ge {
inline namespace v1 {

class GNode;
class Graph;
using GNodePtr = std::shared_ptr<GNode>;
using GraphPtr = std::shared_ptr<Graph>;
using ConstGraphPtr = std::shared_ptr<const Graph>;

namespace detail {
struct Access;
}

// A small value; copies mean the same node. A handle that outlives its graph, and a default-made one, fails at every call.
// Not thread-safe: one thread at a time may work on a graph.
class GE_API GNode {
 public:
  GNode() = default;

  graphStatus GetType(AscendString &type) const;
  graphStatus GetName(AscendString &name) const;

  // What feeds that input; a null pointer when nothing does.
  std::pair<GNodePtr, int32_t> GetInDataNodesAndPortIndexs(int32_t index) const;
  std::vector<GNodePtr> GetInControlNodes() const;
  // The consumers of that output in the order in which they were connected, each with its input.
  std::vector<std::pair<GNodePtr, int32_t>> GetOutDataNodesAndPortIndexs(int32_t index) const;
  std::vector<GNodePtr> GetOutControlNodes() const;

  // The value of the constant that feeds that input; GRAPH_NODE_WITHOUT_CONST_INPUT is GRAPH_FAILED here.
  graphStatus GetInputConstData(int32_t index, Tensor &data) const;
  graphStatus GetInputIndexByName(const AscendString &name, int32_t &index) const;
  graphStatus GetOutputIndexByName(const AscendString &name, int32_t &index) const;
  size_t GetInputsSize() const;
  size_t GetOutputsSize() const;

  graphStatus GetInputDesc(int32_t index, TensorDesc &desc) const;
  graphStatus UpdateInputDesc(int32_t index, const TensorDesc &desc);
  graphStatus GetOutputDesc(int32_t index, TensorDesc &desc) const;
  graphStatus UpdateOutputDesc(int32_t index, const TensorDesc &desc);

  // Set on the node, or the default that the operator's definition declares.
  graphStatus GetAttr(const AscendString &name, AttrValue &value) const;
  graphStatus SetAttr(const AscendString &name, const AttrValue &value) const;
  bool HasAttr(const AscendString &name) const;
  graphStatus DelAttr(const AscendString &name) const;
  // Values of the kinds of AttrValue.
  template <typename T>
  graphStatus GetAttr(const AscendString &name, T &value) const {
    AttrValue any;
    graphStatus status = GetAttr(name, any);
    return status == GRAPH_SUCCESS ? any.GetAttrValue(value) : status;
  }
  template <typename T>
  graphStatus SetAttr(const AscendString &name, const T &value) const {
    AttrValue any;
    graphStatus status = any.SetAttrValue(value);
    return status == GRAPH_SUCCESS ? SetAttr(name, any) : status;
  }

  graphStatus GetSubgraph(uint32_t index, GraphPtr &graph) const;
  graphStatus GetALLSubgraphs(std::vector<GraphPtr> &graphs) const;

 private:
  friend struct detail::Access;

  void *node_ = nullptr;
  std::shared_ptr<const void> graph_lives_;
};

}  // namespace v1
}  // namespace ge

#endif  // GE_GRAPH_GNODE_H_
