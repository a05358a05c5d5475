// Checks before, and the record after, a fusion that a pass makes by hand.
#ifndef GE_FUSION_GRAPH_FUSE_INSPECTOR_UTILS_H_
#define GE_FUSION_GRAPH_FUSE_INSPECTOR_UTILS_H_

#include <vector>

#include "ge/export.h"
#include "ge/ge_api_error_codes.h"
#include "graph/ascend_string.h"
#include "graph/gnode.h"
#include "register/register_custom_pass.h"

namespace ge {
inline namespace v1 {
namespace fusion {

class GE_API GraphFuseInspectorUtils {
 public:
  // Whether these nodes may become one; `reason` is empty if so.
  static bool CanFuse(const std::vector<GNode> &nodes, AscendString &reason);
  // To be called after the edges were moved and before the old nodes are removed.
  static Status ReportFuse(const std::vector<GNode> &nodes_before, const std::vector<GNode> &nodes_after,
                           CustomPassContext &context);
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_GRAPH_FUSE_INSPECTOR_UTILS_H_
