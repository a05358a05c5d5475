// The first steps of a bridge in a running interpreter: the package, the native module, nanobind.
#ifndef GE_ABI3_BRIDGE_BRIDGE_START_PYTHON_H_
#define GE_ABI3_BRIDGE_BRIDGE_START_PYTHON_H_

#include <string>

namespace ge::bridge {

struct BridgeNames {
  const char* native_loader;  // module whose load_native_module(folder) loads the set's native module
  const char* bridge;         // what the bridge is called as a module
};

// Makes the package `ge` of that folder and the set's native module known to Python, and this library to nanobind; once.
// Takes the GIL. What is wrong, or "".
std::string StartPython(const BridgeNames& names, const std::string& artifact_dir, const std::string& package_parent);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_BRIDGE_START_PYTHON_H_
