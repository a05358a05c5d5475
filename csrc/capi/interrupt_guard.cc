#include "capi/interrupt_guard.h"

#include <atomic>
#include <mutex>

namespace ge::capi {
namespace {

using Handler = void (*)(int);

std::atomic<int> g_interrupts{0};
// Null when there is none to pass on to.
std::atomic<Handler> g_next{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Handler>::is_always_lock_free,
              "a signal handler may use lock-free atomics only");

void OnInterrupt(int signal) {
  if (g_interrupts.fetch_add(1) > 0) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  if (Handler next = g_next.load()) next(signal);
}

// Of the guards that live.
struct Installed {
  std::mutex mutex;
  int guards = 0;
  bool handler = false;
  struct sigaction previous {};
};

Installed& State() {
  static Installed* state = new Installed;
  return *state;
}

void Install(Installed& state) {
  g_interrupts = 0;
  if (::sigaction(SIGINT, nullptr, &state.previous) != 0) return;
  // The default action ends the process at once, which no handler here could do better: it would
  // have to wait for Python code that knows nothing of the signal.
  if (state.previous.sa_handler == SIG_IGN || state.previous.sa_handler == SIG_DFL) return;
  // A three-argument handler wants facts that only the kernel can give it, so it is left in place.
  if ((state.previous.sa_flags & SA_SIGINFO) != 0) return;
  g_next = state.previous.sa_handler;
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  // Without SA_RESTART system calls of Python code return early, so that its own handling runs at
  // once.
  ::sigemptyset(&action.sa_mask);
  state.handler = ::sigaction(SIGINT, &action, nullptr) == 0;
}

void Remove(Installed& state) {
  if (!state.handler) return;
  state.handler = false;
  struct sigaction now {};
  // A handler that somebody installed meanwhile is theirs to keep.
  if (::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == OnInterrupt)
    ::sigaction(SIGINT, &state.previous, nullptr);
  g_next = nullptr;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  Installed& state = State();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.guards++ == 0) Install(state);
}

InterruptGuard::~InterruptGuard() {
  Installed& state = State();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (--state.guards == 0) Remove(state);
}

bool InterruptGuard::Interrupted() { return g_interrupts.load() > 0; }

}  // namespace ge::capi
