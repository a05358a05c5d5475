// Tensor payloads outside the model file: found safely on load, collected on save.
#ifndef GE_FORMATS_ONNX_EXTERNAL_DATA_H_
#define GE_FORMATS_ONNX_EXTERNAL_DATA_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"
#include "ir/tensor.h"

namespace ge::formats::onnx {

// Files that the tensors of one model point to, each mapped once.
class ExternalFiles {
 public:
  explicit ExternalFiles(const std::string& model_path);
  // Maps `location`, a path relative to the model's folder. Refused: absolute paths, "..", links that leave the folder.
  Result<std::shared_ptr<const MappedFile>> Open(std::string_view location);
  const std::vector<std::shared_ptr<const MappedFile>>& files() const { return files_; }
  // Notes that `tensor` lies there. Its name must live until CheckOverlaps.
  void Claim(const MappedFile* file, uint64_t offset, uint64_t size, std::string_view tensor) {
    if (size > 0) claims_.push_back({file, offset, size, tensor});
  }
  // Refuses tensors that share a part of their bytes; the very same bytes may be shared. Forgets the claims.
  Status CheckOverlaps();

 private:
  struct Place {
    const MappedFile* file;
    uint64_t offset, size;
    std::string_view tensor;
  };
  std::vector<Place> claims_;
  std::string folder_;
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> by_location_;
  std::map<MappedFile::Identity, std::shared_ptr<const MappedFile>> by_identity_;
};

// Payloads for the one data file written beside a model.
class ExternalSink {
 public:
  // What is smaller than `min_size` bytes stays in the model.
  static constexpr size_t kDefaultMinSize = 1024;
  explicit ExternalSink(std::string location, size_t min_size = kDefaultMinSize)
      : location_(std::move(location)), min_size_(min_size) {}
  bool Takes(size_t size) const { return size > 0 && size >= min_size_; }
  // Where the payload will lie. The bytes must live until the file is written.
  uint64_t Add(std::span<const uint8_t> bytes);
  const std::string& location() const { return location_; }
  void Clear() {
    entries_.clear();
    size_ = 0;
  }

  struct Entry {
    uint64_t offset;
    const uint8_t* data;
    size_t size;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  uint64_t size() const { return size_; }

 private:
  std::string location_;
  size_t min_size_;
  std::vector<Entry> entries_;
  uint64_t size_ = 0;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_EXTERNAL_DATA_H_
