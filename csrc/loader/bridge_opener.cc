#include "loader/bridge_opener.h"

#include <vector>

#include "base/log.h"
#include "base/strings.h"
#include "loader/candidates.h"
#include "loader/fallback.h"
#include "loader/interpreter.h"

namespace ge::loader {
namespace {

constexpr char kModule[] = "loader";

// nanobind, which a set is compiled with, needs this Python.
constexpr PythonVersion kFallbackFloor{3, 10};
constexpr int kFallbackBeyond = 4;

Result<std::unique_ptr<BridgeLibrary>> OpenSet(const ArtifactKind& kind, const ArtifactSet& set, const RuntimeKey& key,
                                               ConfigureFn configure) {
  // What is in the process decides, whatever the probe said before.
  GE_RETURN_IF_ERROR(CheckArtifactSet(kind, set, key));
  GE_ASSIGN_OR_RETURN(auto library, BridgeLibrary::Open(kind, set.bridge));
  GE_RETURN_IF_ERROR(configure(*library, set));
  return library;
}

bool CanBeCompiled(const ArtifactKind& kind, PythonVersion version) {
  return kind.compiled_here && FallbackIsOn() && !(version < kFallbackFloor) && version.major < kFallbackBeyond;
}

// The last resort: a set that Python compiles for this very interpreter.
Result<ArtifactSet> CompileSet() {
  if (!FallbackIsOn()) return Status::Error("turned off by GE_PY_FALLBACK=0");
  GE_ASSIGN_OR_RETURN(const std::string folder, BuildFallbackSet(PackageParent("")));
  return ReadArtifactSet(folder);
}

Status NoneFits(const Candidates& candidates, const RuntimeKey& key) {
  return Status::Error(
      StrCat("no artifact set for Python ", ToString(key.version), " (", key.source, ") among: ",
             candidates.passed_over.empty() ? "none found" : Join(candidates.passed_over, "; "), "; searched '",
             Join(candidates.searched, "', '"),
             "'; choose another Python with GE_PYTHON_EXECUTABLE, or reinstall the wheel of ge-py that fits this "
             "machine"));
}

}  // namespace

Result<OpenBridge> OpenFittingBridge(const ArtifactKind& kind, std::string_view user, ConfigureFn configure) {
  InterpreterManager& manager = InterpreterManager::Get();
  GE_ASSIGN_OR_RETURN(const RuntimeKey foreseen, manager.Foresee());
  const Candidates candidates = FindArtifactSets(kind, foreseen);
  Status none = Status::Ok();
  if (candidates.fitting.empty()) {
    none = NoneFits(candidates, foreseen);
    // Nothing is started that could not use a set of its own either.
    if (!CanBeCompiled(kind, foreseen.version)) return none;
  }
  auto acquired = manager.Acquire(user);
  if (!acquired.ok()) return none.ok() ? acquired.status() : acquired.status().WithContext(none.message());
  OpenBridge open{nullptr, "", std::move(acquired).value()};
  std::vector<std::string> problems;
  if (!none.ok()) problems.push_back(none.message());
  for (const ArtifactSet& set : candidates.fitting) {
    auto library = OpenSet(kind, set, open.key, configure);
    if (library.ok()) {
      GE_LOG(LogLevel::kInfo, kModule, "loaded artifact set '", set.root, "' into Python ",
             ToString(open.key.version));
      open.artifact_dir = set.root;
      open.library = std::move(library).value();
      return open;
    }
    problems.push_back(StrCat("artifact set '", set.root, "': ", library.status().message()));
    GE_LOG(LogLevel::kWarning, kModule, problems.back());
  }
  if (kind.compiled_here) {
    auto set = CompileSet();
    auto library = set.ok() ? OpenSet(kind, set.value(), open.key, configure) : set.status();
    if (library.ok()) {
      open.artifact_dir = set.value().root;
      open.library = std::move(library).value();
      return open;
    }
    problems.push_back(StrCat("an artifact set compiled on this machine: ", library.status().message()));
  }
  manager.Release(user);
  return Status::Error(Join(problems, "; "));
}

}  // namespace ge::loader
