// The one manager of the Python interpreter of this process: who started it, who uses it.
#ifndef GE_LOADER_INTERPRETER_H_
#define GE_LOADER_INTERPRETER_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/export.h"
#include "base/status.h"
#include "loader/probe.h"
#include "loader/runtime_key.h"

namespace ge::loader {

enum class InterpreterOwner : uint8_t {
  kNone,      // none runs
  kBorrowed,  // somebody else started it and will finalise it
  kOurs,      // started here
};

// Thread-safe. Everything of CPython is reached through dlsym: the core imports none of its
// symbols.
class GE_API InterpreterManager {
 public:
  static InterpreterManager& Get();

  // Borrows a running interpreter, or starts one (the GIL is released afterwards), and counts
  // `user`. A second CPython is never brought into the process.
  Result<RuntimeKey> Acquire(std::string_view user);
  // What Acquire would give, without starting anything. The choice made here is the one that
  // Acquire starts.
  Result<RuntimeKey> Foresee();
  void Release(std::string_view user);

  // Finalises an interpreter that was started here and that nobody uses any more; true if it did.
  // Only the thread that started it can do so.
  bool FinalizeIfUnused();
  // Whether Python code can be run now: false too if somebody else has finalised meanwhile.
  bool IsRunning() const;
  // Whether an interpreter of this process has ended, whoever finalised it. Costs one load: for what is called often.
  static bool HasEnded();
  InterpreterOwner owner() const;
  // "passes (2), custom ops (1)"
  std::string Users() const;

 private:
  Status Choose();
  Status Start();

  mutable std::mutex mutex_;
  InterpreterOwner owner_ = InterpreterOwner::kNone;
  bool finalized_ = false;
  std::optional<InterpreterProbe> chosen_;
  std::map<std::string, int, std::less<>> users_;
  std::thread::id starter_;
  void* main_thread_state_ = nullptr;
  std::wstring program_name_;  // CPython keeps the pointer
};

}  // namespace ge::loader

#endif  // GE_LOADER_INTERPRETER_H_
