// SIGINT while a command runs in native code, where no Python handler would be reached.
#ifndef GE_CAPI_INTERRUPT_GUARD_H_
#define GE_CAPI_INTERRUPT_GUARD_H_

#include <signal.h>

namespace ge::capi {

// While it lives, the first SIGINT is noted and passed on to the handler that was there before
// (Python's notes it for its own code); the second one ends the process. Does nothing where SIGINT
// is ignored or has its default action. Several may live at once, on any threads: they share one
// handler and see the same interrupt.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool Interrupted();
};

}  // namespace ge::capi

#endif  // GE_CAPI_INTERRUPT_GUARD_H_
