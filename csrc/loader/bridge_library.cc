#include "loader/bridge_library.h"

#include <dlfcn.h>

#include "base/strings.h"

namespace ge::loader {

Status CheckBridgeTable(const ge_python_bridge* table) {
  if (table == nullptr) return Status::Error("its entry function returned no table");
  if (table->abi_version != GE_BRIDGE_ABI_VERSION) {
    return Status::Error(StrCat("it speaks ABI '", table->abi_version, "', this library needs '",
                                GE_BRIDGE_ABI_VERSION, "'; reinstall both from one wheel"));
  }
  if (table->struct_size < sizeof(ge_python_bridge)) {
    return Status::Error(StrCat("its table has '", table->struct_size,
                                "' bytes, this library needs '", sizeof(ge_python_bridge),
                                "'; reinstall both from one wheel"));
  }
  if (!table->set_artifacts || !table->register_passes || !table->reset || !table->shutdown) {
    return Status::Error("its table has an empty slot; reinstall both from one wheel");
  }
  return Status::Ok();
}

Result<std::unique_ptr<BridgeLibrary>> BridgeLibrary::Open(const std::string& path) {
  const std::string what = StrCat("cannot open bridge '", path, "'");
  ::dlerror();
  std::unique_ptr<BridgeLibrary> library(new BridgeLibrary);
  library->path_ = path;
  library->handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle_ == nullptr) {
    const char* reason = ::dlerror();
    return Status::Error(
        StrCat(what, ": ", std::string_view(reason ? reason : "no reason was given")));
  }
  const auto entry =
      reinterpret_cast<ge_python_bridge_fn>(::dlsym(library->handle_, GE_BRIDGE_ENTRY));
  if (entry == nullptr)
    return Status::Error(StrCat(what, ": it does not export '", GE_BRIDGE_ENTRY, "'"));
  const ge_python_bridge* table = entry();
  if (Status status = CheckBridgeTable(table); !status.ok()) return status.WithContext(what);
  library->table_ = table;
  return library;
}

BridgeLibrary::~BridgeLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace ge::loader
