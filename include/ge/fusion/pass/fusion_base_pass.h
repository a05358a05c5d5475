// FusionBasePass: a pass that works on the graph as it likes.
#ifndef GE_FUSION_PASS_FUSION_BASE_PASS_H_
#define GE_FUSION_PASS_FUSION_BASE_PASS_H_

#include "ge/export.h"
#include "ge/ge_api_error_codes.h"
#include "graph/graph.h"
#include "register/register_custom_pass.h"

namespace ge {
inline namespace v1 {
namespace fusion {

// Run is called on the top graph, then on every subgraph. Anything but SUCCESS and NOT_CHANGED, or an exception, fails the
// pass: the graph is then put back as it was before it.
class GE_API FusionBasePass {
 public:
  FusionBasePass() = default;
  virtual ~FusionBasePass();
  virtual Status Run(GraphPtr &graph, CustomPassContext &context) = 0;
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_PASS_FUSION_BASE_PASS_H_
