#include "capi/error.h"

#include <new>

#include "base/version.h"

namespace ge::capi {

int Report(const Status& status, ge_error_t** error) noexcept {
  if (error != nullptr) *error = status.ok() ? nullptr : new (std::nothrow) ge_error{status};
  return status.ok() ? 0 : -1;
}

}  // namespace ge::capi

extern "C" {

const char* ge_version(void) { return ge::ThisVersion(); }

const char* ge_error_code(const ge_error_t* error) {
  return error != nullptr ? error->status.id() : "";
}

const char* ge_error_message(const ge_error_t* error) {
  return error != nullptr ? error->status.message().c_str() : "";
}

void ge_error_destroy(ge_error_t* error) { delete error; }

}  // extern "C"
