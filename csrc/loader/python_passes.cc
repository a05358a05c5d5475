#include "loader/python_passes.h"

#include <memory>
#include <mutex>

#include "base/log.h"
#include "base/strings.h"
#include "loader/bridge_library.h"
#include "loader/candidates.h"
#include "loader/fallback.h"
#include "loader/interpreter.h"

namespace ge::loader {
namespace {

constexpr char kModule[] = "loader";
constexpr char kUser[] = "python passes";

// Recursive: a pass file may itself run passes while it is imported.
struct Loader {
  std::recursive_mutex mutex;
  int users = 0;
  bool keep = false;
  bool shut_down = false;
  std::unique_ptr<BridgeLibrary> bridge;
  std::string artifact_dir;
  RuntimeKey key;
};

// Never destroyed: the bridge's table must outlive whatever runs at exit.
Loader& State() {
  static Loader* loader = new Loader;
  return *loader;
}

std::string_view Text(const char* text) { return text ? text : ""; }

class ProblemSink {
 public:
  explicit ProblemSink(std::vector<LoadProblem>* out) : sink_{out, &Report} {}
  const ge_error_sink* get() const { return &sink_; }

 private:
  static void Report(void* user, const char* source, const char* hook, const char* message,
                     const char* traceback, int32_t interrupt) {
    auto* out = static_cast<std::vector<LoadProblem>*>(user);
    out->push_back({std::string(Text(source)), std::string(Text(hook)), std::string(Text(message)),
                    std::string(Text(traceback)), interrupt != 0});
    GE_LOG(LogLevel::kError, kModule, Text(source), ": ", Text(hook), ": ", Text(message));
  }

  ge_error_sink sink_;
};

std::string_view ParentFolder(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash == 0 ? std::string_view() : path.substr(0, slash);
}

// <parent>/ge/lib/libge_compiler.so or <parent>/ge/passes/python_pass_artifacts/<set>: <parent>.
std::string PackageParent(const std::string& artifact_dir) {
  const std::string library = ThisLibraryPath();
  for (std::string_view path : {std::string_view(library), std::string_view(artifact_dir)}) {
    while (!path.empty()) {
      const std::string_view parent = ParentFolder(path);
      if (path.size() > parent.size() && path.substr(parent.size()) == "/ge")
        return std::string(parent);
      path = parent;
    }
  }
  return "";
}

Status OpenSet(Loader& loader, const ArtifactSet& set) {
  // What is in the process decides, whatever the probe said before.
  GE_RETURN_IF_ERROR(CheckArtifactSet(set, loader.key));
  GE_ASSIGN_OR_RETURN(auto bridge, BridgeLibrary::Open(set.bridge));
  std::vector<LoadProblem> problems;
  const std::string parent = PackageParent(set.root);
  if (bridge->table().set_artifacts(set.root.c_str(), parent.c_str(),
                                    ProblemSink(&problems).get()) != 0) {
    std::string text = problems.empty() ? "no reason was given" : problems.back().message;
    if (!problems.empty() && !problems.back().traceback.empty())
      text += "\n" + problems.back().traceback;
    return Status::Error(StrCat("bridge '", set.bridge, "' refuses the set: ", text));
  }
  loader.artifact_dir = set.root;
  loader.bridge = std::move(bridge);
  return Status::Ok();
}

// nanobind, which a set is compiled with, needs this Python.
constexpr PythonVersion kFallbackFloor{3, 10};
constexpr int kFallbackBeyond = 4;

// The last resort: a set that Python compiles for this very interpreter.
Status OpenCompiledSet(Loader& loader) {
  if (!FallbackIsOn()) return Status::Error("turned off by GE_PY_FALLBACK=0");
  GE_ASSIGN_OR_RETURN(const std::string folder, BuildFallbackSet(PackageParent("")));
  GE_ASSIGN_OR_RETURN(const ArtifactSet set, ReadArtifactSet(folder));
  return OpenSet(loader, set);
}

Status OpenBridge(Loader& loader) {
  InterpreterManager& manager = InterpreterManager::Get();
  GE_ASSIGN_OR_RETURN(const RuntimeKey foreseen, manager.Foresee());
  const Candidates candidates = FindArtifactSets(foreseen);
  Status none = Status::Ok();
  if (candidates.fitting.empty()) {
    none = Status::Error(
        StrCat("no artifact set for Python ", ToString(foreseen.version), " (", foreseen.source,
               ") among: ",
               candidates.passed_over.empty() ? "none found" : Join(candidates.passed_over, "; "),
               "; searched '", Join(candidates.searched, "', '"),
               "'; choose another Python with GE_PYTHON_EXECUTABLE, or reinstall the wheel of "
               "ge-py that fits this machine"));
    // Nothing is started that could not use a set of its own either.
    if (!FallbackIsOn() || foreseen.version < kFallbackFloor || kFallbackBeyond <= foreseen.version.major)
      return none;
  }
  auto acquired = manager.Acquire(kUser);
  if (!acquired.ok()) return none.ok() ? acquired.status() : acquired.status().WithContext(none.message());
  loader.key = std::move(acquired).value();
  std::vector<std::string> problems;
  if (!none.ok()) problems.push_back(none.message());
  for (const ArtifactSet& set : candidates.fitting) {
    const Status status = OpenSet(loader, set);
    if (status.ok()) {
      GE_LOG(LogLevel::kInfo, kModule, "loaded artifact set '", set.root, "' into Python ",
             ToString(loader.key.version));
      return status;
    }
    problems.push_back(StrCat("artifact set '", set.root, "': ", status.message()));
    GE_LOG(LogLevel::kWarning, kModule, problems.back());
  }
  const Status compiled = OpenCompiledSet(loader);
  if (compiled.ok()) return compiled;
  problems.push_back(StrCat("an artifact set compiled on this machine: ", compiled.message()));
  manager.Release(kUser);
  return Status::Error(Join(problems, "; "));
}

}  // namespace

Result<LoadOutcome> LoadPythonPasses(const ge_pass_registrar& registrar, bool keep) {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  if (loader.shut_down)
    return Status::Error("Python passes have been shut down in this process; start a new one");
  if (loader.bridge == nullptr) {
    if (Status status = OpenBridge(loader); !status.ok())
      return status.WithContext("Python passes are not available");
  } else if (!InterpreterManager::Get().IsRunning()) {
    return Status::Error(
        "Python passes are not available: the interpreter of this process has been finalised");
  }
  LoadOutcome outcome;
  outcome.artifact_dir = loader.artifact_dir;
  outcome.python = loader.key.version;
  const int32_t passes =
      loader.bridge->table().register_passes(&registrar, ProblemSink(&outcome.problems).get());
  if (passes < 0) {
    const std::string why =
        outcome.problems.empty() ? "no reason was given" : outcome.problems.back().message;
    return Status::Error(StrCat("Python passes are not available: ", why));
  }
  outcome.passes = passes;
  if (keep) {
    loader.keep = true;
  } else {
    ++loader.users;
  }
  return outcome;
}

void UnloadPythonPasses(void (*before)()) {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  if (loader.users == 0) {
    GE_LOG(LogLevel::kWarning, kModule, "Python passes are unloaded more often than loaded");
    return;
  }
  if (--loader.users > 0 || loader.keep) return;
  before();
  if (loader.bridge != nullptr && InterpreterManager::Get().IsRunning())
    loader.bridge->table().reset();
}

void ShutdownForProcess() {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  InterpreterManager& manager = InterpreterManager::Get();
  loader.shut_down = true;
  loader.users = 0;
  if (loader.bridge != nullptr) {
    if (manager.IsRunning()) loader.bridge->table().shutdown();
    manager.Release(kUser);
  }
  const bool finalized = manager.FinalizeIfUnused();
  // An interpreter that lives on may still hold objects whose code is in the bridge: then it stays
  // loaded.
  if (!finalized) static_cast<void>(loader.bridge.release());
  loader.bridge.reset();
}

}  // namespace ge::loader
