// A file mapped read-only; weights are used where they lie and never copied.
#ifndef GE_BASE_MAPPED_FILE_H_
#define GE_BASE_MAPPED_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/export.h"
#include "base/status.h"

namespace ge {

class GE_API MappedFile {
 public:
  // Errors (E13001) name the path and the system's reason. An empty file maps to size 0.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  // Bytes in memory in place of a file; `path` is what its readers see.
  static std::shared_ptr<const MappedFile> OfBytes(std::string bytes, std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }
  // Open as long as the mapping lives; for copy_file_range.
  int fd() const { return fd_; }
  // Device and inode: the same for every name of a file. Zeros for bytes in memory.
  using Identity = std::pair<uint64_t, uint64_t>;
  Identity identity() const { return identity_; }
  // Whether size and modification time are still those seen at Open.
  bool Unchanged() const;

 private:
  MappedFile() = default;
  std::string path_;
  std::string held_;  // what data_ points to when nothing is mapped
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  int fd_ = -1;
  Identity identity_{};
  int64_t mtime_ns_ = 0;
};

}  // namespace ge

#endif  // GE_BASE_MAPPED_FILE_H_
