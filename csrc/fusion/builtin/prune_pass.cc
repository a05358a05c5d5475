// PrunePass: takes out what no output depends on.
#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"

namespace ge::fusion::builtin {
namespace {

class PrunePass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (graph.net_output() == nullptr || !Ordered(graph, context)) {
      return context.errors.empty() ? kNotChanged : kFailed;
    }
    int64_t rewrites = context.rewrites;
    // Consumers come later in the list, so that one walk from its end meets them first.
    for (ir::Node* node = graph.last(); node != nullptr;) {
      ir::Node* previous = node->prev();
      if (IsDead(*node)) {
        bool constant = node->is_const();
        graph.RemoveNode(node);
        if (!constant) {
          ++context.matches;
          ++context.rewrites;
        }
      }
      node = previous;
    }
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakePrunePass() { return std::make_unique<PrunePass>(); }

}  // namespace ge::fusion::builtin
