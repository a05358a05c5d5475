#include "compiler/input_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/strings.h"

namespace ge::compiler {

Status CheckReadable(const std::string& path, std::string_view option, std::string_view what) {
  struct stat st {};
  std::string_view reason;
  if (::stat(path.c_str(), &st) != 0 || ::access(path.c_str(), R_OK) != 0) {
    reason = std::strerror(errno);
  } else if (!S_ISREG(st.st_mode)) {
    reason = "it is not a regular file";
  } else {
    return Status::Ok();
  }
  return Status::Error(StrCat("cannot read ", option, " '", path, "': ", reason, "; name a readable ", what), "E10001");
}

}  // namespace ge::compiler
