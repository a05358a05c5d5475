// DropOutPass: a compiled model only infers, and then Dropout hands its input on.
#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"

namespace ge::fusion::builtin {
namespace {

struct Types {
  ir::Symbol mapped{"Dropout"}, opaque{"ai.onnx::Dropout"};
};
const Types& Names() {
  static const auto* names = new Types;
  return *names;
}

class DropOutPass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (graph.CountOfType(Names().mapped) + graph.CountOfType(Names().opaque) == 0) return kNotChanged;
    if (!Ordered(graph, context)) return kFailed;
    NamedTensors named(graph);
    Constants constants(graph);
    int64_t rewrites = context.rewrites;
    for (ir::Node* node : graph.nodes()) {
      if (!IsInference(*node, constants) || !IsPlain(*node) || node->num_inputs() == 0 || !node->input(0)) continue;
      bool mask_is_read = false;
      for (uint32_t i = 1; i < node->num_outputs(); ++i) mask_is_read |= node->num_uses(i) > 0;
      if (mask_is_read) {
        ++context.matches;
      } else if (Bypass(graph, node, node->input(0), named, context)) {
        ++context.rewrites;
      }
    }
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }

 private:
  static bool IsInference(const ir::Node& node, const Constants& constants) {
    if (node.num_outputs() == 0) return false;
    if (node.type() == Names().mapped) return node.num_inputs() == 1;
    if (node.type() != Names().opaque) return false;
    // From opset 12 on a third input says whether to train; before 7 an attribute says that it is a test.
    static const ir::Symbol is_test("is_test");
    if (node.num_inputs() == 1) {
      const int64_t* test = node.attr<int64_t>(is_test);
      return test != nullptr && *test == 1;
    }
    if (node.num_inputs() < 3 || !node.input(2)) return true;
    std::vector<int64_t> training;
    return constants.Ints(node, 2, &training) && training.size() == 1 && training[0] == 0;
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeDropOutPass() { return std::make_unique<DropOutPass>(); }

}  // namespace ge::fusion::builtin
