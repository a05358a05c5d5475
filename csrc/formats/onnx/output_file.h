// Output files that appear whole or not at all.
#ifndef GE_FORMATS_ONNX_OUTPUT_FILE_H_
#define GE_FORMATS_ONNX_OUTPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"

namespace ge::formats::onnx {

// Written beside the target without a name (under a temporary one where the file system can't), put in its place by Commit,
// removed by the destructor otherwise.
class OutputFile {
 public:
  // `sources`: mapped files that payloads may lie in; these are copied from file to file by the kernel.
  explicit OutputFile(const std::vector<std::shared_ptr<const MappedFile>>* sources) : sources_(sources) {}
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  Status Create(const std::string& path);
  // Appends. Small pieces are gathered; they must live until Flush.
  Status Write(const uint8_t* data, size_t size);
  // Fills with zeros up to `offset`.
  Status PadTo(uint64_t offset);
  Status Flush();
  Status Commit();

 private:
  Status Fail(const char* what) const;
  Status WriteDirectly(const uint8_t* data, size_t size);
  bool CopyInKernel(const uint8_t* data, size_t size);

  const std::vector<std::shared_ptr<const MappedFile>>* sources_;
  std::string path_, temporary_;
  int fd_ = -1;
  uint64_t size_ = 0;
  std::vector<std::pair<const uint8_t*, size_t>> gathered_;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_OUTPUT_FILE_H_
