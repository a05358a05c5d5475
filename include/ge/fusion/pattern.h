// Pattern: a graph whose Data nodes match anything and whose outputs are the tensors to look for.
#ifndef GE_FUSION_PATTERN_API_H_
#define GE_FUSION_PATTERN_API_H_

#include <memory>
#include <vector>

#include "ge/export.h"
#include "ge/fusion/subgraph_boundary.h"
#include "graph/graph.h"

namespace ge {
inline namespace v1 {
namespace fusion {

class GE_API Pattern {
 public:
  // Takes the graph over; handles of its nodes stay good.
  explicit Pattern(Graph &&graph);
  ~Pattern();
  Pattern(const Pattern &) = delete;
  Pattern &operator=(const Pattern &) = delete;

  const Graph &GetGraph() const;
  // The capture's index is the number of calls before it.
  Pattern &CaptureTensor(const NodeIo &node_output);
  Status GetCapturedTensors(std::vector<NodeIo> &tensors) const;

 private:
  friend struct detail::Access;
  struct Data;

  std::unique_ptr<Data> data_;
};

using PatternUniqPtr = std::unique_ptr<Pattern>;
using GraphUniqPtr = std::unique_ptr<Graph>;

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_PATTERN_API_H_
