// The one symbol of this library.
#include <nanobind/nanobind.h>

#include "abi3_bridge/custom_op_bridge/infer_meta.h"
#include "abi3_bridge/custom_op_bridge/python_side.h"
#include "abi3_bridge/custom_op_bridge/registration.h"
#include "abi3_bridge/custom_op_bridge/report.h"
#include "base/export.h"
#include "base/status.h"
#include "custom_op/infer.h"
#include "custom_op/onnx_plugin.h"
#include "loader/custom_op_bridge_abi.h"

namespace ge::custom_op_bridge {
namespace {

uint32_t SetArtifactConfig(const custom_op::PythonCustomOpBridgeArtifactConfig* config) {
  if (PythonSide::Known() != nullptr) return kFailed;
  SetFolders(config == nullptr || config->artifact_root == nullptr ? "" : config->artifact_root);
  return kSuccess;
}

void Reset() {
  custom_op::SetMetaInference(nullptr);
  custom_op::ClearOnnxPlugins();
  if (PythonSide::Known() == nullptr) return;
  nanobind::gil_scoped_acquire gil;
  if (!gil.is_valid()) return;
  Guarded<int>(0, [] {
    PythonSide& python = *PythonSide::Known();
    python.reset();
    python.reset_plugins();
    return 0;
  });
}

// The interpreter belongs to the loader's manager, which outlives this library.
void Shutdown() {
  Reset();
  if (PythonSide::Known() == nullptr) return;
  nanobind::gil_scoped_acquire gil;
  if (gil.is_valid()) PythonSide::Forget();
}

}  // namespace
}  // namespace ge::custom_op_bridge

extern "C" GE_API const ge::custom_op::PythonCustomOpBridgeApi* GeGetPythonCustomOpBridgeApi() {
  namespace cb = ge::custom_op_bridge;
  static constexpr ge::custom_op::PythonCustomOpBridgeApi api = {
      GE_CUSTOM_OP_BRIDGE_ABI_VERSION, &cb::SetArtifactConfig, &cb::RegisterCustomOps, &cb::Reset, &cb::Shutdown,
  };
  return &api;
}
