// x + 0 becomes x, as a C++ pass.
#include <memory>
#include <vector>

#include "es_all_ops.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"

using namespace ge;
using namespace fusion;

namespace {

// Whether `node` is a float32 scalar of value 0. (One of a larger shape could stretch the sum.)
bool IsScalarZero(const GNode &node) {
  AscendString type;
  Tensor value;
  if (node.GetType(type) != GRAPH_SUCCESS || (type != "Const" && type != "Constant")) return false;
  if (node.GetAttr("value", value) != GRAPH_SUCCESS) return false;
  const Tensor &held = value;
  return held.GetTensorDesc().GetDataType() == DT_FLOAT && held.GetTensorDesc().GetShape().GetDims().empty() &&
         held.GetSize() == sizeof(float) && *reinterpret_cast<const float *>(held.GetData()) == 0.0f;
}

}  // namespace

class CppRemoveAddZero : public PatternFusionPass {
 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    std::vector<PatternUniqPtr> patterns;
    for (bool zero_on_the_right : {true, false}) {
      es::EsGraphBuilder builder(zero_on_the_right ? "x_plus_zero" : "zero_plus_x");
      auto x = builder.CreateInput(0);
      // A constant in a pattern stands for any constant as long as the matcher is not told to compare values.
      auto zero = builder.CreateScalar(0.0f);
      auto sum = zero_on_the_right ? es::Add(x, zero) : es::Add(zero, x);
      auto pattern = std::make_unique<Pattern>(std::move(*builder.BuildAndReset({sum})));
      pattern->CaptureTensor({*zero.GetProducer(), 0});
      patterns.push_back(std::move(pattern));
    }
    return patterns;
  }

  bool MeetRequirements(const std::unique_ptr<MatchResult> &match_result) override {
    NodeIo zero;
    return match_result->GetCapturedTensor(0, zero) == SUCCESS && IsScalarZero(zero.node);
  }

  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &) override {
    es::EsGraphBuilder builder("x");
    return builder.BuildAndReset({builder.CreateInput(0)});
  }
};

REG_FUSION_PASS(CppRemoveAddZero).Stage(CustomPassStage::kAfterInferShape);
