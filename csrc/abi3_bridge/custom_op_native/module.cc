// _ge_custom_op_native: the classes of ge.runtime, ge.custom_op and ge.onnx_plugin that live in C++.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/native/convert.h"

namespace ge::bridge {
namespace {

// Where users import a class from; shown in reprs and by pickling errors.
void SetHomes(nb::module_& m) {
  for (const char* name : {"Shape", "StorageShape", "ExpandDimsType", "StorageFormat", "Tensor", "TensorDesc"})
    m.attr(name).attr("__module__") = "ge.runtime";
  for (const char* name : {"EagerOpExecutionContext", "AnnotatedArgsContext", "AnnotatedKernelArgs",
                           "AnnotatedKernelLaunchInfo", "WorkspaceAddr"})
    m.attr(name).attr("__module__") = "ge.custom_op";
  m.attr("OnnxNode").attr("__module__") = "ge.onnx_plugin";
}

}  // namespace
}  // namespace ge::bridge

NB_MODULE(_ge_custom_op_native, m) {
  namespace gb = ge::bridge;
  m.doc() = "Native classes of ge.runtime, ge.custom_op and ge.onnx_plugin.";
  nanobind::set_leak_warnings(false);
  m.attr("__version__") = GE_VERSION;
  gb::BindShapes(m);
  gb::BindFormats(m);
  gb::BindRuntimeTensor(m);
  gb::BindRuntimeDesc(m);
  gb::BindRuntimeAttrs(m);
  gb::BindEagerContext(m);
  gb::BindAnnotatedContext(m);
  gb::BindOnnxNode(m);
  gb::BindCustomNode(m);
  gb::BindCustomOps(m);
  gb::SetHomes(m);
}
