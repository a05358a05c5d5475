#include <dlfcn.h>

#include <string>
#include <string_view>

#include "base/log.h"
#include "base/strings.h"
#include "loader/fallback.h"

// A few functions of CPython by name: there is no bridge yet that could do this.
namespace ge::loader {
namespace {

constexpr int kFileInput = 257;  // Py_file_input

// '=' and the folder, or '!' and what went wrong. The package stays importable, as the last choice.
constexpr char kScript[] = R"(
import os, sys
parent = os.fsdecode(parent)
known = parent in sys.path
sys.path.insert(0, parent)
try:
    from ge.passes import runtime
    result = b'=' + os.fsencode(runtime.run_fallback_codegen().root)
except Exception as error:
    result = b'!' + str(error).encode('utf-8', 'backslashreplace')
sys.path.remove(parent)
if not known: sys.path.append(parent)
)";

template <typename Function>
bool Find(const char* name, Function& out) {
  out = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  return out != nullptr;
}

// The functions that are used, as the stable ABI declares them.
struct Python {
  int (*ensure)();
  void (*release)(int);
  void* (*compile)(const char*, const char*, int);
  void* (*eval)(void*, void*, void*);
  void* (*builtins)();
  void* (*new_dict)();
  int (*set_item)(void*, const char*, void*);
  void* (*get_item)(void*, const char*);
  void* (*new_bytes)(const char*, ptrdiff_t);
  char* (*text_of_bytes)(void*);
  void (*decref)(void*);
  void (*clear_error)();

  bool Load() {
    return Find("PyGILState_Ensure", ensure) && Find("PyGILState_Release", release) &&
           Find("Py_CompileString", compile) && Find("PyEval_EvalCode", eval) &&
           Find("PyEval_GetBuiltins", builtins) && Find("PyDict_New", new_dict) &&
           Find("PyDict_SetItemString", set_item) && Find("PyDict_GetItemString", get_item) &&
           Find("PyBytes_FromStringAndSize", new_bytes) && Find("PyBytes_AsString", text_of_bytes) &&
           Find("Py_DecRef", decref) && Find("PyErr_Clear", clear_error);
  }

  // The text that the script leaves in `result`; empty if it raised. With the GIL.
  std::string Run(const std::string& parent) const {
    std::string text;
    void* names = new_dict();
    void* folder = new_bytes(parent.data(), static_cast<ptrdiff_t>(parent.size()));
    void* code = compile(kScript, "<ge>", kFileInput);
    if (names && folder && code && set_item(names, "__builtins__", builtins()) == 0 &&
        set_item(names, "parent", folder) == 0) {
      void* value = eval(code, names, names);
      void* result = value ? get_item(names, "result") : nullptr;  // borrowed
      const char* bytes = result ? text_of_bytes(result) : nullptr;
      if (bytes != nullptr) text = bytes;
      decref(value);
    }
    clear_error();
    decref(code);
    decref(folder);
    decref(names);
    return text;
  }
};

}  // namespace

Result<std::string> BuildFallbackSet(const std::string& package_parent) {
  Python python;
  if (!python.Load())
    return Status::Error("the interpreter of this process cannot be asked to compile one");
  const int state = python.ensure();
  const std::string text = python.Run(package_parent);
  python.release(state);
  if (!text.empty() && text.front() == '=') return text.substr(1);
  return Status::Error(text.empty() ? std::string("compiling one failed without a reason")
                                    : text.substr(1));
}

}  // namespace ge::loader
