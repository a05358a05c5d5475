#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/mapped_guard.h"
#include "base/strings.h"

namespace ge {
namespace {
int64_t MtimeNs(const struct stat& st) {
  return static_cast<int64_t>(st.st_mtim.tv_sec) * 1000000000 + st.st_mtim.tv_nsec;
}
// Models with a data file for each tensor need more than the usual 1024 at once.
bool AllowMoreFiles() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}
Status OpenError(const std::string& path, std::string_view reason) {
  return Status::Error(StrCat("cannot read file '", path, "': ", reason), "E13001");
}
}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  if (path.find('\0') != std::string::npos) return OpenError(path, "there is a zero byte in its name");
  // Without O_NONBLOCK a FIFO would keep us waiting for somebody to write to it.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  file->fd_ = ::open(path.c_str(), flags);
  if (file->fd_ < 0 && errno == EMFILE && AllowMoreFiles()) file->fd_ = ::open(path.c_str(), flags);
  if (file->fd_ < 0) return OpenError(path, std::strerror(errno));
  struct stat st {};
  if (::fstat(file->fd_, &st) != 0) return OpenError(path, std::strerror(errno));
  if (!S_ISREG(st.st_mode)) return OpenError(path, "it is not a regular file");
  file->size_ = static_cast<size_t>(st.st_size);
  file->mtime_ns_ = MtimeNs(st);
  file->identity_ = {st.st_dev, st.st_ino};
  if (file->size_ > 0) {
    void* p = ::mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, file->fd_, 0);
    if (p == MAP_FAILED) return OpenError(path, std::strerror(errno));
    file->data_ = static_cast<const uint8_t*>(p);
    GuardMapping(p, {file->fd_, file->size_, file->mtime_ns_});
  }
  return std::shared_ptr<const MappedFile>(std::move(file));
}

std::shared_ptr<const MappedFile> MappedFile::OfBytes(std::string bytes, std::string path) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = std::move(path);
  file->held_ = std::move(bytes);
  file->data_ = reinterpret_cast<const uint8_t*>(file->held_.data());
  file->size_ = file->held_.size();
  return file;
}

MappedFile::~MappedFile() {
  if (fd_ >= 0 && data_ != nullptr) {
    UnguardMapping(data_);
    ::munmap(const_cast<uint8_t*>(data_), size_);
  }
  if (fd_ >= 0) ::close(fd_);
}

bool MappedFile::Unchanged() const {
  struct stat st {};
  if (fd_ < 0) return true;
  if (data_ != nullptr) return MappingIntact(data_);
  return ::fstat(fd_, &st) == 0 && static_cast<size_t>(st.st_size) == size_ && MtimeNs(st) == mtime_ns_;
}

}  // namespace ge
