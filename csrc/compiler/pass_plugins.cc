#include "compiler/pass_plugins.h"

#include <cstdlib>
#include <filesystem>

#include "base/mapped_file.h"
#include "base/strings.h"
#include "compiler/folders.h"

namespace ge::compiler {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kGroup = "[ge.passes.plugins]";

// Whether the file has an entry in the group.
bool HasPlugins(const fs::path& entry_points) {
  std::error_code error;
  if (!fs::is_regular_file(entry_points, error)) return false;
  auto file = MappedFile::Open(entry_points.string());
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
  std::vector<fs::path> folders = {PackageFolder().parent_path()};
  if (const char* more = std::getenv("PYTHONPATH")) {
    for (std::string_view folder : Split(more, ':')) {
      if (!folder.empty() && fs::path(folder).lexically_normal() != folders.front()) folders.emplace_back(folder);
    }
  }
  std::vector<std::string> found;
  for (const fs::path& folder : folders) {
    for (const fs::path& child : Children(folder)) {
      if (child.extension() != ".dist-info" && child.extension() != ".egg-info") continue;
      if (HasPlugins(child / "entry_points.txt")) found.push_back(child.string());
    }
  }
  return found;
}

}  // namespace ge::compiler
