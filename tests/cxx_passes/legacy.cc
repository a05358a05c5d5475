// Custom passes in the older form.
#include <iostream>

#include "register/register_custom_pass.h"

namespace {

// Relu becomes Abs: a new node, the edges over, the old node out.
ge::Status ReluToAbs(ge::GraphPtr &graph, ge::CustomPassContext &context) {
  if (context.GetPassName() != "LegacyReluToAbs") return ge::FAILED;
  for (ge::GNode &relu : graph->GetDirectNode()) {
    ge::AscendString type, name;
    relu.GetType(type);
    if (type != "Relu") continue;
    relu.GetName(name);
    ge::GNode abs = graph->AddNodeByOp(ge::OperatorFactory::CreateOperator("legacy_abs", "Abs"));
    auto source = relu.GetInDataNodesAndPortIndexs(0);
    if (graph->RemoveEdge(*source.first, source.second, relu, 0) != ge::GRAPH_SUCCESS) return ge::FAILED;
    if (graph->AddDataEdge(*source.first, source.second, abs, 0) != ge::GRAPH_SUCCESS) return ge::FAILED;
    for (auto &use : relu.GetOutDataNodesAndPortIndexs(0)) {
      graph->RemoveEdge(relu, 0, *use.first, use.second);
      if (graph->AddDataEdge(abs, 0, *use.first, use.second) != ge::GRAPH_SUCCESS) return ge::FAILED;
    }
    if (graph->RemoveNode(relu) != ge::GRAPH_SUCCESS) return ge::FAILED;
  }
  return ge::SUCCESS;
}

ge::Status Second(ge::GraphPtr &, ge::CustomPassContext &) {
  std::cout << "second legacy pass ran" << std::endl;
  return ge::SUCCESS;
}

ge::Status Streams(const ge::ConstGraphPtr &graph, ge::StreamPassContext &context) {
  int64_t stream = context.AllocateNextStreamId();
  for (const ge::GNode &node : graph->GetDirectNode()) {
    if (context.SetStreamId(node, stream) != ge::GRAPH_SUCCESS) return ge::FAILED;
    if (context.SetStreamId(node, stream + 1) == ge::GRAPH_SUCCESS) return ge::FAILED;
  }
  std::cout << "streams allocated up to " << context.GetCurrMaxStreamId() << std::endl;
  return ge::SUCCESS;
}

}  // namespace

REGISTER_CUSTOM_PASS("ZLegacyFirst").CustomPassFn(ReluToAbs).Stage(ge::CustomPassStage::kInvalid);
REGISTER_CUSTOM_PASS("LegacyReluToAbs").CustomPassFn(ReluToAbs);
REGISTER_CUSTOM_PASS("ALegacySecond").CustomPassFn(Second).Stage(ge::CustomPassStage::kBeforeInferShape);
REGISTER_CUSTOM_PASS("LegacyStreams").CustomAllocateStreamPassFn(Streams);
