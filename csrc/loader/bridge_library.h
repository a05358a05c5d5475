// An opened bridge: the library and its table.
#ifndef GE_LOADER_BRIDGE_LIBRARY_H_
#define GE_LOADER_BRIDGE_LIBRARY_H_

#include <memory>
#include <string>

#include "base/export.h"
#include "base/status.h"
#include "loader/bridge_abi.h"

namespace ge::loader {

// Closes the library when it goes; nothing of the table may be called afterwards.
class GE_API BridgeLibrary {
 public:
  // The symbols of an interpreter must be global in the process before. Errors keep the dynamic
  // linker's own words.
  static Result<std::unique_ptr<BridgeLibrary>> Open(const std::string& path);
  ~BridgeLibrary();
  BridgeLibrary(const BridgeLibrary&) = delete;
  BridgeLibrary& operator=(const BridgeLibrary&) = delete;

  const ge_python_bridge& table() const { return *table_; }
  const std::string& path() const { return path_; }

 private:
  BridgeLibrary() = default;
  std::string path_;
  void* handle_ = nullptr;
  const ge_python_bridge* table_ = nullptr;
};

// Ok if the table can be used: version, size, no null slot.
GE_API Status CheckBridgeTable(const ge_python_bridge* table);

}  // namespace ge::loader

#endif  // GE_LOADER_BRIDGE_LIBRARY_H_
