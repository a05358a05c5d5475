// Status as the owned error object of the C ABI.
#ifndef GE_CAPI_ERROR_H_
#define GE_CAPI_ERROR_H_

#include <exception>

#include "base/status.h"
#include "ge/c/ge_abi.h"

struct ge_error {
  ge::Status status;
};

namespace ge::capi {

// Puts the error where the caller wants it; 0 if ok, else -1.
int Report(const Status& status, ge_error_t** error) noexcept;

// The wall no exception passes: `body` returns a Status.
template <typename Body>
int Guarded(ge_error_t** error, Body body) noexcept {
  try {
    return Report(body(), error);
  } catch (const std::exception& e) {
    try {
      return Report(Status::Error(e.what()), error);
    } catch (...) {
      return -1;
    }
  } catch (...) {
    return -1;
  }
}

}  // namespace ge::capi

#endif  // GE_CAPI_ERROR_H_
