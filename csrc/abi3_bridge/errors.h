// Where failures become Python exceptions: for the native module and the bridge alike. Everything here needs the GIL.
#ifndef GE_ABI3_BRIDGE_ERRORS_H_
#define GE_ABI3_BRIDGE_ERRORS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "base/status.h"

namespace ge::bridge {

// Raises `type` with this text.
[[noreturn]] inline void Raise(PyObject* type, std::string_view message) {
  PyObject* text = PyUnicode_FromStringAndSize(message.data(), static_cast<Py_ssize_t>(message.size()));
  if (text == nullptr) {
    // Text that is not UTF-8 (a name out of a broken model) must not hide the error itself.
    PyErr_Clear();
    text = PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace");
  }
  if (text != nullptr) {
    PyErr_SetObject(type, text);
    Py_DecRef(text);
  }
  throw nanobind::python_error();
}
[[noreturn]] inline void RaiseTypeError(std::string_view message) { Raise(PyExc_TypeError, message); }
[[noreturn]] inline void RaiseValueError(std::string_view message) { Raise(PyExc_ValueError, message); }
[[noreturn]] inline void RaiseRuntimeError(std::string_view message) { Raise(PyExc_RuntimeError, message); }

// Raises the class of that name out of ge.error ("GeError", "OnnxError", ...).
[[noreturn]] inline void RaiseGe(const char* error_class, std::string_view message) {
  nanobind::object type = nanobind::module_::import_("ge.error").attr(error_class);
  Raise(type.ptr(), message);
}

// The message of the last status that RaiseIfError raised on this thread.
inline std::string& LastErrorMessage() {
  static thread_local std::string message;
  return message;
}

// Nothing if the status is ok, else ge.error's `error_class` with the status's message and its code in `.code`.
inline void RaiseIfError(const Status& status, const char* error_class = "GeError") {
  if (status.ok()) return;
  nanobind::object type = nanobind::module_::import_("ge.error").attr(error_class);
  const std::string& m = LastErrorMessage() = status.message();
  nanobind::object text = nanobind::steal(PyUnicode_DecodeUTF8(m.data(), static_cast<Py_ssize_t>(m.size()), "replace"));
  if (!text.is_valid()) nanobind::raise_python_error();
  nanobind::object error = type(text);
  error.attr("code") = nanobind::str(status.id());
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nanobind::python_error();
}

// The value, or the exception of RaiseIfError.
template <typename T>
T ValueOrRaise(Result<T> result, const char* error_class = "GeError") {
  if (!result.ok()) RaiseIfError(result.status(), error_class);
  return std::move(result).value();
}

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_ERRORS_H_
