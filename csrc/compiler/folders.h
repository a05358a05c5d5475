// Folders that the compiler looks into.
#ifndef GE_COMPILER_FOLDERS_H_
#define GE_COMPILER_FOLDERS_H_

#include <filesystem>
#include <vector>

namespace ge::compiler {

// The folder of the package `ge` that this library belongs to.
std::filesystem::path PackageFolder();
// What is in the folder, by name; nothing if it cannot be read.
std::vector<std::filesystem::path> Children(const std::filesystem::path& folder);

// $TMPDIR, else /tmp.
std::filesystem::path TemporaryRoot();

}  // namespace ge::compiler

#endif  // GE_COMPILER_FOLDERS_H_
