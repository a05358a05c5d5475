// Which Python: the version of an interpreter, as far as it decides what can be loaded into it.
#ifndef GE_LOADER_RUNTIME_KEY_H_
#define GE_LOADER_RUNTIME_KEY_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/export.h"

namespace ge::loader {

// Compared as numbers: 3.10 is later than 3.9.
struct PythonVersion {
  int major = 0;
  int minor = 0;
  friend bool operator==(PythonVersion a, PythonVersion b) {
    return a.major == b.major && a.minor == b.minor;
  }
  friend bool operator<(PythonVersion a, PythonVersion b) {
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
  }
};

// "3.13", "3.13.2 (main, ...)", "3.14.0rc1"; nothing for anything that doesn't start with two
// numbers.
GE_API std::optional<PythonVersion> ParsePythonVersion(std::string_view text);
GE_API std::string ToString(PythonVersion version);

struct RuntimeKey {
  PythonVersion version;
  bool free_threaded = false;
  std::string source;  // "the interpreter in this process", or the path of an executable
};

// Of the interpreter whose symbols are visible in this process; nothing if there are none.
GE_API std::optional<RuntimeKey> RuntimeKeyOfProcess();
// From what Py_GetVersion returns.
GE_API std::optional<RuntimeKey> RuntimeKeyFromVersionText(std::string_view text);

}  // namespace ge::loader

#endif  // GE_LOADER_RUNTIME_KEY_H_
