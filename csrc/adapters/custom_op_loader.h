// Who needs custom operators, and for how long.
#ifndef GE_ADAPTERS_CUSTOM_OP_LOADER_H_
#define GE_ADAPTERS_CUSTOM_OP_LOADER_H_

#include <mutex>

#include "base/export.h"
#include "base/status.h"

namespace ge::adapters {

// Thread-safe; the GIL must not be held. A plugin may use it while it is imported: what it asks for is done by then.
class GE_API CustomOpLoader {
 public:
  static CustomOpLoader& Get();

  // Loads the Python operators of ASCEND_CUSTOM_OPP_PATH for the first user; counted when it succeeds: as many
  // UnloadCustomOps undo it. After an error nothing is registered.
  // registered: whether the process may have registered some itself, for which the variable need not be set.
  Status LoadCustomOps(bool registered = false);
  // Before a graph is compiled: takes up what the variable names since the last load. Not counted.
  Status LoadPythonCustomOpsIfNeeded();
  // The same whether or not the variable names any, for a process whose own Python code declares operators; they stay
  // until Shutdown.
  Status LoadPythonCustomOps();
  // At the last user: takes Python operators out of the core and shuts their bridge down. More calls than loads do
  // nothing.
  void UnloadCustomOps();
  // At the end of a process: the same, whoever uses them.
  void Shutdown();

 private:
  CustomOpLoader() = default;
  Status Load();
  void Unload();

  std::recursive_mutex mutex_;
  int active_users_ = 0;
  bool python_custom_ops_loaded_ = false;
  bool keep_ = false;  // the process itself uses them
};

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_CUSTOM_OP_LOADER_H_
