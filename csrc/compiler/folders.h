// Folders that the compiler looks into and makes.
//
// Not std::filesystem: its symbols are those of libstdc++ 9, and the wheel promises to run with that of gcc 8.
#ifndef GE_COMPILER_FOLDERS_H_
#define GE_COMPILER_FOLDERS_H_

#include <string>
#include <string_view>
#include <vector>

namespace ge::compiler {

// The folder of the package `ge` that this library belongs to.
std::string PackageFolder();
// What is in the folder, by name; nothing if it cannot be read.
std::vector<std::string> Children(const std::string& folder);

// $TMPDIR, else /tmp.
std::string TemporaryRoot();

// The path of `name` in a folder; the name alone if the folder is empty.
std::string JoinPath(std::string_view folder, std::string_view name);
// "/a" for "/a/b", "/" for "/a", nothing for "a".
std::string ParentOf(std::string_view path);
// Without ".", "..", doubled slashes and one at the end, as text: links are not followed.
std::string NormalPath(std::string_view path);
// Whether the last name of the path is more than the extension and ends with it.
bool HasExtension(std::string_view path, std::string_view extension);
bool IsFolder(const std::string& path);
bool IsRegularFile(const std::string& path);
// The folder and those it lies in; 0 if it is there in the end, else an errno.
int MakeFolders(const std::string& folder);
// A folder with all that is in it, as far as that is allowed.
void RemoveFolder(const std::string& folder);

}  // namespace ge::compiler

#endif  // GE_COMPILER_FOLDERS_H_
