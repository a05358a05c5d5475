#include "base/trust.h"

#include <sys/stat.h>

#include "base/strings.h"

namespace ge {
namespace {

std::string Check(const std::string& path, bool named) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return "";
  // Files of others in a sticky folder can't be replaced.
  if (!named && (st.st_mode & S_ISVTX) != 0) return "";
  if ((st.st_mode & S_IWOTH) != 0) return StrCat("'", path, "' can be written to by everybody");
  if ((st.st_mode & S_IWGRP) != 0) return StrCat("'", path, "' can be written to by its group");
  return "";
}

}  // namespace

std::string WritableByOthers(const std::string& path) {
  std::string found = Check(path, true);
  struct stat st {};
  if (!found.empty() || ::stat(path.c_str(), &st) != 0 || S_ISDIR(st.st_mode)) return found;
  size_t slash = path.rfind('/');
  return Check(slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash), false);
}

}  // namespace ge
