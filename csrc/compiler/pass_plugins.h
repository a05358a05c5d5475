// Installed packages that bring Python passes, found without starting a Python.
#ifndef GE_COMPILER_PASS_PLUGINS_H_
#define GE_COMPILER_PASS_PLUGINS_H_

#include <string>
#include <vector>

namespace ge::compiler {

// Metadata folders (x.dist-info, x.egg-info) with entry points in the group ge.passes.plugins, beside the installed package
// `ge` and in the folders of PYTHONPATH, by name.
std::vector<std::string> FindPassPlugins();

}  // namespace ge::compiler

#endif  // GE_COMPILER_PASS_PLUGINS_H_
