#include "abi3_bridge/bridge/start_python.h"

#include <nanobind/nanobind.h>

#include <cstdlib>
#include <memory>

#include "base/strings.h"

// Only the C API until nanobind's backend has been imported, which needs the package's folder on
// sys.path.
namespace ge::bridge {
namespace {

class Gil {
 public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  PyGILState_STATE state_;
};

struct DecRef {
  void operator()(PyObject* object) const { Py_DecRef(object); }
};
using Ref = std::unique_ptr<PyObject, DecRef>;

std::string Utf8(PyObject* text) {
  Ref bytes(text ? PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape") : nullptr);
  char* data = bytes ? PyBytes_AsString(bytes.get()) : nullptr;
  if (data == nullptr) PyErr_Clear();
  return data ? data : "";
}

// "ImportError: no module named ..." of the pending exception, which is cleared.
std::string PendingError() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref t(type), v(value), tb(traceback);
  if (type == nullptr) return "no reason was given";
  Ref name(PyObject_GetAttrString(type, "__name__"));
  Ref text(value ? PyObject_Str(value) : nullptr);
  PyErr_Clear();
  return StrCat(Utf8(name.get()), ": ", Utf8(text.get()));
}

std::string RealPath(const std::string& path) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

bool Contains(PyObject* list, PyObject* item) {
  const int found = PySequence_Contains(list, item);
  if (found < 0) PyErr_Clear();
  return found > 0;
}

// Imports `ge` out of `parent`, even if another package of that name (a CANN installation has one) comes earlier on
// sys.path; parent stays on sys.path, at the end if it was not there, for what lies beside the package.
bool ImportPackage(const std::string& parent, std::string* problem) {
  PyObject* path = PySys_GetObject("path");  // borrowed
  Ref entry(PyUnicode_DecodeFSDefault(parent.c_str()));
  if (path == nullptr || !entry) {
    *problem = PendingError();
    return false;
  }
  Ref package;
  if (parent.empty()) {
    package.reset(PyImport_ImportModule("ge"));
  } else {
    const bool known = Contains(path, entry.get());
    if (PyList_Insert(path, 0, entry.get()) != 0) PyErr_Clear();
    package.reset(PyImport_ImportModule("ge"));
    if (package) {
      PySequence_DelItem(path, 0);
      if (!known) PyList_Append(path, entry.get());
    }
  }
  if (!package) {
    *problem = PendingError();
    return false;
  }
  Ref file(PyObject_GetAttrString(package.get(), "__file__"));
  if (!file) PyErr_Clear();
  const std::string found = RealPath(Utf8(file.get()));
  const std::string expected = RealPath(parent + "/ge/__init__.py");
  if (!parent.empty() && found != expected) {
    *problem = StrCat("Python has the package 'ge' from '", found, "', expected '", expected,
                      "'; start a new process, with one of the two off PYTHONPATH");
    return false;
  }
  return true;
}

// Calls the module's load_native_module(folder).
bool LoadNative(const char* module_name, const std::string& artifact_dir) {
  Ref runtime(PyImport_ImportModule(module_name));
  if (!runtime) return false;
  Ref folder(PyUnicode_DecodeFSDefault(artifact_dir.c_str()));
  Ref load(PyObject_GetAttrString(runtime.get(), "load_native_module"));
  if (!folder || !load) return false;
  Ref module(PyObject_CallFunctionObjArgs(load.get(), folder.get(), nullptr));
  return module != nullptr;
}

bool RegisterWithNanobind(const char* bridge_name) {
  // Kept for good: nanobind refers to it.
  PyObject* module = PyModule_New(bridge_name);
  if (module == nullptr || !nanobind::register_module(module)) return false;
  // Objects of passes may live until the process ends, which is no leak.
  nanobind::set_leak_warnings(false);
  return true;
}

}  // namespace

std::string StartPython(const BridgeNames& names, const std::string& artifact_dir, const std::string& package_parent) {
  if (!Py_IsInitialized()) return "there is no running interpreter";
  Gil gil;
  static bool started = false;
  if (started) return "";
  std::string problem;
  if (!ImportPackage(package_parent, &problem)) return problem;
  if (!LoadNative(names.native_loader, artifact_dir) || !RegisterWithNanobind(names.bridge)) return PendingError();
  started = true;
  return "";
}

}  // namespace ge::bridge
