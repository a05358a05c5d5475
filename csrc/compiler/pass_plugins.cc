#include "compiler/pass_plugins.h"

#include <cstdlib>

#include "base/mapped_file.h"
#include "base/strings.h"
#include "compiler/folders.h"

namespace ge::compiler {
namespace {

constexpr std::string_view kGroup = "[ge.passes.plugins]";

// Whether the file has an entry in the group.
bool HasPlugins(const std::string& entry_points) {
  if (!IsRegularFile(entry_points)) return false;
  auto file = MappedFile::Open(entry_points);
  if (!file.ok()) return false;
  bool inside = false;
  for (std::string_view line : Split(file.value()->bytes(), '\n')) {
    line = Trim(line);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      inside = line == kGroup;
    } else if (inside) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> FindPassPlugins() {
  std::vector<std::string> folders = {ParentOf(PackageFolder())};
  if (const char* more = std::getenv("PYTHONPATH")) {
    for (std::string_view folder : Split(more, ':')) {
      if (!folder.empty() && NormalPath(folder) != folders.front()) folders.emplace_back(folder);
    }
  }
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    for (const std::string& child : Children(folder)) {
      if (!HasExtension(child, ".dist-info") && !HasExtension(child, ".egg-info")) continue;
      if (HasPlugins(JoinPath(child, "entry_points.txt"))) found.push_back(child);
    }
  }
  return found;
}

}  // namespace ge::compiler
