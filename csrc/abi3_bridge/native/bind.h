// The bound families: each is defined in the file of its name and called once while the module is made.
#ifndef GE_ABI3_BRIDGE_NATIVE_BIND_H_
#define GE_ABI3_BRIDGE_NATIVE_BIND_H_

#include <nanobind/nanobind.h>

namespace ge::bridge {

void BindRawHandle(nanobind::module_& m);
void BindTensorDesc(nanobind::module_& m);
void BindTensor(nanobind::module_& m);
void BindNode(nanobind::module_& m);
void BindGraph(nanobind::module_& m);
void BindAttrValue(nanobind::module_& m);
void BindOperatorDraft(nanobind::module_& m);
void BindAiCore(nanobind::module_& m);
void BindEsGraphBuilder(nanobind::module_& m);
void BindEsTensorHolder(nanobind::module_& m);
void BindEsOperators(nanobind::module_& m);
void BindEsPrototypes(nanobind::module_& m);
void BindPasses(nanobind::module_& m);
void BindBoundary(nanobind::module_& m);
void BindBuild(nanobind::module_& m);
void BindOmIo(nanobind::module_& m);
void BindOnnxIo(nanobind::module_& m);
void BindFindMatches(nanobind::module_& m);
void BindApply(nanobind::module_& m);
void BindRegisteredPasses(nanobind::module_& m);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_BIND_H_
