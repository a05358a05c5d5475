#include "abi3_bridge/custom_op_bridge/python_side.h"

#include "abi3_bridge/bridge/start_python.h"
#include "loader/candidates.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;
namespace {

// Not destroyed by itself: at that time there may be no interpreter any more.
PythonSide* side = nullptr;
std::string& ArtifactRoot() {
  static auto* root = new std::string;
  return *root;
}

}  // namespace

void SetFolders(std::string artifact_root) { ArtifactRoot() = std::move(artifact_root); }

std::string Prepare() {
  constexpr bridge::BridgeNames kNames = {"ge.custom_op._artifact_utils", "ge.custom_op._ge_custom_op_bridge"};
  return bridge::StartPython(kNames, ArtifactRoot(), loader::PackageParent(ArtifactRoot()));
}

PythonSide& PythonSide::Get() {
  if (side != nullptr) return *side;
  nb::module_ ops = nb::module_::import_("ge.custom_op._bridge");
  nb::module_ plugins = nb::module_::import_("ge.onnx_plugin._bridge");
  // The imports may have run other threads, which may have been here.
  if (side != nullptr) return *side;
  side = new PythonSide{ops.attr("load_and_get_op_descriptors"),
                        ops.attr("validate_op_impl_descriptor"),
                        ops.attr("create_op_impl_holder"),
                        ops.attr("destroy_op_impl_holder"),
                        ops.attr("call_execute"),
                        ops.attr("call_declare_launch_args"),
                        ops.attr("call_infer_meta"),
                        ops.attr("describe_exception"),
                        ops.attr("source_of"),
                        ops.attr("reset"),
                        plugins.attr("load_and_get_onnx_plugin_descriptors"),
                        plugins.attr("call_parse_node"),
                        plugins.attr("source_of"),
                        plugins.attr("reset")};
  return *side;
}

PythonSide* PythonSide::Known() { return side; }

void PythonSide::Forget() {
  delete side;
  side = nullptr;
}

}  // namespace ge::custom_op_bridge
