// Python passes seen as C++ passes.
#ifndef GE_ADAPTERS_PYTHON_PASS_ADAPTER_H_
#define GE_ADAPTERS_PYTHON_PASS_ADAPTER_H_

#include "base/export.h"
#include "base/status.h"
#include "loader/bridge_abi.h"
#include "loader/python_passes.h"

namespace ge::adapters {

// Loads Python passes (ASCEND_GE_PY_PASS_PATH and what the process has registered already) and puts an adapter factory
// for each into the PassRegistry. A name that is taken, a bad descriptor and a plugin that fails to import are problems
// in the outcome, not errors.
GE_API Result<loader::LoadOutcome> RegisterPythonPasses();
// Takes all Python passes out of the registry and unloads them.
GE_API void UnregisterPythonPasses();

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_PYTHON_PASS_ADAPTER_H_
