// Comes before everything else in nanobind's backend sources when they are compiled for CPython 3.9: what they take from
// 3.10.
#ifndef GE_ABI3_BRIDGE_CP39_BACKEND_PYTHON_39_H_
#define GE_ABI3_BRIDGE_CP39_BACKEND_PYTHON_39_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x03090000 || PY_VERSION_HEX >= 0x030A0000
#error "This backend is for CPython 3.9 alone; later ones have the package nanobind-backend"
#endif

template <typename T>
PyObject* Py_NewRef(T* object) {
  Py_INCREF(object);
  return reinterpret_cast<PyObject*>(object);
}

template <typename T>
PyObject* Py_XNewRef(T* object) {
  Py_XINCREF(object);
  return reinterpret_cast<PyObject*>(object);
}

// Unlike PyModule_AddObject, never takes over the reference.
inline int PyModule_AddObjectRef(PyObject* module, const char* name, PyObject* value) {
  if (value == nullptr) return -1;
  Py_INCREF(value);
  if (PyModule_AddObject(module, name, value) == 0) return 0;
  Py_DECREF(value);
  return -1;
}

// Flags that 3.9 has no notion of.
#define Py_TPFLAGS_IMMUTABLETYPE 0
#define Py_TPFLAGS_DISALLOW_INSTANTIATION 0

// The slot am_send came with 3.10. The backend names it in a table of slots only, which no type of ours asks for.
#define Py_am_send 81
#define am_send am_await

#undef PY_VERSION_HEX
#define PY_VERSION_HEX 0x030A0000

#endif  // GE_ABI3_BRIDGE_CP39_BACKEND_PYTHON_39_H_
