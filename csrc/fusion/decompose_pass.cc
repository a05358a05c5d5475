#include <algorithm>

#include "base/strings.h"
#include "fusion/graph_rewrite.h"
#include "fusion/match_search.h"
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

PatternExplanation* DecomposePass::Explain(const ir::Graph& graph, size_t candidates, PassContext& context) const {
  if (context.explanation == nullptr) return nullptr;
  PatternExplanation& e = context.explanation->patterns.emplace_back();
  std::vector<std::string> types;
  for (ir::Symbol type : op_types_) types.emplace_back(type.view());
  e.pattern = e.root_type = Join(types, "|");
  e.graph = graph.name();
  e.size = 1;
  e.candidates = static_cast<int64_t>(candidates);
  if (candidates == 0) e.unusable = StrCat("the graph has no node of type '", e.root_type, "'");
  return &e;
}

uint32_t DecomposePass::Run(ir::Graph& graph, PassContext& context) {
  std::vector<ir::Node*> nodes = NodesOf(graph, op_types_);
  PatternExplanation* explanation = Explain(graph, nodes.size(), context);
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
    size_t warnings = context.warnings.size();
    bool wanted = MeetRequirements(*node, context);
    if (context.errors.size() > errors) return kFailed;
    if (!wanted || node->graph() != &graph) {
      if (explanation != nullptr) explanation->AddRefused({ShownNode(*node), Refusal(context, warnings)});
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
    RewriteTrace trace(context.trace);
    if (status.ok()) trace.Before(node->type().view(), rewrite.site().inner, rewrite.site().inputs, rewrite.site().outputs);
    if (status.ok()) status = rewrite.Run(*replacement, context.pass_name());
    if (status.ok() && context.infer_new_nodes) status = rewrite.InferNewNodes();
    if (!status.ok()) {
      context.AddError("replacement", status.message());
      return kFailed;
    }
    trace.After(rewrite.new_nodes(), rewrite.site().inputs, rewrite.results());
    ++context.rewrites;
    if (explanation != nullptr) ++explanation->rewrites;
  }
  return context.rewrites > rewrites ? kSuccess : kNotChanged;
}

}  // namespace ge::fusion
