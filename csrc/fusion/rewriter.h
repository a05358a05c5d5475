// Putting a replacement graph in the place of a boundary, and the checks and records around that.
#ifndef GE_FUSION_REWRITER_H_
#define GE_FUSION_REWRITER_H_

#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "fusion/boundary.h"
#include "fusion/pass.h"
#include "ir/graph.h"

namespace ge::fusion {

// Puts a copy of `replacement` in the place of `boundary`. All checks come before the first change, so that a failure
// leaves the graph as it was. `pass_name` (may be empty) is recorded on the new nodes.
GE_API Status Replace(const SubgraphBoundary& boundary, const ir::Graph& replacement, std::string_view pass_name);
// Also checks that the nodes can be fused and counts the fusion; needs a pass name in the context.
GE_API Status Replace(const SubgraphBoundary& boundary, const ir::Graph& replacement, PassContext& context);
// Straight from a match: what PatternFusionPass uses for every match.
GE_API Status Replace(const MatchResult& match, const ir::Graph& replacement, std::string_view pass_name);

// OK, or why these nodes cannot become one (attribute conflicts, a cycle, different graphs).
GE_API Status CanFuse(const std::vector<ir::Node*>& nodes);
// Records on nodes_after what they came from and counts a match and a rewrite in the context.
GE_API Status ReportFuse(const std::vector<ir::Node*>& nodes_before, const std::vector<ir::Node*>& nodes_after,
                         PassContext& context);
// Whether merging these nodes into one would close a cycle.
GE_API bool FusingMakesCycle(const std::vector<ir::Node*>& nodes);

// Gives the replacement's Data nodes the descs (and constants) of the boundary's inputs, then infers the rest.
GE_API Status InferReplacement(ir::Graph& replacement, const SubgraphBoundary& boundary);

}  // namespace ge::fusion

#endif  // GE_FUSION_REWRITER_H_
