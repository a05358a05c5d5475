#include "base/output_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/strings.h"

namespace ge {
namespace {
// From here on a copy by the kernel pays.
constexpr size_t kKernelCopy = 64 << 10;
// Most systems take 1024 pieces in one call.
constexpr size_t kGather = 1024;
// Mapped pages that were read are given back after so many bytes.
constexpr size_t kRelease = 16 << 20;
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
  bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  return Status::Error(StrCat("cannot write file '", path_, "': ", what, ": ", std::strerror(errno),
                              full ? "; free some space or choose another folder, what was there before is untouched" : ""),
                       "E13004");
}

Status OutputFile::Create(const std::string& path) {
  path_ = path;
  if (path.find('\0') != std::string::npos) {
    return Status::Error(StrCat("cannot write file '", path, "': there is a zero byte in its name"), "E13001");
  }
  struct stat st {};
  if (::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode)) {
    return Status::Error(StrCat("cannot write file '", path, "': it exists and is not a regular file; choose another name"),
                         "E13001");
  }
#ifdef O_TMPFILE
  // Without a name until it is complete, it vanishes with the process, however that ends.
  if (::access("/proc/self/fd", X_OK) == 0) fd_ = ::open(FolderOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd_ >= 0) {
    unnamed_ = true;
    return Status::Ok();
  }
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

void OutputFile::Reserve(uint64_t size) {
  // Without the change of size: what is not written in the end must not be there.
  if (size > 0) (void)!::fallocate(fd_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size));
}

const MappedFile* OutputFile::SourceOf(const uint8_t* data, size_t size) const {
  if (sources_ == nullptr) return nullptr;
  for (const auto& file : *sources_) {
    if (file->fd() >= 0 && data >= file->data() && data + size <= file->data() + file->size()) return file.get();
  }
  return nullptr;
}

Status OutputFile::CopyRun() {
  const Run run = std::exchange(run_, {});
  if (run.size == 0) return Status::Ok();
  GE_ASSIGN_OR_RETURN(size_t done, CopyInKernel(run));
  return WriteDirectly(run.data + done, run.size - done);
}

Result<size_t> OutputFile::CopyInKernel(const Run& run) {
  const auto& [source, data, size] = run;
  auto offset = static_cast<loff_t>(data - source->data());
  size_t done = 0;
  bool whole_files = true;  // copy_file_range, which shares blocks where it can; not between all file systems
  while (done < size) {
    ssize_t n = whole_files ? ::copy_file_range(source->fd(), &offset, fd_, nullptr, size - done, 0)
                            : ::sendfile(fd_, source->fd(), &offset, size - done);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO)) {
      return Fail("write");
    } else if (whole_files) {
      whole_files = false;
    } else {
      break;
    }
  }
  return done;
}

// Private mappings of files only: the pages come back from the file when they are read again.
void OutputFile::ReleaseSources() {
  touched_ = 0;
  for (const auto& file : *sources_) {
    if (file->fd() >= 0 && file->size() > 0) {
      ::madvise(const_cast<uint8_t*>(file->data()), file->size(), MADV_DONTNEED);
    }
  }
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
  if (size == 0) return Status::Ok();
  size_ += size;
  const MappedFile* source = SourceOf(data, size);
  if (source != nullptr && run_.size > 0 && source == run_.source && data == run_.data + run_.size) {
    run_.size += size;
    return Status::Ok();
  }
  GE_RETURN_IF_ERROR(CopyRun());
  if (size >= kKernelCopy) {
    GE_RETURN_IF_ERROR(Flush());
    if (source == nullptr) return WriteDirectly(data, size);
    run_ = {source, data, size};
    return Status::Ok();
  }
  gathered_.emplace_back(data, size);
  if (source != nullptr) touched_ += size;
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
  GE_RETURN_IF_ERROR(CopyRun());
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
  if (touched_ >= kRelease) ReleaseSources();
  return Status::Ok();
}

Status OutputFile::CommitAs(const std::string& path) {
  GE_RETURN_IF_ERROR(Flush());
  auto fail = [&path](const char* what) {
    return Status::Error(StrCat("cannot write file '", path, "': ", what, ": ", std::strerror(errno)), "E13004");
  };
  // Network file systems may tell only now that the disk is full.
  int copy = ::dup(fd_);
  if (copy < 0 || ::close(copy) != 0) return fail("close");
  std::string name = TemporaryName(path);
  if (unnamed_) {
    const std::string self = StrCat("/proc/self/fd/", fd_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return Status::Ok();
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return fail("link");
  } else if (!temporary_.empty()) {
    name = std::exchange(temporary_, std::string());
  } else if (::link(committed_.c_str(), name.c_str()) != 0) {
    return fail("link");
  }
  if (::rename(name.c_str(), path.c_str()) != 0) {
    Status failed = fail("rename");
    ::unlink(name.c_str());
    return failed;
  }
  committed_ = path;
  return Status::Ok();
}

}  // namespace ge
