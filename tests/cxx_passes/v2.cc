// Passes of the second form, whose hooks are given the context.
#include <memory>
#include <vector>

#include "es_all_ops.h"
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "ge/fusion/pass/decompose_pass.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/fusion/pattern_matcher.h"

using namespace ge;
using namespace ge::fusion;

// x + 1 becomes Neg(x) where the option says so: the constant's value is compared.
class V2AddOne : public PatternFusionPassV2 {
 public:
  V2AddOne() : PatternFusionPassV2(PatternMatcherConfigBuilder().EnableConstValueMatch().Build()) {}

 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    es::EsGraphBuilder builder("add_one");
    auto graph = builder.BuildAndReset({es::Add(builder.CreateInput(0), 1.0f)});
    std::vector<PatternUniqPtr> patterns;
    patterns.push_back(std::make_unique<Pattern>(std::move(*graph)));
    return patterns;
  }
  bool MeetRequirements(const std::unique_ptr<MatchResult> &, CustomPassContext &context) override {
    AscendString value;
    if (context.GetOptionValue("no.such.option", value) == GRAPH_SUCCESS) return false;
    return context.GetPassName() == "V2AddOne";
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &, CustomPassContext &) override {
    es::EsGraphBuilder builder("replacement");
    return builder.BuildAndReset({es::Neg(builder.CreateInput(0))});
  }
};
REG_FUSION_PASS(V2AddOne);

class V2Reciprocal : public DecomposePassV2 {
 public:
  using DecomposePassV2::DecomposePassV2;

 protected:
  bool MeetRequirements(const GNode &matched_node, CustomPassContext &) override {
    AscendString name;
    return matched_node.GetName(name) == GRAPH_SUCCESS && matched_node.GetInputsSize() == 1;
  }
  GraphUniqPtr Replacement(const GNode &, CustomPassContext &context) override {
    if (context.GetPassName() != "V2Reciprocal") return nullptr;
    es::EsGraphBuilder builder("replacement");
    auto x = builder.CreateInput(0);
    return builder.BuildAndReset({es::Div(1.0f, x)});
  }
};
REG_DECOMPOSE_PASS(V2Reciprocal, {"Reciprocal", "NoSuchType"});

// Counts Relu nodes with a matcher, without a change, and checks what must not be fused.
class V2Inspect : public FusionBasePass {
 public:
  Status Run(GraphPtr &graph, CustomPassContext &) override {
    es::EsGraphBuilder builder("relu");
    auto pattern = std::make_unique<Pattern>(std::move(*builder.BuildAndReset({es::Relu(builder.CreateInput(0))})));
    PatternMatcher matcher(std::move(pattern), graph);
    std::unique_ptr<MatchResult> kept;
    while (auto match = matcher.MatchNext()) kept = std::move(match);
    if (kept == nullptr) return NOT_CHANGED;
    MatchResult copy(*kept);
    AscendString reason;
    if (!GraphFuseInspectorUtils::CanFuse(copy.GetMatchedNodes(), reason)) return FAILED;
    if (GraphFuseInspectorUtils::CanFuse({}, reason) || reason == "") return FAILED;
    GNode relu = copy.GetMatchedNodes().front();
    relu.SetAttr("seen_by_v2", int64_t{7});
    int32_t seen = 0;
    return relu.GetAttr("seen_by_v2", seen) == GRAPH_SUCCESS && seen == 7 ? SUCCESS : FAILED;
  }
};
REG_FUSION_PASS(V2Inspect).Stage(CustomPassStage::kAfterBuiltinFusionPass);
