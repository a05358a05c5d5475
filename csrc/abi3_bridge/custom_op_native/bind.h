// The bound families of _ge_custom_op_native: each is defined in the file of its name.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_BIND_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_BIND_H_

#include <nanobind/nanobind.h>

namespace ge::bridge {

void BindShapes(nanobind::module_& m);
void BindFormats(nanobind::module_& m);
void BindRuntimeTensor(nanobind::module_& m);
void BindRuntimeDesc(nanobind::module_& m);
void BindRuntimeAttrs(nanobind::module_& m);
void BindEagerContext(nanobind::module_& m);
void BindAnnotatedContext(nanobind::module_& m);
void BindOnnxNode(nanobind::module_& m);
void BindCustomNode(nanobind::module_& m);
void BindCustomOps(nanobind::module_& m);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_NATIVE_BIND_H_
