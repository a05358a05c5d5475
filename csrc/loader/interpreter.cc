#include "loader/interpreter.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "base/log.h"
#include "base/strings.h"

namespace ge::loader {
namespace {

constexpr char kModule[] = "interpreter";

template <typename Function>
Function Symbol(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

// Set by CPython itself when the interpreter that was acquired here ends, whoever finalises it. What
// lived in it is gone then, even if somebody starts a new one.
std::atomic<bool> g_ended{false};
bool g_watched = false;

void NoteEnd() { g_ended = true; }

void WatchEnd() {
  if (g_watched) return;
  const auto at_exit = Symbol<int (*)(void (*)())>("Py_AtExit");
  g_watched = at_exit != nullptr && at_exit(&NoteEnd) == 0;
}

bool RunsNow() {
  const auto is_initialized = Symbol<int (*)()>("Py_IsInitialized");
  return is_initialized != nullptr && is_initialized() != 0;
}

// A host may have loaded libpython without making its symbols global.
void MakeLoadedPythonGlobal() {
  std::vector<std::string> paths;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
        if (path.find("/libpython3.") != std::string_view::npos) {
          static_cast<std::vector<std::string>*>(out)->emplace_back(path);
        }
        return 0;
      },
      &paths);
  for (const std::string& path : paths) {
    if (::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr) {
      GE_LOG(LogLevel::kInfo, kModule, "made the symbols of '", path, "' global");
    }
  }
}

bool PythonIsLoaded() {
  if (Symbol<void*>("Py_IsInitialized") == nullptr) MakeLoadedPythonGlobal();
  return Symbol<void*>("Py_IsInitialized") != nullptr;
}

Status Ended() {
  return Status::Error(
      "the Python interpreter of this process has been finalised; it cannot be started again, nor "
      "another one be used: start a new process");
}

Result<RuntimeKey> KeyOfProcess() {
  auto key = RuntimeKeyOfProcess();
  if (!key) return Status::Error("the Python in this process does not tell its version");
  return *key;
}

// A Python program turns its UTF-8 mode on in the C locale; an embedded interpreter is left with
// ASCII.
void UseUtf8InCLocale() {
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (locale.empty() && value != nullptr) locale = value;
  }
  if (!locale.empty() && locale != "C" && locale != "POSIX") return;
  if (const auto utf8_mode = Symbol<int*>("Py_UTF8Mode")) *utf8_mode = 1;
}

Status OpenLibPython(const InterpreterProbe& probe) {
  if (::dlopen(probe.libpython.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = ::dlerror();
    return Status::Error(StrCat("cannot load '", probe.libpython, "', the library of '",
                                probe.executable,
                                "': ", std::string_view(reason ? reason : "no reason was given")));
  }
  const auto key = RuntimeKeyOfProcess();
  if (!key || !(key->version == probe.key.version)) {
    return Status::Error(StrCat("'", probe.libpython, "' is Python '",
                                key ? ToString(key->version) : "?", "', expected '",
                                ToString(probe.key.version), "' as '", probe.executable, "' said"));
  }
  return Status::Ok();
}

}  // namespace

InterpreterManager& InterpreterManager::Get() {
  // Never destroyed: it may be asked while the process ends.
  static InterpreterManager* manager = new InterpreterManager;
  return *manager;
}

Result<RuntimeKey> InterpreterManager::Foresee() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (PythonIsLoaded()) return KeyOfProcess();
  GE_RETURN_IF_ERROR(Choose());
  return chosen_->key;
}

Status InterpreterManager::Choose() {
  if (chosen_) return Status::Ok();
  GE_ASSIGN_OR_RETURN(chosen_, ChooseInterpreter());
  return Status::Ok();
}

Result<RuntimeKey> InterpreterManager::Acquire(std::string_view user) {
  std::lock_guard<std::mutex> lock(mutex_);
  const bool loaded = PythonIsLoaded();
  if (g_ended) return Ended();
  if (!loaded || !RunsNow()) {
    GE_RETURN_IF_ERROR(Start());
  } else if (owner_ == InterpreterOwner::kNone) {
    owner_ = InterpreterOwner::kBorrowed;
  }
  GE_ASSIGN_OR_RETURN(RuntimeKey key, KeyOfProcess());
  WatchEnd();
  ++users_[std::string(user)];
  GE_LOG(LogLevel::kInfo, kModule, "'", user, "' uses the ",
         owner_ == InterpreterOwner::kOurs ? "interpreter started here"
                                           : "interpreter that runs already",
         ", Python ", ToString(key.version));
  return key;
}

Status InterpreterManager::Start() {
  if (finalized_ || owner_ != InterpreterOwner::kNone) return Ended();
  // A Python that is loaded but not running (the host linked it) is the only one this process may
  // have.
  const bool loaded = PythonIsLoaded();
  const Status chosen = Choose();
  if (!loaded) {
    GE_RETURN_IF_ERROR(chosen);
    GE_RETURN_IF_ERROR(OpenLibPython(*chosen_));
  }
  const auto initialize = Symbol<void (*)(int)>("Py_InitializeEx");
  const auto save_thread = Symbol<void* (*)()>("PyEval_SaveThread");
  if (initialize == nullptr || save_thread == nullptr) {
    return Status::Error(
        "the Python library in this process lacks Py_InitializeEx or PyEval_SaveThread");
  }
  const auto set_program_name = Symbol<void (*)(const wchar_t*)>("Py_SetProgramName");
  const auto decode = Symbol<wchar_t* (*)(const char*, size_t*)>("Py_DecodeLocale");
  const auto key = RuntimeKeyOfProcess();
  if (chosen_ && set_program_name && decode && key && key->version == chosen_->key.version) {
    // From the path of the executable CPython finds pyvenv.cfg, and so the site-packages of a
    // virtual environment.
    if (wchar_t* name = decode(chosen_->executable.c_str(), nullptr)) {
      program_name_ = name;
      set_program_name(program_name_.c_str());
      if (const auto free_raw = Symbol<void (*)(void*)>("PyMem_RawFree")) free_raw(name);
    }
  }
  UseUtf8InCLocale();
  initialize(0);
  owner_ = InterpreterOwner::kOurs;
  starter_ = std::this_thread::get_id();
  main_thread_state_ = save_thread();
  GE_LOG(LogLevel::kInfo, kModule, "started Python ", key ? ToString(key->version) : "?");
  return Status::Ok();
}

void InterpreterManager::Release(std::string_view user) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = users_.find(user);
  if (it == users_.end()) {
    GE_LOG(LogLevel::kWarning, kModule, "'", user, "' released an interpreter it does not use");
    return;
  }
  if (--it->second == 0) users_.erase(it);
}

bool InterpreterManager::FinalizeIfUnused() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (owner_ != InterpreterOwner::kOurs || finalized_ || !users_.empty() || !RunsNow())
    return false;
  if (std::this_thread::get_id() != starter_) {
    GE_LOG(LogLevel::kWarning, kModule,
           "the interpreter is left to the end of the process: another thread started it");
    return false;
  }
  const auto restore_thread = Symbol<void (*)(void*)>("PyEval_RestoreThread");
  const auto finalize = Symbol<int (*)()>("Py_FinalizeEx");
  if (restore_thread == nullptr || finalize == nullptr) return false;
  finalized_ = true;
  void* state = main_thread_state_;
  main_thread_state_ = nullptr;
  // Finalising runs Python code, which may ask this manager.
  lock.unlock();
  restore_thread(state);
  if (finalize() != 0)
    GE_LOG(LogLevel::kWarning, kModule, "Python could not flush everything while finalising");
  return true;
}

bool InterpreterManager::HasEnded() { return g_ended; }

bool InterpreterManager::IsRunning() const { return RunsNow() && !g_ended; }

InterpreterOwner InterpreterManager::owner() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return owner_;
}

std::string InterpreterManager::Users() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> parts;
  for (const auto& [name, count] : users_) parts.push_back(StrCat(name, " (", count, ")"));
  return Join(parts, ", ");
}

}  // namespace ge::loader
