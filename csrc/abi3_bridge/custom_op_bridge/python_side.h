// The Python functions that the bridge of custom operators calls, looked up once. Everything here needs the GIL.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_PYTHON_SIDE_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_PYTHON_SIDE_H_

#include <nanobind/nanobind.h>

#include <string>

namespace ge::custom_op_bridge {

// Where the files of the set are; once, before anything is imported.
void SetFolders(std::string artifact_root);

// Before anything of nanobind is used, without the GIL: the package, the native module, nanobind itself. What is wrong, or "".
std::string Prepare();

struct PythonSide {
  // Imports the modules at the first call; raises nanobind::python_error. REQUIRES: Prepare() has succeeded.
  static PythonSide& Get();
  // Null before the first Get and after Forget.
  static PythonSide* Known();
  // Forgets the functions, so that no reference is left when the interpreter goes.
  static void Forget();

  // ge.custom_op._bridge
  nanobind::object load_descriptors;
  nanobind::object validate;
  nanobind::object create_holder;
  nanobind::object destroy_holder;
  nanobind::object call_execute;
  nanobind::object call_declare;
  nanobind::object call_infer_meta;
  nanobind::object describe_exception;
  nanobind::object source_of;
  nanobind::object reset;
  // ge.onnx_plugin._bridge
  nanobind::object load_plugins;
  nanobind::object call_parse_node;
  nanobind::object plugin_source_of;
  nanobind::object reset_plugins;
};

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_PYTHON_SIDE_H_
