#include "fusion/output_watch.h"

#include "base/strings.h"
#include "formats/onnx/private_attrs.h"

namespace ge::fusion {

OutputWatch::OutputWatch(const ir::Graph& graph) : end_(graph.net_output()) {
  for (uint32_t i = 0; end_ != nullptr && i < end_->num_inputs(); ++i) sources_.push_back(end_->input(i));
}

std::vector<std::string> OutputWatch::Lost(const ir::Graph& graph) const {
  const ir::Node* end = graph.net_output();
  std::vector<std::string> lost;
  for (uint32_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i] || (end != nullptr && i < end->num_inputs() && end->input(i))) continue;
    lost.push_back(StrCat("output ", i, " ('", NameOf(i), "')"));
  }
  return lost;
}

// The nodes of before may be removed by now, but are not gone while the graph exists.
std::string OutputWatch::NameOf(uint32_t i) const {
  const auto* names = end_->attr<std::vector<std::string>>(formats::onnx::Private().output_names);
  if (names != nullptr && i < names->size()) return (*names)[i];
  return StrCat(sources_[i].node->name(), ":", sources_[i].index);
}

}  // namespace ge::fusion
