// Python implementations by descriptor key, and who uses them.
#ifndef GE_CUSTOM_OP_IMPL_REGISTRY_H_
#define GE_CUSTOM_OP_IMPL_REGISTRY_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/export.h"
#include "base/status.h"
#include "custom_op/capability.h"
#include "loader/custom_op_bridge_abi.h"

namespace ge::custom_op {

struct ImplDescriptor {
  std::string op_type;
  std::string key;
  CustomOpCapabilityMask capabilities = 0;

  friend bool operator==(const ImplDescriptor& a, const ImplDescriptor& b) {
    return a.op_type == b.op_type && a.key == b.key && a.capabilities == b.capabilities;
  }
};

struct Impl {
  ImplDescriptor descriptor;
  PythonCustomOpAdapterCallbacks callbacks{};
};

// Ok if Python can have these capabilities and there is a callback for each; else which is wrong.
GE_API Status CheckCallbacks(const PythonCustomOpAdapterCallbacks& callbacks, CustomOpCapabilityMask capabilities);

// Thread-safe.
class GE_API ImplRegistry {
 public:
  static ImplRegistry& Get();

  // Refused: an empty key or type, callbacks that do not serve the capabilities, a key that is taken.
  Status Register(ImplDescriptor descriptor, const PythonCustomOpAdapterCallbacks& callbacks);
  // Refused: an unknown key, or one that somebody has acquired and still holds.
  Status Unregister(std::string_view key);
  // In use until the pointer is dropped. Null when there is none that is described in just this way.
  std::shared_ptr<const Impl> Acquire(const ImplDescriptor& descriptor) const;
  // Forgets all of them, in use or not; what is in use stays good for its users.
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Impl>, std::less<>> impls_;
};

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_IMPL_REGISTRY_H_
