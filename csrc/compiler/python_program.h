// Python code that runs a part of the package `ge` in a process of its own.
#ifndef GE_COMPILER_PYTHON_PROGRAM_H_
#define GE_COMPILER_PYTHON_PROGRAM_H_

#include <string>
#include <string_view>

#include "base/strings.h"

namespace ge::compiler {

// For `python -c`: calls main() of `module`; the first argument is the folder that holds the package. The package comes from
// there even if another `ge` is earlier on the path; the folder itself comes last and the working folder not at all, so
// that neither hides another module.
inline std::string PythonProgram(std::string_view module) {
  return StrCat(
      "import sys; parent = sys.argv.pop(1); others = [*filter(None, sys.path)]; sys.path[:] = [parent, *others]; import ge; "
      "sys.path[:] = [*others, parent]; from ",
      module, " import main; sys.exit(main())");
}

}  // namespace ge::compiler

#endif  // GE_COMPILER_PYTHON_PROGRAM_H_
