#include "ge/c/ge_passes.h"

#include "adapters/python_pass_adapter.h"
#include "capi/error.h"
#include "compiler/library_probe.h"

namespace {

void Tell(const ge_passes_observer_t* observer, const ge::loader::LoadProblem& problem) {
  if (observer == nullptr || observer->struct_size < sizeof(ge_passes_observer_t) ||
      observer->problem == nullptr)
    return;
  const ge_passes_problem_t shown = {
      sizeof(ge_passes_problem_t), problem.interrupt ? 1u : 0u,    problem.source.c_str(),
      problem.hook.c_str(),        problem.message.c_str(), problem.traceback.c_str(),
  };
  observer->problem(observer->user, &shown);
}

}  // namespace

extern "C" {

int ge_passes_load(const ge_passes_observer_t* observer, ge_error_t** error) {
  int passes = -1;
  ge::capi::Guarded(error, [&]() -> ge::Status {
    GE_ASSIGN_OR_RETURN(const auto outcome, ge::adapters::RegisterPythonPasses());
    passes = outcome.passes;
    for (const ge::loader::LoadProblem& problem : outcome.problems) Tell(observer, problem);
    return ge::Status::Ok();
  });
  return passes;
}

void ge_passes_unload(void) {
  ge::capi::Guarded(nullptr, [] {
    ge::adapters::UnregisterPythonPasses();
    return ge::Status::Ok();
  });
}

void ge_pass_library_try(const char* path) { ge::compiler::LoadAndTell(path); }

}  // extern "C"
