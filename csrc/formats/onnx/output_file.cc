#include "formats/onnx/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/strings.h"

namespace ge::formats::onnx {
namespace {
// From here on a copy by the kernel pays.
constexpr size_t kKernelCopy = 1 << 20;
// Most systems take 1024 pieces in one call.
constexpr size_t kGather = 1024;
constexpr uint8_t kZeros[4096] = {};

std::string FolderOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Short, so that it is never longer than the file system allows when the target's name is not.
std::string TemporaryName(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return StrCat(FolderOf(path), "/.ge-", ::getpid(), "_", counter++, ".tmp");
}
}  // namespace

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::Fail(const char* what) const {
  return Status::Error(StrCat("cannot write file '", path_, "': ", what, ": ", std::strerror(errno)), "E13004");
}

Status OutputFile::Create(const std::string& path) {
  path_ = path;
  struct stat st {};
  if (::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode)) {
    return Status::Error(StrCat("cannot write file '", path, "': it exists and is not a regular file; choose another name"),
                         "E13001");
  }
#ifdef O_TMPFILE
  // Without a name until it is complete, it vanishes with the process, however that ends.
  if (::access("/proc/self/fd", X_OK) == 0) fd_ = ::open(FolderOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd_ >= 0) return Status::Ok();
#endif
  std::string name = TemporaryName(path);
  fd_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    return Status::Error(StrCat("cannot write file '", path, "': ", std::strerror(errno),
                                "; the folder must exist and be writable"),
                         "E13001");
  }
  temporary_ = std::move(name);
  return Status::Ok();
}

bool OutputFile::CopyInKernel(const uint8_t* data, size_t size) {
  if (sources_ == nullptr) return false;
  for (const auto& file : *sources_) {
    if (data < file->data() || data + size > file->data() + file->size()) continue;
    auto offset = static_cast<loff_t>(data - file->data());
    size_t left = size;
    while (left > 0) {
      ssize_t n = ::copy_file_range(file->fd(), &offset, fd_, nullptr, left, 0);
      if (n <= 0) break;
      left -= static_cast<size_t>(n);
    }
    if (left == 0) return true;
    // What the kernel did not take goes the common way.
    return WriteDirectly(data + (size - left), left).ok();
  }
  return false;
}

Status OutputFile::WriteDirectly(const uint8_t* data, size_t size) {
  while (size > 0) {
    ssize_t n = ::write(fd_, data, size);
    if (n < 0) {
      if (errno == EINTR) continue;
      return Fail("write");
    }
    data += n;
    size -= static_cast<size_t>(n);
  }
  return Status::Ok();
}

Status OutputFile::Write(const uint8_t* data, size_t size) {
  size_ += size;
  if (size >= kKernelCopy) {
    GE_RETURN_IF_ERROR(Flush());
    if (CopyInKernel(data, size)) return Status::Ok();
    return WriteDirectly(data, size);
  }
  gathered_.emplace_back(data, size);
  return gathered_.size() >= kGather ? Flush() : Status::Ok();
}

Status OutputFile::PadTo(uint64_t offset) {
  while (size_ < offset) {
    uint64_t n = std::min<uint64_t>(offset - size_, sizeof kZeros);
    GE_RETURN_IF_ERROR(Write(kZeros, static_cast<size_t>(n)));
  }
  return Status::Ok();
}

Status OutputFile::Flush() {
  std::vector<iovec> pieces;
  pieces.reserve(gathered_.size());
  for (const auto& [data, size] : gathered_) pieces.push_back({const_cast<uint8_t*>(data), size});
  gathered_.clear();
  size_t first = 0;
  while (first < pieces.size()) {
    ssize_t n = ::writev(fd_, pieces.data() + first, static_cast<int>(pieces.size() - first));
    if (n < 0) {
      if (errno == EINTR) continue;
      return Fail("write");
    }
    auto left = static_cast<size_t>(n);
    while (first < pieces.size() && left >= pieces[first].iov_len) left -= pieces[first++].iov_len;
    if (first < pieces.size() && left > 0) {
      pieces[first].iov_base = static_cast<uint8_t*>(pieces[first].iov_base) + left;
      pieces[first].iov_len -= left;
    }
  }
  return Status::Ok();
}

Status OutputFile::Commit() {
  GE_RETURN_IF_ERROR(Flush());
  int fd = fd_;
  if (temporary_.empty()) {
    std::string name = TemporaryName(path_);
    if (::linkat(AT_FDCWD, StrCat("/proc/self/fd/", fd).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      return Fail("link");
    }
    temporary_ = std::move(name);
  }
  fd_ = -1;
  if (::close(fd) != 0) return Fail("close");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return Fail("rename");
  temporary_.clear();
  return Status::Ok();
}

}  // namespace ge::formats::onnx
