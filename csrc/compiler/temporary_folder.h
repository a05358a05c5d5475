// A folder for models that are only made to be compared.
#ifndef GE_COMPILER_TEMPORARY_FOLDER_H_
#define GE_COMPILER_TEMPORARY_FOLDER_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace ge::compiler {

// In $TMPDIR, else /tmp; made when the first file in it is asked for, gone with this object and with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // The path of a file in it. (E13001)
  Result<std::string> File(std::string_view name);

 private:
  std::string path_;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_TEMPORARY_FOLDER_H_
