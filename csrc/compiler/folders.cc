#include "compiler/folders.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace ge::compiler {

namespace fs = std::filesystem;

fs::path PackageFolder() {
  Dl_info info{};
  static const char here = 0;
  if (::dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  // <package>/lib/libge_compiler.so; what a link stands for is another installation's business.
  return fs::absolute(info.dli_fname, error).lexically_normal().parent_path().parent_path();
}

std::vector<fs::path> Children(const fs::path& folder) {
  std::vector<fs::path> children;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    children.push_back(it->path());
  }
  std::sort(children.begin(), children.end(),
            [](const fs::path& a, const fs::path& b) { return a.filename().native() < b.filename().native(); });
  return children;
}

fs::path TemporaryRoot() {
  const char* given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

}  // namespace ge::compiler
