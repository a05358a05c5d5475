// What a pass did, place by place, with both subgraphs as they were: collected when a report is asked for.
#ifndef GE_FUSION_TRACE_H_
#define GE_FUSION_TRACE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace ge::fusion {

struct TracedNode {
  std::string type;
  std::string name;
  std::string shape;                // of output 0: "float[1, 3, n]"
  std::vector<std::string> attrs;   // "axis = 1"
  bool is_const = false;
};

// Where a tensor comes from: output `index` of node `node`, or, if `node` is negative, input `index`.
struct TracedSource {
  int32_t node = -1;
  uint32_t index = 0;
};

struct TracedEdge {
  TracedSource from;
  uint32_t to = 0;    // node
  uint32_t slot = 0;  // its input
};

// A part of a graph, copied out of it.
struct TracedGraph {
  std::vector<TracedNode> nodes;
  std::vector<TracedEdge> edges;
  std::vector<std::string> inputs;  // what comes in from outside: "relu_3: float[1, 8]"
  std::vector<TracedSource> outputs;
};

struct TracedRewrite {
  std::string pattern;
  std::string graph;
  TracedGraph before, after;
};

struct PassTrace {
  // More would not be looked at.
  static constexpr size_t kMaxShown = 12;
  std::vector<TracedRewrite> rewrites;
  int64_t more = 0;  // rewrites that were not kept
  // Operator type -> how many more or fewer there are after the pass; without those that stayed.
  std::map<std::string, int64_t> operators;

  bool full() const { return rewrites.size() >= kMaxShown; }
};

// Attributes as a line each; without bookkeeping and values that are too much for a line.
std::vector<std::string> ShownAttrs(const ir::Node& node);
// "float[1, 3, n]"; empty while neither type nor shape is known.
std::string ShownDesc(const ir::TensorDesc& desc);
// The nodes with what runs between them. Sources that are no nodes of the part and not among `inputs` become further inputs.
TracedGraph CopyPart(const std::vector<ir::Node*>& nodes, const std::vector<ir::Anchor>& inputs,
                     const std::vector<ir::Anchor>& outputs);
// Operators by type in a graph and its subgraphs, without Data, Const and NetOutput.
std::map<std::string, int64_t> OperatorsByType(const ir::Graph& graph);

// One rewrite on its way into a trace; does nothing without one. Usage: Before, then the rewrite, then After if it worked.
class RewriteTrace {
 public:
  explicit RewriteTrace(PassTrace* trace) : trace_(trace) {}
  void Before(std::string_view pattern, const std::vector<ir::Node*>& nodes, const std::vector<ir::Anchor>& inputs,
              const std::vector<ir::Anchor>& outputs);
  void After(const std::vector<ir::Node*>& nodes, const std::vector<ir::Anchor>& inputs,
             const std::vector<ir::Anchor>& outputs);

 private:
  PassTrace* trace_;
  std::unique_ptr<TracedRewrite> rewrite_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_TRACE_H_
