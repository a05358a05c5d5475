#include "custom_op/factory.h"

#include <utility>

namespace ge {

std::shared_ptr<CustomOpRegistry::Entry> CustomOpRegistry::Find(std::string_view op_type) const {
  const auto it = entries_.find(op_type);
  return it == entries_.end() ? nullptr : it->second;
}

graphStatus CustomOpRegistry::RegisterCustomOpCreator(std::string_view op_type, CustomOpCreator creator) {
  if (op_type.empty() || creator == nullptr) return GRAPH_PARAM_INVALID;
  auto entry = std::make_shared<Entry>(Entry{std::move(creator), nullptr});
  std::lock_guard<std::mutex> lock(mutex_);
  return entries_.emplace(op_type, std::move(entry)).second ? GRAPH_SUCCESS : GRAPH_FAILED;
}

std::shared_ptr<BaseCustomOp> CustomOpRegistry::CreateOrGetCustomOp(std::string_view op_type) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    entry = Find(op_type);
    if (entry == nullptr) return nullptr;
    if (entry->instance != nullptr) return entry->instance;
  }
  // Without the lock: a creator may wait for an interpreter whose holder waits for us, or ask the factory itself.
  std::shared_ptr<BaseCustomOp> created = entry->creator();
  std::lock_guard<std::mutex> lock(mutex_);
  // What was removed meanwhile has no instance any more.
  if (created == nullptr || Find(op_type) != entry) return nullptr;
  if (entry->instance == nullptr) entry->instance = created;
  return entry->instance;
}

std::shared_ptr<BaseCustomOp> CustomOpRegistry::FindCustomOp(std::string_view op_type) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const std::shared_ptr<Entry> entry = Find(op_type);
  return entry == nullptr ? nullptr : entry->instance;
}

void CustomOpRegistry::RemoveCustomOps(const std::vector<std::string>& op_types) {
  std::vector<std::shared_ptr<Entry>> removed;  // declared first: destroyed when the lock is gone
  std::lock_guard<std::mutex> lock(mutex_);
  for (const std::string& op_type : op_types) {
    const auto it = entries_.find(op_type);
    if (it == entries_.end()) continue;
    removed.push_back(std::move(it->second));
    entries_.erase(it);
  }
}

bool CustomOpRegistry::IsExistOp(std::string_view op_type) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return Find(op_type) != nullptr;
}

std::vector<std::string> CustomOpRegistry::AllRegisteredOps() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> op_types;
  for (const auto& [op_type, entry] : entries_) op_types.push_back(op_type);
  return op_types;
}

const std::shared_ptr<CustomOpRegistry>& CustomOpFactory::GetGlobalRegistryPtr() {
  // Never destroyed: its operators may be Python objects, whose interpreter is gone by then.
  static const auto* registry = new std::shared_ptr<CustomOpRegistry>(std::make_shared<CustomOpRegistry>());
  return *registry;
}

graphStatus CustomOpFactory::RegisterCustomOpCreator(std::string_view op_type, CustomOpCreator creator) {
  return GetGlobalRegistryPtr()->RegisterCustomOpCreator(op_type, std::move(creator));
}

std::shared_ptr<BaseCustomOp> CustomOpFactory::CreateOrGetCustomOp(std::string_view op_type) {
  return GetGlobalRegistryPtr()->CreateOrGetCustomOp(op_type);
}

void CustomOpFactory::RemoveCustomOps(const std::vector<std::string>& op_types) {
  GetGlobalRegistryPtr()->RemoveCustomOps(op_types);
}

bool CustomOpFactory::IsExistOp(std::string_view op_type) { return GetGlobalRegistryPtr()->IsExistOp(op_type); }

graphStatus CustomOpFactory::GetAllRegisteredOps(std::vector<std::string>& op_types) {
  for (std::string& op_type : GetGlobalRegistryPtr()->AllRegisteredOps()) op_types.push_back(std::move(op_type));
  return GRAPH_SUCCESS;
}

ArgsRefreshStrategy CustomOpFactory::GetArgsRefreshStrategy(std::string_view op_type) {
  const std::shared_ptr<BaseCustomOp> op = CreateOrGetCustomOp(op_type);
  if (CustomOpCast<ArgsUpdater>(op.get()) != nullptr) return ArgsRefreshStrategy::kUpdateCallback;
  if (CustomOpCast<AnnotatedArgsOp>(op.get()) != nullptr) return ArgsRefreshStrategy::kAnnotatedArgs;
  return ArgsRefreshStrategy::kNone;
}

bool CustomOpFactory::IsAddressRefreshable(std::string_view op_type) {
  return GetArgsRefreshStrategy(op_type) != ArgsRefreshStrategy::kNone;
}

}  // namespace ge
