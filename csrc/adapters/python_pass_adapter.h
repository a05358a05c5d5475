// Python passes seen as C++ passes.
#ifndef GE_ADAPTERS_PYTHON_PASS_ADAPTER_H_
#define GE_ADAPTERS_PYTHON_PASS_ADAPTER_H_

#include "base/export.h"
#include "base/status.h"
#include "loader/bridge_abi.h"
#include "loader/python_passes.h"

namespace ge::adapters {

// Loads Python passes (ASCEND_GE_PY_PASS_PATH and what the process has registered already) and puts
// an adapter factory for each into the PassRegistry. A name that is taken, a bad descriptor and a
// plugin that fails to import are problems in the outcome, not errors. Counted when it succeeds: as
// many UnregisterPythonPasses calls undo it.
GE_API Result<loader::LoadOutcome> RegisterPythonPasses();
// The same for a Python process that runs passes again and again: takes up what was registered and
// drops what was cleared since the last call. Not counted; from then on Python passes stay loaded.
GE_API Result<loader::LoadOutcome> RefreshPythonPasses();
// At the last user: takes all Python passes out of the registry and unloads them.
GE_API void UnregisterPythonPasses();
// Idempotent; nothing of Python runs in this process through here afterwards. The interpreter is
// finalised only if it was started here and nobody else uses it.
GE_API void ShutdownPythonPasses();

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_PYTHON_PASS_ADAPTER_H_
