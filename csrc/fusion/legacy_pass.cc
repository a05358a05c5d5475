#include "fusion/legacy_pass.h"

#include <algorithm>

namespace ge::fusion {

LegacyPassRegistry& LegacyPassRegistry::Get() {
  // Never destroyed: libraries may take their passes out while the process ends.
  static auto* registry = new LegacyPassRegistry;
  return *registry;
}

uint64_t LegacyPassRegistry::Add(LegacyPass pass) {
  std::lock_guard<std::mutex> lock(mutex_);
  passes_.emplace_back(++last_, std::make_shared<const LegacyPass>(std::move(pass)));
  return last_;
}

bool LegacyPassRegistry::Remove(uint64_t number) {
  std::shared_ptr<const LegacyPass> removed;  // destroyed after the lock: its function may hold anything
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = std::find_if(passes_.begin(), passes_.end(), [&](const auto& entry) { return entry.first == number; });
  if (found == passes_.end()) return false;
  removed = std::move(found->second);
  passes_.erase(found);
  return true;
}

std::vector<std::shared_ptr<const LegacyPass>> LegacyPassRegistry::OfStage(Stage stage) const {
  std::vector<std::shared_ptr<const LegacyPass>> found;
  for (auto& pass : All()) {
    if (pass->stage == stage) found.push_back(pass);
  }
  return found;
}

std::vector<std::shared_ptr<const LegacyPass>> LegacyPassRegistry::All() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<const LegacyPass>> all;
  for (const auto& entry : passes_) all.push_back(entry.second);
  return all;
}

}  // namespace ge::fusion
