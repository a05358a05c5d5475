// Passes that fail in every way; each must leave the graph as it was and the others alone.
#include <memory>
#include <stdexcept>
#include <vector>

#include "es_all_ops.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "register/register_custom_pass.h"

using namespace ge;
using namespace ge::fusion;

class BadRun : public FusionBasePass {
 public:
  Status Run(GraphPtr &graph, CustomPassContext &) override {
    for (GNode &node : graph->GetDirectNode()) {
      AscendString type;
      node.GetType(type);
      if (type == "Relu") graph->RemoveNode(node);
    }
    throw std::runtime_error("the run went wrong");
  }
};
REG_FUSION_PASS(BadRun);

class BadStatus : public FusionBasePass {
 public:
  Status Run(GraphPtr &, CustomPassContext &context) override {
    context.SetErrorMessage("told by the pass");
    return 77;
  }
};
REG_FUSION_PASS(BadStatus);

class BadConstructor : public FusionBasePass {
 public:
  BadConstructor() { throw 42; }
  Status Run(GraphPtr &, CustomPassContext &) override { return SUCCESS; }
};
REG_FUSION_PASS(BadConstructor);

class BadReplacement : public PatternFusionPass {
 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    es::EsGraphBuilder builder("relu");
    std::vector<PatternUniqPtr> patterns;
    patterns.push_back(
        std::make_unique<Pattern>(std::move(*builder.BuildAndReset({es::Relu(builder.CreateInput(0))}))));
    return patterns;
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &) override {
    es::EsGraphBuilder builder("replacement");
    auto x = builder.CreateInput(0);
    builder.CreateInput(0);  // taken
    return builder.BuildAndReset({x});
  }
};
REG_FUSION_PASS(BadReplacement);

REGISTER_CUSTOM_PASS("BadLegacy").CustomPassFn([](GraphPtr &, CustomPassContext &) -> Status { return NOT_CHANGED; });
REGISTER_CUSTOM_PASS("BadStreams")
    .CustomPassFn([](GraphPtr &, CustomPassContext &) -> Status { return SUCCESS; })
    .Stage(CustomPassStage::kAfterAssignLogicStream);
