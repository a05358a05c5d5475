#include "compiler/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "compiler/folders.h"

namespace ge::compiler {

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) RemoveFolder(path_);
}

Result<std::string> TemporaryFolder::File(std::string_view name) {
  if (path_.empty()) {
    std::string path = StrCat(TemporaryRoot(), "/atc-XXXXXX");
    if (::mkdtemp(path.data()) == nullptr) {
      return Status::Error(StrCat("cannot make a temporary folder '", path, "': ", std::strerror(errno),
                                  "; set TMPDIR to a folder that can be written"),
                           "E13001");
    }
    path_ = std::move(path);
  }
  return StrCat(path_, "/", name);
}

}  // namespace ge::compiler
