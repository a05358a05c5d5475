#include "abi3_bridge/bridge/error_report.h"

#include <string>

#include "abi3_bridge/bridge/python_side.h"

namespace ge::bridge {
namespace nb = nanobind;
namespace {

std::string TextOf(nb::handle text) {
  nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "replace"));
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes.is_valid() || PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) {
    PyErr_Clear();
    return "?";
  }
  return std::string(data, static_cast<size_t>(size));
}

bool IsInterrupt(const nb::python_error& error) {
  return error.matches(PyExc_KeyboardInterrupt) || error.matches(PyExc_SystemExit);
}

}  // namespace

void Report(const ge_error_sink* errors, std::string_view source, std::string_view hook,
            std::string_view message, std::string_view traceback, bool interrupt) {
  if (errors == nullptr || errors->report == nullptr) return;
  errors->report(errors->user, std::string(source).c_str(), std::string(hook).c_str(),
                 std::string(message).c_str(), std::string(traceback).c_str(), interrupt ? 1 : 0);
}

ExceptionText Describe(const nb::python_error& error) {
  try {
    nb::object described = PythonSide::Get().describe_exception(error.value());
    return {TextOf(described[0]), TextOf(described[1])};
  } catch (...) {
    // Describing it failed too, so its own text is not to be trusted.
    return {"an exception that cannot be shown", {}};
  }
}

void ReportException(const ge_error_sink* errors, std::string_view source, std::string_view hook,
                     const nb::python_error& error) {
  const ExceptionText text = Describe(error);
  Report(errors, source, hook, text.message, text.traceback, IsInterrupt(error));
}

void ReportRepeated(const ge_error_sink* errors, std::string_view hook,
                    const nb::python_error& error) {
  if (IsInterrupt(error)) {
    ReportException(errors, {}, hook, error);
  } else {
    Report(errors, {}, hook, "raised again");
  }
}

}  // namespace ge::bridge
