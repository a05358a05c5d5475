// Choosing an interpreter for a host that has none: one subprocess tells what the executable is.
#ifndef GE_LOADER_PROBE_H_
#define GE_LOADER_PROBE_H_

#include <string>

#include "base/export.h"
#include "base/status.h"
#include "loader/runtime_key.h"

namespace ge::loader {

struct InterpreterProbe {
  RuntimeKey key;
  std::string executable;  // sys.executable: behind wrapper scripts and shims
  std::string prefix;
  std::string base_prefix;
  std::string libpython;       // empty: it has no shared library
  std::string library_name;    // what it would be called
  std::string chosen_because;  // "GE_PYTHON_EXECUTABLE", ...
};

// Runs `executable` (a path, or a name looked up on PATH) once.
GE_API Result<InterpreterProbe> ProbeInterpreter(const std::string& executable);

// GE_PYTHON_EXECUTABLE (nothing else if it is set), VIRTUAL_ENV, python3 and python on PATH: the
// first that runs and has a shared library. The error lists what was tried and names the remedy.
GE_API Result<InterpreterProbe> ChooseInterpreter();

}  // namespace ge::loader

#endif  // GE_LOADER_PROBE_H_
