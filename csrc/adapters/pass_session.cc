#include "adapters/pass_session.h"

#include "base/log.h"
#include "base/strings.h"
#include "loader/interpreter.h"

namespace ge::adapters {
namespace {

constexpr char kModule[] = "python pass";

std::string_view Text(const char* text) { return text ? text : ""; }

}  // namespace

HookErrors::HookErrors(const PythonPass& pass, std::string_view hook,
                       std::vector<fusion::HookError>* out)
    : pass_(pass), hook_(hook), out_(out), before_(out->size()), sink_{this, &Report} {}

void HookErrors::Report(void* user, const char*, const char* hook, const char* message,
                        const char* traceback, int32_t interrupt) {
  auto* self = static_cast<HookErrors*>(user);
  const std::string_view name = Text(hook).empty() ? self->hook_ : Text(hook);
  GE_LOG(LogLevel::kWarning, kModule, self->pass_.source, ": ", name, ": ", Text(message));
  self->out_->push_back({std::string(name), self->pass_.source, std::string(Text(message)),
                         std::string(Text(traceback)), interrupt != 0});
}

void HookErrors::Add(std::string_view message) {
  out_->push_back({std::string(hook_), pass_.source, std::string(message), "", false});
}

bool HookErrors::interrupted() const { return any() && out_->back().interrupt; }

bool PassSession::Open(fusion::PassContext& context) {
  Close();
  HookErrors errors(*pass_, "__init__", &context.errors);
  if (!loader::InterpreterManager::Get().IsRunning()) {
    errors.Add("the Python interpreter of this process has been finalised");
    return false;
  }
  holder_ = pass_->hooks->create(pass_->descriptor_key.c_str(), errors.sink());
  if (holder_ == nullptr && !errors.any()) errors.Add("the pass could not be instantiated");
  return holder_ != nullptr;
}

void PassSession::Close() {
  if (holder_ != nullptr) pass_->hooks->destroy(holder_);
  holder_ = nullptr;
}

bool PassSession::Answer(int32_t answer, HookErrors& errors, fusion::PassContext& context) {
  if (answer >= 0) return answer != 0;
  if (!errors.any()) errors.Add("failed without a reason");
  if (errors.interrupted()) {
    context.errors.push_back(std::move(scratch_.back()));
  } else {
    context.warnings.push_back(std::move(scratch_.back()));
  }
  scratch_.clear();
  return false;
}

ir::GraphPtr PassSession::Take(void* graph, HookErrors& errors) {
  if (graph == nullptr) {
    if (!errors.any()) errors.Add("gave no graph");
    return nullptr;
  }
  std::unique_ptr<ir::GraphPtr> owned(static_cast<ir::GraphPtr*>(graph));
  return std::move(*owned);
}

}  // namespace ge::adapters
