#include <algorithm>

#include "base/strings.h"
#include "fusion/graph_rewrite.h"
#include "fusion/pass.h"

namespace ge::fusion {
namespace {

// Direct nodes of these types in list order, as they are before the first replacement.
std::vector<ir::Node*> NodesOf(const ir::Graph& graph, const std::vector<ir::Symbol>& types) {
  std::vector<ir::Node*> nodes;
  for (size_t i = 0; i < types.size(); ++i) {
    bool repeated = std::find(types.begin(), types.begin() + i, types[i]) != types.begin() + i;
    if (repeated || graph.CountOfType(types[i]) == 0) continue;
    const std::vector<ir::Node*>& some = graph.NodesOfType(types[i]);
    nodes.insert(nodes.end(), some.begin(), some.end());
  }
  std::sort(nodes.begin(), nodes.end(), [](ir::Node* a, ir::Node* b) { return a->order() < b->order(); });
  return nodes;
}

}  // namespace

bool DecomposePass::Begin(PassContext&) { return true; }
void DecomposePass::End() {}
bool DecomposePass::MeetRequirements(ir::Node&, PassContext&) { return true; }

uint32_t DecomposePass::Run(ir::Graph& graph, PassContext& context) {
  std::vector<ir::Node*> nodes = NodesOf(graph, op_types_);
  if (nodes.empty()) return kNotChanged;
  struct Session {
    explicit Session(DecomposePass* p) : pass(p) {}
    ~Session() { pass->End(); }
    DecomposePass* pass;
  } session(this);
  if (!Begin(context)) return kFailed;
  int64_t rewrites = context.rewrites;
  size_t errors = context.errors.size();
  GraphRewrite rewrite;
  for (ir::Node* node : nodes) {
    if (node->graph() != &graph) continue;
    ++context.matches;
    bool wanted = MeetRequirements(*node, context);
    if (context.errors.size() > errors) return kFailed;
    if (!wanted || node->graph() != &graph) {
      context.TrimWarnings();
      continue;
    }
    ir::GraphPtr replacement = Replacement(*node, context);
    if (context.errors.size() > errors) return kFailed;
    if (replacement == nullptr) {
      context.AddError("replacement", "the hook returned no graph");
      return kFailed;
    }
    Status status = node->graph() == &graph
                        ? rewrite.site().FromBoundary(BoundaryOfNode(node))
                        : Status::Error(StrCat("the hook removed node '", node->name(), "', which it was to replace"));
    if (status.ok()) status = rewrite.Run(*replacement, context.pass_name());
    if (!status.ok()) {
      context.AddError("replacement", status.message());
      return kFailed;
    }
    ++context.rewrites;
  }
  return context.rewrites > rewrites ? kSuccess : kNotChanged;
}

}  // namespace ge::fusion
