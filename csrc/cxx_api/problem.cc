#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {
namespace detail {
namespace {

std::string &Slot() {
  thread_local std::string problem;
  return problem;
}

}  // namespace

void NoteProblem(std::string text) {
  GE_LOG(LogLevel::kWarning, "C++ pass", text);
  Slot() = std::move(text);
}

const std::string &Problem() { return Slot(); }

void ClearProblem() { Slot().clear(); }

uint32_t StatusOf(const ge_core::Status &status) {
  if (status.ok()) return SUCCESS;
  NoteProblem(status.message());
  return FAILED;
}

}  // namespace detail
}  // namespace v1
}  // namespace ge
