// Where the new nodes of a rewrite go in the node list, such that edges keep pointing forward.
#ifndef GE_FUSION_PLACEMENT_H_
#define GE_FUSION_PLACEMENT_H_

#include <vector>

#include "base/status.h"
#include "fusion/cycle.h"
#include "fusion/rewrite_site.h"
#include "ir/graph.h"

namespace ge::fusion {

struct Placement {
  ir::Node* after = nullptr;      // the new nodes follow this one; null: they come first
  std::vector<ir::Node*> behind;  // these move behind the new nodes, in this order
  bool keeps_order = false;       // the list stays topologically ordered
};

// Finds the place; an error if putting `replacement` at the site would close a cycle. Looks only at what lies between
// the site's producers and consumers while the list is ordered.
Status FindPlacement(const RewriteSite& site, const ir::Graph& replacement, ForwardSearch& search, Placement* out);

}  // namespace ge::fusion

#endif  // GE_FUSION_PLACEMENT_H_
