// ASCEND_GE_PY_PASS_PATH, checked before Python starts.
#ifndef GE_COMPILER_PYTHON_PASS_PATH_H_
#define GE_COMPILER_PYTHON_PASS_PATH_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace ge::compiler {

inline constexpr const char* kPythonPassPathVariable = "ASCEND_GE_PY_PASS_PATH";

// The variable's entries without blanks and empty ones; empty when it is not set. An entry that
// does not exist, or that is neither a folder nor a .py file, is an error (E13024).
Result<std::vector<std::string>> PythonPassPaths();

}  // namespace ge::compiler

#endif  // GE_COMPILER_PYTHON_PASS_PATH_H_
