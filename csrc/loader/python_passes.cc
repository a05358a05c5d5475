#include "loader/python_passes.h"

#include <mutex>
#include <optional>

#include "base/log.h"
#include "base/strings.h"
#include "loader/bridge_opener.h"
#include "loader/candidates.h"
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
  std::optional<OpenBridge> bridge;

  const ge_python_bridge& table() const { return bridge->library->table<ge_python_bridge>(); }
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

Status Configure(const BridgeLibrary& library, const ArtifactSet& set) {
  std::vector<LoadProblem> problems;
  const std::string parent = PackageParent(set.root);
  const auto& table = library.table<ge_python_bridge>();
  if (table.set_artifacts(set.root.c_str(), parent.c_str(), ProblemSink(&problems).get()) == 0) return Status::Ok();
  std::string text = problems.empty() ? "no reason was given" : problems.back().message;
  if (!problems.empty() && !problems.back().traceback.empty()) text += "\n" + problems.back().traceback;
  return Status::Error(StrCat("bridge '", set.bridge, "' refuses the set: ", text));
}

}  // namespace

Result<LoadOutcome> LoadPythonPasses(const ge_pass_registrar& registrar, bool keep) {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  if (loader.shut_down)
    return Status::Error("Python passes have been shut down in this process; start a new one");
  if (!loader.bridge) {
    auto bridge = OpenFittingBridge(PassArtifacts(), kUser, &Configure);
    if (!bridge.ok()) return bridge.status().WithContext("Python passes are not available");
    loader.bridge = std::move(bridge).value();
  } else if (!InterpreterManager::Get().IsRunning()) {
    return Status::Error(
        "Python passes are not available: the interpreter of this process has been finalised");
  }
  LoadOutcome outcome;
  outcome.artifact_dir = loader.bridge->artifact_dir;
  outcome.python = loader.bridge->key.version;
  const int32_t passes = loader.table().register_passes(&registrar, ProblemSink(&outcome.problems).get());
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
  if (loader.bridge && InterpreterManager::Get().IsRunning()) loader.table().reset();
}

void ShutdownForProcess() {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  InterpreterManager& manager = InterpreterManager::Get();
  loader.shut_down = true;
  loader.users = 0;
  if (loader.bridge) {
    if (manager.IsRunning()) loader.table().shutdown();
    manager.Release(kUser);
  }
  const bool finalized = manager.FinalizeIfUnused();
  if (loader.bridge && !finalized) loader.bridge->library->KeepOpen();
  loader.bridge.reset();
}

}  // namespace ge::loader
