#include "adapters/custom_op_loader.h"

#include "adapters/python_custom_op_registrar.h"
#include "base/log.h"
#include "loader/custom_op_path.h"
#include "loader/python_custom_ops.h"

namespace ge::adapters {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace

CustomOpLoader& CustomOpLoader::Get() {
  static auto* loader = new CustomOpLoader;  // never destroyed
  return *loader;
}

Status CustomOpLoader::Load() {
  Status status = loader::LoadPythonCustomOps(PythonCustomOpHooks());
  // Also when there were some before: what is half registered would be half of an operator.
  if (!status.ok()) loader::UnloadPythonCustomOps(PythonCustomOpHooks());
  python_custom_ops_loaded_ = status.ok();
  return status;
}

Status CustomOpLoader::LoadCustomOps(bool registered) {
  Lock lock(mutex_);
  if (active_users_ == 0) {
    GE_ASSIGN_OR_RETURN(const bool named, loader::CheckNeedLoadPythonCustomOps());
    if ((named || registered) && (!python_custom_ops_loaded_ || keep_)) GE_RETURN_IF_ERROR(Load());
  }
  ++active_users_;
  return Status::Ok();
}

Status CustomOpLoader::LoadPythonCustomOpsIfNeeded() {
  Lock lock(mutex_);
  GE_ASSIGN_OR_RETURN(const bool needed, loader::CheckNeedLoadPythonCustomOps());
  return needed ? Load() : Status::Ok();
}

Status CustomOpLoader::LoadPythonCustomOps() {
  Lock lock(mutex_);
  keep_ = true;
  return Load();
}

void CustomOpLoader::Unload() {
  if (python_custom_ops_loaded_) loader::UnloadPythonCustomOps(PythonCustomOpHooks());
  python_custom_ops_loaded_ = false;
  loader::ShutdownPythonCustomOpsForProcess();
}

void CustomOpLoader::UnloadCustomOps() {
  Lock lock(mutex_);
  if (active_users_ == 0) {
    GE_LOG(LogLevel::kWarning, "loader", "custom operators are unloaded more often than loaded");
    return;
  }
  if (--active_users_ == 0 && !keep_) Unload();
}

void CustomOpLoader::Shutdown() {
  Lock lock(mutex_);
  active_users_ = 0;
  keep_ = false;
  Unload();
}

}  // namespace ge::adapters
