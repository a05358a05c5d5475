// A checked place of a rewrite: what feeds it, what comes out of it, and which nodes it encloses.
#ifndef GE_FUSION_REWRITE_SITE_H_
#define GE_FUSION_REWRITE_SITE_H_

#include <vector>

#include "base/status.h"
#include "fusion/boundary.h"
#include "fusion/matcher.h"
#include "fusion/node_set.h"
#include "ir/graph.h"

namespace ge::fusion {

struct RewriteSite {
  ir::Graph* graph = nullptr;
  std::vector<ir::Anchor> inputs;   // producers, by position
  std::vector<ir::Anchor> outputs;  // by position
  std::vector<ir::Node*> inner;     // breadth-first from the outputs: the order of old names
  NodeSet inner_set;
  // No path leads from an output back to an input, and everything it depends on stands before output 0's owner in an
  // ordered list.
  bool convex = false;

  // Checks the boundary (4.2 and self-containment) and fills the site from it.
  Status FromBoundary(const SubgraphBoundary& boundary);
  // A match is a valid site by itself.
  void FromMatch(const MatchResult& match);
  // The nodes that become one: without constants that stay for others. Valid until the next call.
  const std::vector<ir::Node*>& FusedNodes();

 private:
  void Clear();
  Status TakeInputs(const SubgraphBoundary& boundary);
  Status TakeOutputs(const SubgraphBoundary& boundary);
  Status Enclose(const SubgraphBoundary& boundary);
  NodeSet stops_;
  std::vector<ir::Node*> fused_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_REWRITE_SITE_H_
