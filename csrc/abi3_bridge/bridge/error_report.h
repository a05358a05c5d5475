// Python exceptions as reports to the sinks of the C ABI. Everything here needs the GIL.
#ifndef GE_ABI3_BRIDGE_BRIDGE_ERROR_REPORT_H_
#define GE_ABI3_BRIDGE_BRIDGE_ERROR_REPORT_H_

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <string_view>

#include "loader/bridge_abi.h"

namespace ge::bridge {

// `source` and `hook` may be empty: the receiver knows them then.
void Report(const ge_error_sink* errors, std::string_view source, std::string_view hook,
            std::string_view message, std::string_view traceback = {}, bool interrupt = false);
struct ExceptionText {
  std::string message;
  std::string traceback;
};
// In UTF-8, whatever the exception holds.
ExceptionText Describe(const nanobind::python_error& error);
// Message, traceback and whether it means stop, as ge.passes._bridge.describe_exception tells them.
void ReportException(const ge_error_sink* errors, std::string_view source, std::string_view hook,
                     const nanobind::python_error& error);

// The same without the words, for a hook that raises at one place after the other: making a
// traceback takes longer than most hooks.
void ReportRepeated(const ge_error_sink* errors, std::string_view hook,
                    const nanobind::python_error& error);

// Runs `body`; whatever it throws is reported, and `failed` returned. No exception gets past this.
template <typename Value, typename Body>
Value Guarded(const ge_error_sink* errors, std::string_view hook, Value failed,
              Body&& body) noexcept {
  try {
    return body();
  } catch (const nanobind::python_error& error) {
    ReportException(errors, {}, hook, error);
  } catch (const std::exception& error) {
    Report(errors, {}, hook, error.what());
  } catch (...) {
    Report(errors, {}, hook, "an unknown C++ exception was thrown");
  }
  return failed;
}

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_BRIDGE_ERROR_REPORT_H_
