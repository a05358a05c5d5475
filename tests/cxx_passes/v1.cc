// Passes of the first form, written as code against GE's own headers is.
#include <iostream>
#include <memory>
#include <vector>

#include "es_all_ops.h"
#include "ge/fusion/graph_rewriter.h"
#include "ge/fusion/infer_shape_util.h"
#include "ge/fusion/pass/decompose_pass.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"

using namespace ge;
using namespace fusion;

// Relu(Abs(x)) becomes Abs(x); the capture says which Abs it was.
class V1AbsRelu : public PatternFusionPass {
 public:
  V1AbsRelu() : PatternFusionPass(PatternMatcherConfigBuilder().EnableIrAttrMatch().Build()) {}

 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    std::vector<PatternUniqPtr> patterns;
    auto builder = es::EsGraphBuilder("abs_relu");
    auto [x] = builder.CreateInputs<1>();
    auto abs = es::Abs(x);
    auto graph = builder.BuildAndReset({es::Relu(abs)});
    auto pattern = std::make_unique<Pattern>(std::move(*graph));
    pattern->CaptureTensor({*abs.GetProducer(), 0});
    patterns.emplace_back(std::move(pattern));
    return patterns;
  }
  bool MeetRequirements(const std::unique_ptr<MatchResult> &match_result) override {
    NodeIo captured;
    AscendString name, type;
    if (match_result->GetCapturedTensor(0, captured) != SUCCESS) return false;
    if (match_result->GetCapturedTensor(1, captured) == SUCCESS) return false;
    if (captured.node.GetType(type) != GRAPH_SUCCESS || type != "Abs") return false;
    captured.node.GetName(name);
    AscendString pattern_name;
    match_result->GetPatternGraph().GetName(pattern_name);
    return match_result->GetMatchedNodes().size() == 2 && pattern_name == "abs_relu" && name != "keep";
  }
  std::unique_ptr<Graph> Replacement(const std::unique_ptr<MatchResult> &match_result) override {
    auto builder = es::EsGraphBuilder("replacement");
    auto [x] = builder.CreateInputs<1>();
    auto graph = builder.BuildAndReset({es::Abs(x)});
    if (InferShapeUtil::InferShape(*graph, *match_result) != SUCCESS) return nullptr;
    return graph;
  }
};
REG_FUSION_PASS(V1AbsRelu).Stage(CustomPassStage::kAfterInferShape);

// Square(x) becomes Mul(x, x).
namespace ge {
namespace fusion {
class V1Square : public DecomposePass {
 public:
  explicit V1Square(const std::vector<AscendString> &op_types) : DecomposePass(op_types) {}

 protected:
  GraphUniqPtr Replacement(const GNode &matched_node) override {
    es::EsGraphBuilder builder("square");
    auto x = builder.CreateInput(0);
    auto graph = builder.BuildAndReset({x * x});
    return InferShapeUtil::InferShape(*graph, matched_node) == SUCCESS ? std::move(graph) : nullptr;
  }
};
REG_DECOMPOSE_PASS(V1Square, {"Square"}).Stage(CustomPassStage::kAfterInferShape);
}  // namespace fusion
}  // namespace ge

// Neg(Neg(x)) becomes Identity(x), by a matcher and a rewriter of its own.
class V1NegNeg : public FusionBasePass {
 public:
  Status Run(GraphPtr &graph, CustomPassContext &context) override {
    bool changed = false;
    for (GNode &node : graph->GetDirectNode()) {
      AscendString type;
      node.GetType(type);
      if (type != "Neg") continue;
      auto inner = node.GetInDataNodesAndPortIndexs(0).first;
      if (inner == nullptr || inner->GetType(type) != GRAPH_SUCCESS || type != "Neg") continue;
      if (inner->GetOutDataNodesAndPortIndexs(0).size() != 1) continue;
      SubgraphInput input;
      if (input.AddInput({*inner, 0}) != SUCCESS) return FAILED;
      SubgraphOutput output;
      if (output.SetOutput({node, 0}) != SUCCESS || output.SetOutput({node, 0}) == SUCCESS) return FAILED;
      SubgraphBoundary boundary;
      if (boundary.AddInput(0, input) != SUCCESS || boundary.AddInput(0, input) == SUCCESS) return FAILED;
      if (boundary.AddOutput(0, output) != SUCCESS) return FAILED;
      es::EsGraphBuilder builder("identity");
      auto replacement = builder.BuildAndReset({es::Identity(builder.CreateInput(0))});
      if (SubgraphRewriter::Replace(boundary, *replacement, context) != SUCCESS) return FAILED;
      changed = true;
    }
    return changed ? SUCCESS : NOT_CHANGED;
  }
};
REG_FUSION_PASS(V1NegNeg);
