// Loading Python passes: choose an artifact set, open its bridge, register what it finds.
#ifndef GE_LOADER_PYTHON_PASSES_H_
#define GE_LOADER_PYTHON_PASSES_H_

#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "loader/bridge_abi.h"
#include "loader/runtime_key.h"

namespace ge::loader {

// One problem met while loading, with the user's traceback where there is one.
struct LoadProblem {
  std::string source;
  std::string hook;  // "path": named by ASCEND_GE_PY_PASS_PATH but not there; "import"; "register"
  std::string message;
  std::string traceback;
  bool interrupt = false;
};

struct LoadOutcome {
  int passes = 0;
  std::vector<LoadProblem> problems;
  std::string artifact_dir;
  PythonVersion python;
};

// Opens the bridge if need be (override GE_PY_ARTIFACT_DIR, then the sets beside the package),
// starts or borrows an interpreter and lets the bridge hand its passes to `registrar`. An error
// means that no Python pass can run here at all and says why and what to do. Thread-safe; counted
// when it succeeds: as many UnloadPythonPasses calls undo it. With `keep` the passes are only
// brought up to date: nothing is counted, but they stay until ShutdownForProcess.
GE_API Result<LoadOutcome> LoadPythonPasses(const ge_pass_registrar& registrar, bool keep = false);
// At the last user: clears registries, holders and loaded modules; interpreter and bridge stay for
// the next load. `before` is called first then: the core's own registry must be empty by the time
// Python forgets its passes.
GE_API void UnloadPythonPasses(void (*before)());
// Idempotent; finalises the interpreter only if this process's loader started it and nobody else
// uses it.
GE_API void ShutdownForProcess();

}  // namespace ge::loader

#endif  // GE_LOADER_PYTHON_PASSES_H_
