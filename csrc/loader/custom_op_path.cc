#include "loader/custom_op_path.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/strings.h"

namespace ge::loader {
namespace {

constexpr char kModule[] = "loader";
constexpr char kVariable[] = "ASCEND_CUSTOM_OPP_PATH";

std::string_view Reason(int error) { return std::strerror(error); }

bool IsPythonFile(std::string_view path) {
  constexpr std::string_view kSuffix = ".py";
  return path.size() > kSuffix.size() && path.substr(path.size() - kSuffix.size()) == kSuffix;
}

// White space of any kind, as the Python side strips it.
std::string_view Stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Links are followed.
bool IsEntry(const std::string& folder, std::string_view name) {
  if (name.empty() || name.front() == '_' || name == "." || name == "..") return false;
  const std::string path = StrCat(folder, "/", name);
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) {
    GE_LOG(LogLevel::kInfo, kModule, "'", path, "' is skipped while looking for Python operators: ", Reason(errno));
    return false;
  }
  if (S_ISREG(st.st_mode)) return IsPythonFile(path);
  return S_ISDIR(st.st_mode) && ::stat((path + "/__init__.py").c_str(), &st) == 0;
}

bool HasEntry(const std::string& path, const struct stat& st) {
  if (S_ISREG(st.st_mode)) return IsPythonFile(path);
  if (!S_ISDIR(st.st_mode)) return false;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (folder == nullptr) {
    GE_LOG(LogLevel::kInfo, kModule, "folder '", path, "' of ", std::string_view(kVariable),
           " cannot be read: ", Reason(errno));
    return false;
  }
  while (const dirent* entry = ::readdir(folder.get())) {
    if (IsEntry(path, entry->d_name)) return true;
  }
  return false;
}

}  // namespace

Result<bool> CheckNeedLoadPythonCustomOps() {
  const char* value = std::getenv(kVariable);
  if (value == nullptr || *value == '\0') {
    GE_LOG(LogLevel::kInfo, kModule, "no Python operators: ", std::string_view(kVariable), " is empty");
    return false;
  }
  for (std::string_view element : Split(value, ':')) {
    const std::string path(Stripped(element));
    if (path.empty()) continue;
    struct stat st {};
    if (::stat(path.c_str(), &st) == 0) {
      if (HasEntry(path, st)) return true;
      continue;
    }
    const int error = errno;
    if (IsPythonFile(path)) {
      return Status::Error(StrCat("cannot load Python operators from '", path, "', which ", std::string_view(kVariable),
                                  " names: expected a file, found none that can be reached: ", Reason(error),
                                  "; correct the path or take it out"),
                           "E13024");
    }
    GE_LOG(LogLevel::kWarning, kModule, "'", path, "' of ", std::string_view(kVariable),
           " is skipped: ", Reason(error));
  }
  GE_LOG(LogLevel::kInfo, kModule, "no Python operators: nothing that ", std::string_view(kVariable),
         " names holds any");
  return false;
}

std::vector<std::string> CustomOpPaths() {
  std::vector<std::string> paths;
  const char* value = std::getenv(kVariable);
  for (std::string_view element : Split(value == nullptr ? "" : value, ':')) {
    std::string path(Stripped(element));
    struct stat st {};
    if (!path.empty() && ::stat(path.c_str(), &st) == 0) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace ge::loader
