#include "loader/candidates.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/log.h"
#include "base/strings.h"
#include "loader/fallback.h"

namespace ge::loader {
namespace {

constexpr char kModule[] = "loader";

bool IsFolder(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

bool Exists(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0;
}

std::string RealPath(const std::string& path) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

std::string_view Parent(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view LastPart(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<std::string> SubFolders(const std::string& folder) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), &::closedir);
  if (!dir) return names;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void Consider(const ArtifactKind& kind, const std::string& folder, const RuntimeKey& key, bool any_version,
              Candidates& out) {
  auto set = ReadArtifactSet(folder);
  Status status = set.ok() ? CheckArtifactSet(kind, set.value(), key) : set.status();
  if (status.ok() && !any_version) status = CheckVersion(set.value());
  if (status.ok()) {
    GE_LOG(LogLevel::kInfo, kModule, "artifact set '", folder, "' fits Python ",
           ToString(key.version));
    out.fitting.push_back(std::move(set).value());
    return;
  }
  out.passed_over.push_back(
      StrCat("artifact set '", folder, "' was passed over: ", status.message()));
  GE_LOG(LogLevel::kWarning, kModule, out.passed_over.back());
}

}  // namespace

std::vector<std::string> PackageFolders(std::string_view library_path,
                                        std::string_view python_path) {
  std::vector<std::string> folders;
  auto add = [&](const std::string& folder) {
    if (folder.empty() || !IsFolder(folder)) return;
    std::string real = RealPath(folder);
    if (std::find(folders.begin(), folders.end(), real) == folders.end())
      folders.push_back(std::move(real));
  };
  if (!library_path.empty()) {
    const std::string_view home = Parent(library_path);
    add(std::string(LastPart(home) == "ge" ? home : Parent(home)));
  }
  for (const std::string_view entry : Split(python_path, ':')) {
    if (entry.empty()) continue;
    add(LastPart(entry) == "ge" ? std::string(entry) : StrCat(entry, "/ge"));
  }
  return folders;
}

std::string ThisLibraryPath() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&ThisLibraryPath), &info) == 0 || info.dli_fname == nullptr)
    return "";
  return RealPath(info.dli_fname);
}

std::string PackageParent(const std::string& artifact_dir) {
  const std::string library = ThisLibraryPath();
  for (std::string_view path : {std::string_view(library), std::string_view(artifact_dir)}) {
    while (!path.empty()) {
      const std::string_view parent = Parent(path);
      if (path.size() > parent.size() && path.substr(parent.size()) == "/ge") return std::string(parent);
      path = parent;
    }
  }
  return "";
}

Candidates FindArtifactSets(const ArtifactKind& kind, const RuntimeKey& key) {
  Candidates out;
  if (const std::string folder = Environment(kind.override_variable); !folder.empty()) {
    out.searched.push_back(folder);
    Consider(kind, folder, key, kind.any_version_by_override, out);
  }
  for (const std::string& package : PackageFolders(ThisLibraryPath(), Environment("PYTHONPATH"))) {
    const std::string sets = StrCat(package, "/", std::string_view(kind.sets_folder));
    out.searched.push_back(sets);
    if (Exists(sets + "/manifest.json")) Consider(kind, sets, key, /*any_version=*/false, out);
    for (const std::string& name : SubFolders(sets)) {
      const std::string folder = StrCat(sets, "/", name);
      if (Exists(folder + "/manifest.json")) Consider(kind, folder, key, /*any_version=*/false, out);
    }
  }
  if (!kind.compiled_here || !FallbackIsOn()) return out;
  auto cached = CachedSets(key);
  if (!cached.ok()) {
    out.passed_over.push_back(cached.status().message());
    GE_LOG(LogLevel::kWarning, kModule, out.passed_over.back());
    return out;
  }
  if (!cached.value().empty()) out.searched.push_back(FallbackCache());
  for (const std::string& folder : cached.value()) Consider(kind, folder, key, /*any_version=*/false, out);
  return out;
}

}  // namespace ge::loader
