#include "adapters/custom_op_loader.h"
#include "adapters/python_pass_adapter.h"
#include "capi/error.h"
#include "ge/c/ge_runtime.h"
#include "loader/interpreter.h"

extern "C" {

int ge_runtime_acquire(const char* user, ge_error_t** error) {
  return ge::capi::Guarded(error, [&]() -> ge::Status {
    if (user == nullptr)
      return ge::Status::Error("ge_runtime_acquire needs the user's name, it was given NULL",
                               "E10058");
    return ge::loader::InterpreterManager::Get().Acquire(user).status();
  });
}

void ge_runtime_release(const char* user) {
  ge::capi::Guarded(nullptr, [&] {
    if (user != nullptr) ge::loader::InterpreterManager::Get().Release(user);
    return ge::Status::Ok();
  });
}

void ge_runtime_shutdown(void) {
  ge::capi::Guarded(nullptr, [] {
    ge::adapters::CustomOpLoader::Get().Shutdown();
    ge::adapters::ShutdownPythonPasses();
    return ge::Status::Ok();
  });
}

}  // extern "C"
