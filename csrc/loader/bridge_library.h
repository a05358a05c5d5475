// An opened bridge: the library and its table.
#ifndef GE_LOADER_BRIDGE_LIBRARY_H_
#define GE_LOADER_BRIDGE_LIBRARY_H_

#include <memory>
#include <string>

#include "base/export.h"
#include "base/status.h"
#include "loader/artifact_kind.h"

namespace ge::loader {

// Closes the library when it goes, unless it is to stay; nothing of the table may be called afterwards.
class GE_API BridgeLibrary {
 public:
  // The symbols of an interpreter must be global in the process before. Errors keep the dynamic
  // linker's own words.
  static Result<std::unique_ptr<BridgeLibrary>> Open(const ArtifactKind& kind, const std::string& path);
  ~BridgeLibrary();
  BridgeLibrary(const BridgeLibrary&) = delete;
  BridgeLibrary& operator=(const BridgeLibrary&) = delete;

  // REQUIRES: Table is what the kind's bridges give.
  template <typename Table>
  const Table& table() const {
    return *static_cast<const Table*>(table_);
  }
  const std::string& path() const { return path_; }
  // The library stays in the process: an interpreter that lives on may hold objects whose code is in it.
  void KeepOpen() { handle_ = nullptr; }

 private:
  BridgeLibrary() = default;
  std::string path_;
  void* handle_ = nullptr;
  const void* table_ = nullptr;
};

}  // namespace ge::loader

#endif  // GE_LOADER_BRIDGE_LIBRARY_H_
