#include "loader/bridge_library.h"

#include <dlfcn.h>

#include "base/strings.h"

namespace ge::loader {

Result<std::unique_ptr<BridgeLibrary>> BridgeLibrary::Open(const ArtifactKind& kind, const std::string& path) {
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
  const auto entry = reinterpret_cast<const void* (*)()>(::dlsym(library->handle_, kind.entry));
  if (entry == nullptr)
    return Status::Error(StrCat(what, ": it does not export '", std::string_view(kind.entry), "'"));
  const void* table = entry();
  if (Status status = kind.check_table(table); !status.ok()) return status.WithContext(what);
  library->table_ = table;
  return library;
}

BridgeLibrary::~BridgeLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace ge::loader
