// What attributes say about whether nodes may become one.
#ifndef GE_FUSION_FUSE_CHECK_H_
#define GE_FUSION_FUSE_CHECK_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace ge::fusion {

// The error names the attribute, its values and the nodes.
Status CheckAttrConflicts(std::span<ir::Node* const> nodes);
// Of a report: not empty before, valid, all in one graph.
Status CheckReportedNodes(const std::vector<ir::Node*>& before, const std::vector<ir::Node*>& after);

}  // namespace ge::fusion

#endif  // GE_FUSION_FUSE_CHECK_H_
