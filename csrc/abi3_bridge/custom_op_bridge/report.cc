#include "abi3_bridge/custom_op_bridge/report.h"

#include "abi3_bridge/custom_op_bridge/python_side.h"
#include "abi3_bridge/native/convert.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;

std::string Describe(const nb::python_error& error) {
  try {
    PythonSide* python = PythonSide::Known();
    if (python == nullptr) return bridge::Shown(error.value());
    nb::object described = python->describe_exception(error.value());
    std::string text(bridge::Text(nb::object(described[0])));
    const std::string trace(bridge::Text(nb::object(described[1])));
    return trace.empty() ? text : text + "\n" + trace;
  } catch (...) {
    // Describing it failed too, so its own text is not to be trusted.
    return "an exception that cannot be shown";
  }
}

}  // namespace ge::custom_op_bridge
