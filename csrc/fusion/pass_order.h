// In which order the passes of a stage run.
#ifndef GE_FUSION_PASS_ORDER_H_
#define GE_FUSION_PASS_ORDER_H_

#include <memory>
#include <string>
#include <vector>

#include "fusion/pass_registry.h"

namespace ge::fusion {

struct PassOrder {
  std::vector<std::shared_ptr<const PassRegistration>> passes;
  // Names of passes that wish to run before each other. Empty when all wishes are met.
  std::vector<std::string> cycle;
};

// By name, except where a pass names others of the stage to run before or after; names that are not there don't matter.
PassOrder InOrder(std::vector<std::shared_ptr<const PassRegistration>> by_name);

}  // namespace ge::fusion

#endif  // GE_FUSION_PASS_ORDER_H_
