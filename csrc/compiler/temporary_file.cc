#include "compiler/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/strings.h"
#include "compiler/folders.h"

namespace ge::compiler {

TemporaryFile::TemporaryFile() {
  path_ = StrCat(TemporaryRoot(), "/atc-XXXXXX");
  fd_ = ::mkostemp(path_.data(), O_CLOEXEC);
}

TemporaryFile::~TemporaryFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(path_.c_str());
}

bool TemporaryFile::Write(std::string_view text) const {
  if (fd_ < 0) return false;
  while (!text.empty()) {
    ssize_t n = ::write(fd_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string TemporaryFile::Read() const {
  std::string out;
  char buffer[4096];
  if (fd_ < 0) return out;
  for (off_t offset = 0;;) {
    ssize_t n = ::pread(fd_, buffer, sizeof buffer, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return out;
    out.append(buffer, static_cast<size_t>(n));
    offset += n;
  }
}

}  // namespace ge::compiler
