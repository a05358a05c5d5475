// A file through which a program that atc starts gets or gives data.
#ifndef GE_COMPILER_TEMPORARY_FILE_H_
#define GE_COMPILER_TEMPORARY_FILE_H_

#include <string>
#include <string_view>

namespace ge::compiler {

// In $TMPDIR, else /tmp; readable by its owner alone; gone with this object.
class TemporaryFile {
 public:
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  // False where the file could not be made or takes no more; errno says why.
  bool Write(std::string_view text) const;
  // What is in it; empty where it could not be made.
  std::string Read() const;

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_TEMPORARY_FILE_H_
