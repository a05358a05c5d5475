// The functions of ge.passes._bridge, looked up once. Everything here needs the GIL.
#ifndef GE_ABI3_BRIDGE_BRIDGE_PYTHON_SIDE_H_
#define GE_ABI3_BRIDGE_BRIDGE_PYTHON_SIDE_H_

#include <nanobind/nanobind.h>

namespace ge::bridge {

struct PythonSide {
  // Imports the module at the first call; raises nanobind::python_error when that fails.
  static PythonSide& Get();
  // Forgets the functions, so that no reference is left when the interpreter goes.
  static void Forget();

  nanobind::object open_session;
  nanobind::object collect_patterns;
  nanobind::object matcher_flags;
  nanobind::object not_a_graph;
  nanobind::object describe_exception;
  nanobind::object discover;
  nanobind::object pending;
  nanobind::object refused;
  nanobind::object handed_over_count;
  nanobind::object flush;
  nanobind::object reset;
};

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_BRIDGE_PYTHON_SIDE_H_
