// Where the result goes, and whether it can go there, found out before the long work.
#ifndef GE_COMPILER_OUTPUT_PATH_H_
#define GE_COMPILER_OUTPUT_PATH_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace ge::compiler {

// `output` with the suffix, which is not added twice. Refused: no file name (E10022), too long
// (E10021).
Result<std::string> OutputFile(const std::string& output, std::string_view suffix);
// Its folder, or the nearest one above it that exists, takes new files, and `file` can be replaced. Leaves nothing behind.
// (E10001)
Status CheckWritable(const std::string& file, std::string_view option = "--output");
// Creates the missing folders above `file`. (E13004)
Status CreateFolders(const std::string& file);
// An input that `file` would replace. (E10001)
Status CheckKeepsInput(const std::string& file, std::string_view option, const std::string& input,
                       std::string_view input_option);
// Puts the file there whole or not at all, with its folders. (E13004)
Status WriteTextFile(const std::string& file, std::string_view text);
// Whether both paths lead to one existing file.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace ge::compiler

#endif  // GE_COMPILER_OUTPUT_PATH_H_
