#include "cxx_api/access.h"
#include "ge/fusion/pattern.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace fusion {

struct Pattern::Data {
  Graph graph;
  std::unique_ptr<ge_core::fusion::Pattern> core;
};

Pattern::Pattern(Graph &&graph) : data_(std::make_unique<Data>()) {
  // An empty graph makes a pattern that is not valid, which its first use tells.
  if (!graph.IsValid()) graph = Graph("pattern");
  data_->graph = std::move(graph);
  data_->core = std::make_unique<ge_core::fusion::Pattern>(Access::Core(data_->graph));
}

Pattern::~Pattern() = default;

const Graph &Pattern::GetGraph() const { return data_->graph; }

Pattern &Pattern::CaptureTensor(const NodeIo &node_output) {
  ge_core::ir::Anchor anchor = Access::Core(node_output);
  if (!anchor || anchor.node->graph() != &data_->core->graph() || anchor.index >= anchor.node->num_outputs()) {
    // Kept, so that later captures have the number that their order gives them.
    v1::detail::NoteProblem(ge_core::StrCat("capture ", data_->core->captures().size(), " of pattern '",
                                            data_->core->graph().name(), "' is no output of a node of that pattern"));
    anchor = {};
  }
  data_->core->CaptureTensor(anchor);
  return *this;
}

Status Pattern::GetCapturedTensors(std::vector<NodeIo> &tensors) const {
  tensors.clear();
  for (ge_core::ir::Anchor anchor : data_->core->captures()) tensors.push_back(Access::Make(anchor));
  return SUCCESS;
}

}  // namespace fusion

namespace detail {

ge_core::fusion::Pattern &Access::Core(const fusion::Pattern &pattern) { return *pattern.data_->core; }

}  // namespace detail
}  // namespace v1
}  // namespace ge
