#include "abi3_bridge/bridge/bootstrap.h"

#include "abi3_bridge/bridge/error_report.h"
#include "abi3_bridge/bridge/start_python.h"

namespace ge::bridge {

int32_t SetArtifacts(const char* artifact_dir, const char* package_parent,
                     const ge_error_sink* errors) {
  constexpr BridgeNames kNames = {"ge.passes.runtime", "ge.passes._ge_pass_bridge"};
  const std::string problem =
      artifact_dir == nullptr || package_parent == nullptr
          ? std::string("it was not told where its set and its package are")
          : StartPython(kNames, artifact_dir, package_parent);
  if (problem.empty()) return 0;
  Report(errors, artifact_dir ? artifact_dir : "", "load", problem);
  return -1;
}

}  // namespace ge::bridge
