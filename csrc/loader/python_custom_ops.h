// Loading Python operators: choose an artifact set, open its bridge, let it register what it finds.
#ifndef GE_LOADER_PYTHON_CUSTOM_OPS_H_
#define GE_LOADER_PYTHON_CUSTOM_OPS_H_

#include <string>

#include "base/export.h"
#include "base/status.h"
#include "loader/custom_op_bridge_abi.h"

namespace ge::loader {

// The core's side of a load, which is in layers that this one does not know.
struct CustomOpHooks {
  const custom_op::PythonCustomOpRegistrar* registrar;
  // Takes everything that was handed to the registrar out of the core.
  void (*clear)();
  // Why the last registration failed, as far as anybody said; empty if nobody did. Forgotten then.
  std::string (*take_problem)();
};

// All are thread-safe, and wait for each other; do not hold the GIL.

// Opens the bridge if need be (override GE_PY_CUSTOM_OP_ARTIFACT_DIR, then the sets beside the package), starts or
// borrows an interpreter and lets the bridge register the operators it finds; called again, it takes up what came
// since. After an error some may be registered: call UnloadPythonCustomOps. A plugin that calls one of these while it is
// imported is told that all is well, and nothing is done.
GE_API Status LoadPythonCustomOps(const CustomOpHooks& hooks);
// Clears the core's side, then holders, plugin modules and registries of the other; interpreter and bridge stay for the
// next load. Harmless without one.
GE_API void UnloadPythonCustomOps(const CustomOpHooks& hooks);
// Shuts the bridge down and gives the interpreter up, which is not finalised here; a later load opens it anew. What is
// registered stays: unload first. Repeated calls are harmless.
GE_API void ShutdownPythonCustomOpsForProcess();

}  // namespace ge::loader

#endif  // GE_LOADER_PYTHON_CUSTOM_OPS_H_
