// What `_handle` of a Graph, Node, Tensor or TensorDesc gives and `_create_from` takes: as opaque as a C pointer, but it
// keeps what it stands for, so that a stale or made-up one cannot exist.
#ifndef GE_ABI3_BRIDGE_NATIVE_RAW_HANDLE_H_
#define GE_ABI3_BRIDGE_NATIVE_RAW_HANDLE_H_

#include <nanobind/nanobind.h>

#include <cstdint>

#include "abi3_bridge/native/convert.h"

namespace ge::bridge {

struct RawHandle {
  nb::object target;  // a wrapper onto the same thing
  uintptr_t address = 0;
};

inline nb::object NewRawHandle(nb::object target, const void* address) {
  return nb::cast(RawHandle{std::move(target), reinterpret_cast<uintptr_t>(address)});
}

// The wrapper of type T behind a handle. None and null pointers raise ValueError "<what> pointer cannot be None",
// anything else TypeError.
template <typename T>
const T& TargetOrRaise(nb::handle h, const char* what) {
  RawHandle* raw = h.is_none() ? nullptr : As<RawHandle>(h);
  T* target = raw != nullptr ? As<T>(raw->target) : nullptr;
  if (target != nullptr) return *target;
  if (raw == nullptr && PyObject_IsTrue(h.ptr()) == 0) RaiseValueError(StrCat(what, " pointer cannot be None"));
  PyErr_Clear();
  RaiseTypeError(StrCat(what, " handle must be the _handle of a ", what, ", found '", Shown(h.type()), "'"));
}

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_RAW_HANDLE_H_
