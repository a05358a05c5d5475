#include "fusion/pass.h"

#include <algorithm>
#include <utility>

namespace ge::fusion {
namespace {

constexpr size_t kMaxWarnings = 100;

constexpr std::pair<Stage, std::string_view> kStageNames[] = {
    {Stage::kBeforeInferShape, "BeforeInferShape"},
    {Stage::kAfterInferShape, "AfterInferShape"},
    {Stage::kAfterAssignLogicStream, "AfterAssignLogicStream"},
    {Stage::kAfterBuiltinFusionPass, "AfterBuiltinFusionPass"},
    {Stage::kAfterOriginGraphOptimize, "AfterOriginGraphOptimize"},
    {Stage::kCompatibleInherited, "CompatibleInherited"},
};

}  // namespace

std::string_view Name(Stage stage) {
  for (const auto& [value, name] : kStageNames) {
    if (value == stage) return name;
  }
  return "InvalidStage";
}

Stage StageFromName(std::string_view name) {
  for (const auto& [value, text] : kStageNames) {
    if (text == name) return value;
  }
  return Stage::kInvalid;
}

const std::string* PassContext::option(const std::string& key) const {
  auto found = options_.find(key);
  return found == options_.end() ? nullptr : &found->second;
}

void PassContext::TrimWarnings() {
  if (warnings.size() <= kMaxWarnings) return;
  more_warnings += static_cast<int64_t>(warnings.size() - kMaxWarnings);
  warnings.resize(kMaxWarnings);
}

bool PassContext::interrupted() const {
  return !errors.empty() &&
         std::any_of(errors.begin(), errors.end(), [](const HookError& e) { return e.interrupt; });
}

void PassContext::AddError(std::string_view hook, std::string_view message) {
  HookError error;
  error.hook = std::string(hook);
  error.message = std::string(message);
  errors.push_back(std::move(error));
}

FusionBasePass::~FusionBasePass() = default;

}  // namespace ge::fusion
