#include "compiler/folders.h"

#include <dirent.h>
#include <dlfcn.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/strings.h"

namespace ge::compiler {
namespace {

std::string Absolute(const char* path) {
  if (*path == '/') return path;
  std::unique_ptr<char, decltype(&::free)> here(::getcwd(nullptr, 0), &::free);
  return here ? JoinPath(here.get(), path) : path;
}

bool IsKind(const std::string& path, mode_t kind) {
  struct stat st{};
  return ::stat(path.c_str(), &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

}  // namespace

std::string PackageFolder() {
  Dl_info info{};
  static const char here = 0;
  if (::dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  // <package>/lib/libge_compiler.so; what a link stands for is another installation's business.
  return ParentOf(ParentOf(NormalPath(Absolute(info.dli_fname))));
}

std::vector<std::string> Children(const std::string& folder) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) return {};
  while (const dirent* entry = ::readdir(open.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  for (std::string& name : names) name = JoinPath(folder, name);
  return names;
}

std::string TemporaryRoot() {
  const char* given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  return StrCat(folder, folder.empty() || folder.back() == '/' ? "" : "/", name);
}

std::string ParentOf(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  while (slash > 0 && path[slash - 1] == '/') --slash;
  return std::string(path.substr(0, std::max<size_t>(slash, 1)));
}

std::string NormalPath(std::string_view path) {
  const bool absolute = path.substr(0, 1) == "/";
  std::vector<std::string_view> kept;
  for (std::string_view name : Split(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (name != ".." || !absolute) {
      kept.push_back(name);
    }
  }
  std::string normal = absolute ? "/" : "";
  for (std::string_view name : kept) normal = JoinPath(normal, name);
  return normal.empty() && !path.empty() ? "." : normal;
}

bool HasExtension(std::string_view path, std::string_view extension) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.size() > extension.size() && name.substr(name.size() - extension.size()) == extension;
}

bool IsFolder(const std::string& path) { return IsKind(path, S_IFDIR); }

bool IsRegularFile(const std::string& path) { return IsKind(path, S_IFREG); }

int MakeFolders(const std::string& folder) {
  struct stat st{};
  if (::stat(folder.c_str(), &st) == 0) return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
  if (errno != ENOENT) return errno;
  const std::string parent = ParentOf(folder);
  if (!parent.empty() && parent != folder) {
    if (int failed = MakeFolders(parent)) return failed;
  }
  if (::mkdir(folder.c_str(), 0777) == 0) return 0;
  // Somebody else was faster.
  const int failed = errno;
  return failed == EEXIST && IsFolder(folder) ? 0 : failed;
}

void RemoveFolder(const std::string& folder) {
  ::nftw(
      folder.c_str(), [](const char* path, const struct stat*, int, FTW*) { return ::remove(path), 0; }, 16,
      FTW_DEPTH | FTW_PHYS);
}

}  // namespace ge::compiler
