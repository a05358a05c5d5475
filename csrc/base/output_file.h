// Output files that appear whole or not at all.
#ifndef GE_BASE_OUTPUT_FILE_H_
#define GE_BASE_OUTPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"

namespace ge {

// Written beside the target without a name (under a temporary one where the file system can't), put in its place by
// Commit, gone otherwise. A process that is killed leaves the old file, or the new one.
class OutputFile {
 public:
  using Sources = std::vector<std::shared_ptr<const MappedFile>>;
  // `sources`: mapped files that payloads may lie in; large ones are copied from file to file by the kernel, so that they
  // never count as memory of the process. May be null.
  explicit OutputFile(const Sources* sources) : sources_(sources) {}
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Errors (E13001, E13004) name the path and the system's reason.
  Status Create(const std::string& path);
  // Says how long the file will be, for file systems that find room for it at once. Not more than a hint.
  void Reserve(uint64_t size);
  // Appends. Small pieces are gathered and pieces of sources put off; they must live until Flush.
  Status Write(const uint8_t* data, size_t size);
  // Fills with zeros up to `offset`.
  Status PadTo(uint64_t offset);
  Status Flush();
  // Gives the file the name it was created for, in place of what has it. Nothing is written afterwards.
  Status Commit() { return CommitAs(path_); }
  // As Commit, under another name in the same folder; may be called for several.
  Status CommitAs(const std::string& path);

 private:
  Status Fail(const char* what) const;
  Status WriteDirectly(const uint8_t* data, size_t size);
  // Neighbours in a source that go out as neighbours: one call for all of them is up to twice as fast as one for each.
  struct Run {
    const MappedFile* source = nullptr;
    const uint8_t* data = nullptr;
    size_t size = 0;
  };
  Status CopyRun();
  // Writes what the kernel takes of it, straight from file to file. The rest is the caller's.
  Result<size_t> CopyInKernel(const Run& run);
  const MappedFile* SourceOf(const uint8_t* data, size_t size) const;
  void ReleaseSources();

  const Sources* sources_;
  std::string path_;
  bool unnamed_ = false;
  std::string temporary_, committed_;  // names of a file that had to be made with one
  int fd_ = -1;
  uint64_t size_ = 0;
  Run run_;             // is written before what is gathered
  size_t touched_ = 0;  // bytes of sources read through their mapping since they were last released
  std::vector<std::pair<const uint8_t*, size_t>> gathered_;
};

}  // namespace ge

#endif  // GE_BASE_OUTPUT_FILE_H_
