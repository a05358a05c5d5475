#include "compiler/python_pass_path.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/strings.h"

namespace ge::compiler {

Result<std::vector<std::string>> PythonPassPaths() {
  std::vector<std::string> paths;
  const char* value = std::getenv(kPythonPassPathVariable);
  if (value == nullptr) return paths;
  for (std::string_view entry : Split(value, ':')) {
    std::string path(Trim(entry));
    if (path.empty()) continue;
    auto bad = [&](std::string_view reason) {
      return Status::Error(
          StrCat("environment variable ", kPythonPassPathVariable, " names '", path, "': ", reason,
                 "; name .py files and folders of them, separated by ':'"),
          "E13024");
    };
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) return bad(std::strerror(errno));
    bool is_python = path.size() > 3 && path.compare(path.size() - 3, 3, ".py") == 0;
    if (!S_ISDIR(st.st_mode) && !is_python) return bad("it is neither a folder nor a .py file");
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace ge::compiler
