// _ge_pass_native: the classes of ge.graph, ge.es and ge.passes that live in C++.
#include "abi3_bridge/errors.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"

namespace ge::bridge {
namespace {

// Where users import a class from; shown in reprs and by pickling errors.
void SetHomes(nanobind::module_& m) {
  struct Home {
    const char* module;
    const char* name;
  };
  constexpr Home kHomes[] = {
      {"ge.graph", "Graph"},
      {"ge.graph", "Node"},
      {"ge.graph", "Tensor"},
      {"ge.graph", "TensorDesc"},
      {"ge.graph._attr", "_AttrValue"},
      {"ge.es", "GraphBuilder"},
      {"ge.es", "TensorHolder"},
      {"ge.passes", "Pattern"},
      {"ge.passes", "MatchResult"},
      {"ge.passes", "PassContext"},
      {"ge.passes", "PatternMatcherConfig"},
      {"ge.passes", "PatternMatcherConfigBuilder"},
      {"ge.passes", "SubgraphInput"},
      {"ge.passes", "SubgraphOutput"},
      {"ge.passes", "SubgraphBoundary"},
      {"ge.passes", "SubgraphRewriter"},
  };
  for (const Home& home : kHomes) m.attr(home.name).attr("__module__") = home.module;
}

}  // namespace
}  // namespace ge::bridge

NB_MODULE(_ge_pass_native, m) {
  namespace gb = ge::bridge;
  m.doc() = "Native classes of ge.graph, ge.es and ge.passes.";
  // Enumerations and value classes of the Python side are kept until the process ends, and with them what they refer to.
  nanobind::set_leak_warnings(false);
  m.attr("__version__") = GE_VERSION;
  m.def("last_error_message", [] { return gb::NewText(gb::LastErrorMessage()); });
  gb::BindRawHandle(m);
  gb::BindTensorDesc(m);
  gb::BindTensor(m);
  gb::BindNode(m);
  gb::BindGraph(m);
  gb::BindAttrValue(m);
  gb::BindOperatorDraft(m);
  gb::BindAiCore(m);
  gb::BindEsTensorHolder(m);
  gb::BindEsGraphBuilder(m);
  gb::BindEsOperators(m);
  gb::BindEsPrototypes(m);
  gb::BindPasses(m);
  gb::BindBoundary(m);
  gb::BindBuild(m);
  gb::BindOmIo(m);
  gb::BindOnnxIo(m);
  gb::BindFindMatches(m);
  gb::BindApply(m);
  gb::BindRegisteredPasses(m);
  gb::SetHomes(m);
}
