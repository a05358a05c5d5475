#include "fusion/pass_registry.h"

#include "base/strings.h"

namespace ge::fusion {
namespace {

thread_local const PassRegistration* current_registration = nullptr;

bool RunsInAStage(Stage stage) {
  return stage == Stage::kBeforeInferShape || stage == Stage::kAfterInferShape ||
         stage == Stage::kAfterBuiltinFusionPass || stage == Stage::kAfterOriginGraphOptimize;
}

}  // namespace

CreateContext::CreateContext(const PassRegistration* registration) : outer_(current_registration) {
  current_registration = registration;
}
CreateContext::~CreateContext() { current_registration = outer_; }
const PassRegistration* CreateContext::Current() { return current_registration; }

PassRegistry& PassRegistry::Get() {
  // Never destroyed: plugins may unregister while the process ends.
  static auto* registry = new PassRegistry;
  return *registry;
}

Status PassRegistry::Register(PassRegistration registration) {
  std::string what = StrCat("cannot register pass '", registration.name, "' from '", registration.source, "': ");
  if (registration.name.empty()) return Status::Error(StrCat(what, "its name is empty; give it one"));
  if (registration.create == nullptr) return Status::Error(StrCat(what, "it has no function that creates it"));
  if (!RunsInAStage(registration.stage)) {
    return Status::Error(StrCat(what, "no graph pass runs at stage '", Name(registration.stage),
                                "'; use BeforeInferShape, AfterInferShape, AfterBuiltinFusionPass or "
                                "AfterOriginGraphOptimize"));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  auto taken = by_name_.find(registration.name);
  if (taken != by_name_.end()) {
    return Status::Error(StrCat(what, "the name is taken by the pass from '", taken->second->source,
                                "'; give one of them another name"));
  }
  if (!registration.descriptor_key.empty()) {
    for (const auto& [name, other] : by_name_) {
      if (other->descriptor_key != registration.descriptor_key) continue;
      return Status::Error(StrCat(what, "its descriptor key '", registration.descriptor_key, "' is taken by pass '", name,
                                  "' from '", other->source, "'"));
    }
  }
  std::string name = registration.name;
  by_name_.emplace(std::move(name), std::make_shared<const PassRegistration>(std::move(registration)));
  return Status::Ok();
}

bool PassRegistry::Unregister(std::string_view name) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = by_name_.find(name);
  if (found == by_name_.end()) return false;
  by_name_.erase(found);
  return true;
}

std::vector<std::shared_ptr<const PassRegistration>> PassRegistry::OfStage(Stage stage) const {
  std::vector<std::shared_ptr<const PassRegistration>> found;
  for (auto& registration : All()) {
    if (registration->stage == stage) found.push_back(registration);
  }
  return found;
}

std::vector<std::shared_ptr<const PassRegistration>> PassRegistry::All() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<const PassRegistration>> all;
  for (const auto& entry : by_name_) all.push_back(entry.second);
  return all;
}

std::unique_ptr<FusionBasePass> PassRegistry::Create(const PassRegistration& registration) {
  CreateContext context(&registration);
  return std::unique_ptr<FusionBasePass>(registration.create());
}

}  // namespace ge::fusion
