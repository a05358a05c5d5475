// Comes before everything else in every file of the native module and the bridge: holds all declarations of Python to the
// stable ABI of the floor, GE_LIMITED_API, and supplies what nanobind's front end takes from 3.10.
#ifndef GE_ABI3_BRIDGE_LIMITED_API_H_
#define GE_ABI3_BRIDGE_LIMITED_API_H_

#ifndef GE_LIMITED_API
#error "GE_LIMITED_API must be the floor of the stable ABI, as 0x03090000"
#endif

#define Py_LIMITED_API GE_LIMITED_API
#define PY_SSIZE_T_CLEAN
#include <Python.h>

// Says in the binary what it was compiled against; scripts/abi_audit.py reads it. A note survives stripping and the
// linker's removal of unused sections.
#define GE_TEXT_OF_(x) #x
#define GE_TEXT_OF(x) GE_TEXT_OF_(x)
asm(".pushsection .note.ge.abi3, \"a\", @note\n"
    ".balign 4\n"
    ".long 3, 4, 1\n"
    ".asciz \"ge\"\n"
    ".balign 4\n"
    ".long " GE_TEXT_OF(Py_LIMITED_API) "\n"
    ".popsection\n");

#if GE_LIMITED_API < 0x030A0000

#include <dlfcn.h>

namespace ge::bridge::cp39 {

inline PyObject* NewRef(PyObject* object) {
  Py_INCREF(object);
  return object;
}

inline PyObject* XNewRef(PyObject* object) {
  Py_XINCREF(object);
  return object;
}

// CPython 3.9 exports the function although its stable ABI doesn't list it, hence no import by name.
inline const char* AsUtf8AndSize(PyObject* text, Py_ssize_t* size) {
  using Function = const char* (*)(PyObject*, Py_ssize_t*);
  static const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "PyUnicode_AsUTF8AndSize"));
  if (function == nullptr) {
    PyErr_SetString(PyExc_SystemError,
                    "Looking for 'PyUnicode_AsUTF8AndSize' in this process: expected a CPython whose symbols are global, "
                    "found none; load libpython with RTLD_GLOBAL");
    return nullptr;
  }
  return function(text, size);
}

}  // namespace ge::bridge::cp39

#undef Py_NewRef
#undef Py_XNewRef
#undef PyUnicode_AsUTF8AndSize
#define Py_NewRef(object) (::ge::bridge::cp39::NewRef(reinterpret_cast<PyObject*>(object)))
#define Py_XNewRef(object) (::ge::bridge::cp39::XNewRef(reinterpret_cast<PyObject*>(object)))
#define PyUnicode_AsUTF8AndSize ::ge::bridge::cp39::AsUtf8AndSize

// nanobind's headers accept 3.10 and later only; what they use beyond 3.9 stands above.
#undef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#if PY_VERSION_HEX < 0x030A0000
#undef PY_VERSION_HEX
#define PY_VERSION_HEX 0x030A0000
#endif

#endif  // GE_LIMITED_API < 0x030A0000

#endif  // GE_ABI3_BRIDGE_LIMITED_API_H_
