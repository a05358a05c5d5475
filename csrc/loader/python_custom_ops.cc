#include "loader/python_custom_ops.h"

#include <mutex>
#include <optional>

#include "base/log.h"
#include "base/strings.h"
#include "loader/bridge_opener.h"
#include "loader/interpreter.h"

namespace ge::loader {
namespace {

constexpr char kModule[] = "loader";
constexpr char kUser[] = "python custom ops";
// Custom operators that cannot be loaded.
constexpr char kErrorId[] = "E13029";

using Api = custom_op::PythonCustomOpBridgeApi;

// Recursive: a plugin may itself compile while it is imported.
struct Loader {
  std::recursive_mutex mutex;
  std::optional<OpenBridge> bridge;
  bool registering = false;

  const Api& api() const { return bridge->library->table<Api>(); }
};

// Never destroyed: the bridge's table must outlive whatever runs at exit.
Loader& State() {
  static Loader* loader = new Loader;
  return *loader;
}

Status Configure(const BridgeLibrary& library, const ArtifactSet& set) {
  const custom_op::PythonCustomOpBridgeArtifactConfig config = {set.root.c_str(), set.native.c_str()};
  const uint32_t status = library.table<Api>().set_artifact_config(&config);
  if (status == 0) return Status::Ok();
  return Status::Error(StrCat("bridge '", set.bridge, "' refuses the set with status '", status, "'"));
}

Status Unavailable(std::string_view reason) {
  return Status::Error(StrCat("Python operators are not available: ", reason), kErrorId);
}

}  // namespace

Status LoadPythonCustomOps(const CustomOpHooks& hooks) {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  if (loader.registering) return Status::Ok();
  if (!loader.bridge) {
    auto bridge = OpenFittingBridge(CustomOpArtifacts(), kUser, &Configure);
    if (!bridge.ok()) return Unavailable(bridge.status().message());
    loader.bridge = std::move(bridge).value();
  } else if (!InterpreterManager::Get().IsRunning()) {
    return Unavailable("the interpreter of this process has been finalised; start a new process");
  }
  static_cast<void>(hooks.take_problem());  // of an earlier failure that nobody asked about
  loader.registering = true;
  const uint32_t status = loader.api().register_custom_ops(hooks.registrar);
  loader.registering = false;
  if (status == 0) return Status::Ok();
  std::string problem = hooks.take_problem();
  if (problem.empty()) problem = StrCat("the bridge gave status '", status, "' without a reason");
  GE_LOG(LogLevel::kError, kModule, "cannot load Python operators: ", problem);
  return Status::Error(StrCat("cannot load Python operators: ", problem), kErrorId);
}

void UnloadPythonCustomOps(const CustomOpHooks& hooks) {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  if (loader.registering) {
    GE_LOG(LogLevel::kInfo, kModule, "Python operators are not unloaded: a plugin that is being imported asks for it");
    return;
  }
  GE_LOG(LogLevel::kInfo, kModule, "unloading Python operators");
  hooks.clear();
  if (loader.bridge && InterpreterManager::Get().IsRunning()) loader.api().reset_bridge_state();
}

void ShutdownPythonCustomOpsForProcess() {
  Loader& loader = State();
  std::lock_guard<std::recursive_mutex> lock(loader.mutex);
  if (!loader.bridge || loader.registering) return;
  GE_LOG(LogLevel::kInfo, kModule, "shutting the bridge of Python operators down");
  InterpreterManager& manager = InterpreterManager::Get();
  if (manager.IsRunning()) {
    loader.api().shutdown_bridge();
    loader.bridge->library->KeepOpen();
  }
  loader.bridge.reset();
  manager.Release(kUser);
}

}  // namespace ge::loader
