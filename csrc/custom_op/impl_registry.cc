#include "custom_op/impl_registry.h"

#include <utility>

#include "base/strings.h"

namespace ge::custom_op {

Status CheckCallbacks(const PythonCustomOpAdapterCallbacks& callbacks, CustomOpCapabilityMask capabilities) {
  constexpr auto kEager = static_cast<CustomOpCapabilityMask>(CustomOpCapability::kEagerExecute);
  constexpr auto kAnnotated = static_cast<CustomOpCapabilityMask>(CustomOpCapability::kAnnotatedArgs);
  if (capabilities == 0 || (capabilities & ~(kEager | kAnnotated)) != 0) {
    return Status::Error(StrCat("expected capabilities out of 1 (execute) and 32 (declare_launch_args), found '",
                                capabilities, "'"));
  }
  const auto missing = [&]() -> std::string_view {
    if (callbacks.create_impl_holder == nullptr) return "create_impl_holder";
    if (callbacks.destroy_impl_holder == nullptr) return "destroy_impl_holder";
    if ((capabilities & kEager) != 0 && callbacks.execute == nullptr) return "execute";
    if ((capabilities & kAnnotated) != 0 && callbacks.declare_launch_args == nullptr) return "declare_launch_args";
    return "";
  }();
  if (missing.empty()) return Status::Ok();
  return Status::Error(StrCat("capabilities '", capabilities, "' need the callback '", missing,
                              "', found none; reinstall bridge and core from one wheel"));
}

ImplRegistry& ImplRegistry::Get() {
  static auto* registry = new ImplRegistry;  // never destroyed
  return *registry;
}

Status ImplRegistry::Register(ImplDescriptor descriptor, const PythonCustomOpAdapterCallbacks& callbacks) {
  const std::string what = StrCat("cannot register implementation '", descriptor.key, "' of custom operator '",
                                  descriptor.op_type, "'");
  if (descriptor.key.empty() || descriptor.op_type.empty())
    return Status::Error(StrCat(what, ": expected a key and an operator type, found no text for one of them"));
  if (Status status = CheckCallbacks(callbacks, descriptor.capabilities); !status.ok()) return status.WithContext(what);
  auto impl = std::make_shared<const Impl>(Impl{std::move(descriptor), callbacks});
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, added] = impls_.emplace(impl->descriptor.key, impl);
  if (added) return Status::Ok();
  const std::string& owner = it->second->descriptor.op_type;
  return Status::Error(StrCat(what, ": the key is taken by the implementation of '", owner, "'"));
}

Status ImplRegistry::Unregister(std::string_view key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = impls_.find(key);
  if (it == impls_.end())
    return Status::Error(StrCat("cannot unregister implementation '", key, "': there is none of that key"));
  // The registry's own pointer is one; nobody gets another one without the lock.
  if (const long users = it->second.use_count() - 1; users > 0)
    return Status::Error(StrCat("cannot unregister implementation '", key, "': it is used by '", users, "' operators"));
  impls_.erase(it);
  return Status::Ok();
}

std::shared_ptr<const Impl> ImplRegistry::Acquire(const ImplDescriptor& descriptor) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = impls_.find(descriptor.key);
  return it != impls_.end() && it->second->descriptor == descriptor ? it->second : nullptr;
}

void ImplRegistry::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  impls_.clear();
}

}  // namespace ge::custom_op
