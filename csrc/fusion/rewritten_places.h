// Where a pass with code of its own rewrote a graph, found by comparing the graph with a copy from before.
#ifndef GE_FUSION_REWRITTEN_PLACES_H_
#define GE_FUSION_REWRITTEN_PLACES_H_

#include <unordered_map>
#include <utility>
#include <vector>

#include "fusion/trace.h"
#include "ir/graph.h"

namespace ge::fusion {

// Made before the pass runs. Costs a copy of the graph without its tensors.
class RewrittenPlaces {
 public:
  explicit RewrittenPlaces(const ir::GraphPtr& graph);
  // A place is a group of neighbours that are gone, new or changed; graphs that came or went with the pass have none.
  void AddTo(PassTrace* trace) const;

 private:
  void Pair(ir::Graph* graph, ir::Graph* copy);

  ir::GraphPtr graph_, copy_;
  std::vector<ir::GraphPtr> subgraphs_;  // keeps them alive, so that no new one has the address of an old one
  std::vector<std::pair<ir::Graph*, ir::Graph*>> pairs_;  // with its copy
  std::unordered_map<const ir::Node*, ir::Node*> copies_, originals_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_REWRITTEN_PLACES_H_
