#include "loader/artifact_set.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "base/mapped_file.h"
#include "base/strings.h"
#include "base/version.h"
#include "loader/build_id.h"

namespace ge::loader {
namespace {

std::string RealPath(const std::string& path) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : "";
}

Result<std::string> FileInside(const std::string& root, const std::string& name,
                               std::string_view what, std::optional<int64_t> size) {
  const std::string path = RealPath(StrCat(root, "/", name));
  struct stat st {};
  const bool inside = path.size() > root.size() && path.compare(0, root.size(), root) == 0 &&
                      path[root.size()] == '/';
  if (!inside || ::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) {
    return Status::Error(StrCat("its manifest names '", name, "' for '", what,
                                "', which is no file inside the set"));
  }
  // A library that was cut short ends the process when it is loaded.
  if (size && *size != st.st_size) {
    return Status::Error(
        StrCat("its file '", name, "' has '", st.st_size, "' bytes, expected '", *size, "'"));
  }
  return path;
}

}  // namespace

std::string ThisPlatform() {
  utsname name{};
  ::uname(&name);
  std::string system = name.sysname;
  for (char& c : system) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return StrCat(system, "-", std::string_view(name.machine));
}

Result<ArtifactSet> ReadArtifactSet(const std::string& folder) {
  ArtifactSet set;
  set.root = RealPath(folder);
  if (set.root.empty()) return Status::Error("there is no such folder");
  GE_ASSIGN_OR_RETURN(auto file, MappedFile::Open(set.root + "/manifest.json"));
  GE_ASSIGN_OR_RETURN(set.manifest, ParseManifest(file->bytes()));
  GE_ASSIGN_OR_RETURN(set.bridge, FileInside(set.root, set.manifest.bridge, "bridge", set.manifest.bridge_size));
  GE_ASSIGN_OR_RETURN(set.native, FileInside(set.root, set.manifest.native, "native", set.manifest.native_size));
  return set;
}

Status CheckArtifactSet(const ArtifactKind& kind, const ArtifactSet& set, const RuntimeKey& key) {
  const Manifest& m = set.manifest;
  const std::string pinned = StrCat("cp", key.version.major, key.version.minor, key.free_threaded ? "t" : "");
  const bool stable = m.python_abi == "abi3" || (key.free_threaded && m.python_abi == "abi3t");
  if (!stable && m.python_abi != pinned) {
    return Status::Error(StrCat("it is built for the Python ABI '", m.python_abi, "', expected '",
                                std::string_view(key.free_threaded ? "abi3t" : "abi3"), "' or '", pinned, "', the one of ",
                                key.source));
  }
  if (m.platform != ThisPlatform()) {
    return Status::Error(
        StrCat("it is built for '", m.platform, "', this is '", ThisPlatform(), "'"));
  }
  if (m.bridge_abi != kind.bridge_abi) {
    return Status::Error(StrCat("its bridge speaks ABI '", m.bridge_abi, "', this library needs '",
                                kind.bridge_abi, "'"));
  }
  if (!m.core.empty() && m.core != ThisBuildId()) {
    return Status::Error("it was compiled for another build of this library");
  }
  if (key.version.major != m.abi3_floor.major || key.version < m.abi3_floor) {
    return Status::Error(StrCat("it needs Python '", ToString(m.abi3_floor), "' or later, ",
                                key.source, " is '", ToString(key.version), "'"));
  }
  if (key.free_threaded && !m.free_threaded) {
    return Status::Error(
        StrCat("it needs an interpreter with a GIL, ", key.source, " is free-threaded"));
  }
  return Status::Ok();
}

Status CheckVersion(const ArtifactSet& set) {
  const std::string_view own = ThisVersion();
  if (set.manifest.ge_version == own) return Status::Ok();
  return Status::Error(
      StrCat("it belongs to ge-py '", set.manifest.ge_version, "', this library is of '", own, "'"));
}

}  // namespace ge::loader
