// Failures inside of the bridge as texts for whoever called it: the C ABI has codes only.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_REPORT_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_REPORT_H_

#include <nanobind/nanobind.h>

#include <exception>
#include <string>

#include "custom_op/error.h"

namespace ge::custom_op_bridge {

// "ValueError: text" and the traceback below it.
std::string Describe(const nanobind::python_error& error);

// Runs `body`; whatever it throws is left as the callback's error, and `failed` returned. No exception gets past this.
template <typename Value, typename Body>
Value Guarded(Value failed, Body&& body) noexcept {
  try {
    return body();
  } catch (const nanobind::python_error& error) {
    custom_op::ReportCallbackError(Describe(error));
  } catch (const std::exception& error) {
    custom_op::ReportCallbackError(error.what());
  } catch (...) {
    custom_op::ReportCallbackError("an unknown C++ exception was thrown");
  }
  return failed;
}

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_REPORT_H_
