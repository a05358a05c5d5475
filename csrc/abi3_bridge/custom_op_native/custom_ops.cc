// Loading and unloading of the process's custom operators.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/native/convert.h"

namespace ge::bridge {

void BindCustomOps(nb::module_&) {}

}  // namespace ge::bridge
