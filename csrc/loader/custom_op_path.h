// Whether ASCEND_CUSTOM_OPP_PATH names Python operators: asked before anything of Python is started.
#ifndef GE_LOADER_CUSTOM_OP_PATH_H_
#define GE_LOADER_CUSTOM_OP_PATH_H_

#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"

namespace ge::loader {

// True at the first element, of those that ':' separates, that is a Python file, or a folder with one or with a package
// in it (not below it); entries of a folder that start with '_' do not count. What does not exist or cannot be read is
// skipped, but a missing Python file is an error. Elements after the first find are not looked at: importing does that.
GE_API Result<bool> CheckNeedLoadPythonCustomOps();

// The elements of the variable that exist.
GE_API std::vector<std::string> CustomOpPaths();

}  // namespace ge::loader

#endif  // GE_LOADER_CUSTOM_OP_PATH_H_
