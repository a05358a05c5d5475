// SIGINT while a command runs in native code, where no Python handler would be reached.
#ifndef GE_CAPI_INTERRUPT_GUARD_H_
#define GE_CAPI_INTERRUPT_GUARD_H_

#include <signal.h>

namespace ge::capi {

// While it lives, the first SIGINT is noted and passed on to the handler that was there before
// (Python's notes it for its own code); the second one ends the process. Does nothing where SIGINT
// is ignored or has its default action. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool Interrupted();

 private:
  bool installed_ = false;
  struct sigaction previous_ {};
};

}  // namespace ge::capi

#endif  // GE_CAPI_INTERRUPT_GUARD_H_
