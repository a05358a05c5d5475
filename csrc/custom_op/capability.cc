#include "custom_op/capability.h"

namespace ge {

BaseCustomOp::~BaseCustomOp() = default;
CustomOpCapabilityProvider::~CustomOpCapabilityProvider() = default;

}  // namespace ge
