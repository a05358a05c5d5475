// Getting from a bare interpreter to a bridge that can use nanobind.
#ifndef GE_ABI3_BRIDGE_BRIDGE_BOOTSTRAP_H_
#define GE_ABI3_BRIDGE_BRIDGE_BOOTSTRAP_H_

#include "loader/bridge_abi.h"

namespace ge::bridge {

// set_artifacts of the C ABI.
int32_t SetArtifacts(const char* artifact_dir, const char* package_parent,
                     const ge_error_sink* errors);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_BRIDGE_BOOTSTRAP_H_
