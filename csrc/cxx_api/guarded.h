// The wall between a user's hooks and the engine: no exception gets through, each becomes a failure of its pass.
#ifndef GE_CXX_API_GUARDED_H_
#define GE_CXX_API_GUARDED_H_

#include <string_view>

#include "cxx_api/access.h"

namespace ge::cxx_api {

// To be called in a catch block: adds the exception in flight to the context as the failure of `hook`.
void AddException(std::string_view hook, ge_core::fusion::PassContext& context);
// "<text>" or, with a reason noted by a call of the hook, "<text>: <reason>".
std::string WithProblem(std::string text);

// Runs a hook that gives a status. A failure for which the pass gave no reason is told with what went wrong last in it.
template <typename Body>
uint32_t Guarded(std::string_view hook, ge_core::fusion::PassContext& context, Body body) {
  v1::detail::ClearProblem();
  try {
    uint32_t status = body();
    bool failed = status != v1::SUCCESS && status != v1::NOT_CHANGED;
    if (failed && context.errors.empty() && context.error_message().empty() && !v1::detail::Problem().empty()) {
      context.AddError(hook, WithProblem(ge_core::StrCat("returned status ", status)));
    }
    return status;
  } catch (...) {
    AddException(hook, context);
    return v1::FAILED;
  }
}

}  // namespace ge::cxx_api

#endif  // GE_CXX_API_GUARDED_H_
