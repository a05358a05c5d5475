#include "loader/fallback.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/strings.h"
#include "loader/artifact_set.h"

namespace ge::loader {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// What is loaded from it must be this user's doing.
Status CheckPrivate(const std::string& folder, mode_t forbidden) {
  struct stat st {};
  if (::lstat(folder.c_str(), &st) != 0 || !S_ISDIR(st.st_mode))
    return Status::Error(StrCat("cache folder '", folder, "' is no folder; remove it"));
  if (st.st_uid != ::geteuid()) {
    return Status::Error(StrCat("cache folder '", folder, "' belongs to user '", st.st_uid,
                                "', expected '", ::geteuid(),
                                "'; set XDG_CACHE_HOME to a folder of your own"));
  }
  if ((st.st_mode & forbidden) != 0) {
    return Status::Error(StrCat("others can change what is in cache folder '", folder,
                                "'; run 'chmod go-rwx ", folder, "' or remove it"));
  }
  return Status::Ok();
}

}  // namespace

bool FallbackIsOn() { return Environment("GE_PY_FALLBACK") != "0"; }

std::string FallbackCache() {
  std::string home = Environment("XDG_CACHE_HOME");
  if (home.empty() || home.front() != '/') {
    home = Environment("HOME");
    if (home.empty()) return "";
    home += "/.cache";
  }
  return home + "/ge-py/bridges";
}

Result<std::vector<std::string>> CachedSets(const RuntimeKey& key) {
  std::vector<std::string> found;
  const std::string cache = FallbackCache();
  if (cache.empty() || (::access(cache.c_str(), F_OK) != 0 && errno == ENOENT)) return found;
  GE_RETURN_IF_ERROR(CheckPrivate(cache.substr(0, cache.rfind('/')), 022));
  GE_RETURN_IF_ERROR(CheckPrivate(cache, 077));
  const std::string prefix = StrCat("cp", key.version.major, key.version.minor,
                                    key.free_threaded ? "t" : "", "-", ThisPlatform(), "-");
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(cache.c_str()), &::closedir);
  if (!dir) return found;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (std::string_view(entry->d_name).substr(0, prefix.size()) == prefix)
      found.push_back(StrCat(cache, "/", std::string_view(entry->d_name)));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace ge::loader
