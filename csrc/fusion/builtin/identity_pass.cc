// IdentityPass: takes out nodes that hand their one input on as it is.
#include <algorithm>
#include <span>

#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"

namespace ge::fusion::builtin {
namespace {

// Identity itself, and what joins any number of tensors.
std::span<const ir::Symbol> Types() {
  static const ir::Symbol types[] = {ir::Symbol("Identity"),       ir::Symbol("ConcatD"),
                                     ir::Symbol("AddN"),           ir::Symbol("AccumulateNV2"),
                                     ir::Symbol("ai.onnx::Sum"),   ir::Symbol("ai.onnx::Mean"),
                                     ir::Symbol("ai.onnx::Max"),   ir::Symbol("ai.onnx::Min"),
                                     ir::Symbol("ai.onnx::Concat")};
  return types;
}

bool HandsOn(const ir::Node& node) {
  return node.num_inputs() == 1 && node.num_outputs() == 1 &&
         std::find(Types().begin(), Types().end(), node.type()) != Types().end();
}

class IdentityPass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (!HasAny(graph, Types())) return kNotChanged;
    if (!Ordered(graph, context)) return kFailed;
    NamedTensors named(graph);
    int64_t rewrites = context.rewrites;
    for (ir::Node* node : graph.nodes()) {
      if (!HandsOn(*node) || !IsPlain(*node)) continue;
      ir::Anchor source = node->input(0);
      if (source && Bypass(graph, node, source, named, context)) ++context.rewrites;
    }
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeIdentityPass() { return std::make_unique<IdentityPass>(); }

}  // namespace ge::fusion::builtin
