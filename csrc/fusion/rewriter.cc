#include "fusion/rewriter.h"

#include <cstdlib>

#include "base/strings.h"
#include "fusion/current_pass.h"
#include "fusion/fuse_check.h"
#include "fusion/graph_rewrite.h"
#include "fusion/origin.h"

namespace ge::fusion {
namespace {

// The attributes of the old nodes by their names, on the new ones: for those who read dumps.
void RecordAttrs(const std::vector<ir::Node*>& nodes_before, const std::vector<ir::Node*>& nodes_after) {
  const char* dump = std::getenv("DUMP_GE_GRAPH");
  if (dump == nullptr || dump[0] < '1' || dump[0] > '3' || dump[1] != '\0') return;
  auto by_name = std::make_shared<ir::AttrMap>();
  for (const ir::Node* n : nodes_before) {
    by_name->Set(ir::Symbol(n->name()), ir::NamedAttrsPtr(std::make_shared<ir::AttrMap>(n->attrs())));
  }
  static const ir::Symbol name("_original_op_attrs_map");
  for (ir::Node* n : nodes_after) n->graph()->SetAttr(n, name, ir::NamedAttrsPtr(by_name));
}

// Graphs of the user's own are no business of the pass that runs.
bool InfersNewNodes(const ir::Graph& graph) {
  const PassContext* pass = CurrentPass::Get();
  return pass != nullptr && pass->infer_new_nodes && graph.journal() != nullptr;
}

Status Run(GraphRewrite& rewrite, const ir::Graph& replacement, std::string_view pass_name) {
  GE_RETURN_IF_ERROR(rewrite.Run(replacement, pass_name));
  return InfersNewNodes(*rewrite.site().graph) ? rewrite.InferNewNodes() : Status::Ok();
}

}  // namespace

Status Replace(const SubgraphBoundary& boundary, const ir::Graph& replacement, std::string_view pass_name) {
  GraphRewrite rewrite;
  GE_RETURN_IF_ERROR(rewrite.site().FromBoundary(boundary));
  return Run(rewrite, replacement, pass_name);
}

Status Replace(const SubgraphBoundary& boundary, const ir::Graph& replacement, PassContext& context) {
  if (context.pass_name().empty()) {
    return Status::Error("the pass context has no pass name to report the fusion under; set one");
  }
  GraphRewrite rewrite;
  GE_RETURN_IF_ERROR(rewrite.site().FromBoundary(boundary));
  GE_RETURN_IF_ERROR(CanFuse(rewrite.site().FusedNodes()));
  RewriteTrace trace(context.trace);
  trace.Before(context.pass_name(), rewrite.site().inner, rewrite.site().inputs, rewrite.site().outputs);
  GE_RETURN_IF_ERROR(Run(rewrite, replacement, context.pass_name()));
  trace.After(rewrite.new_nodes(), rewrite.site().inputs, rewrite.results());
  ++context.matches;
  ++context.rewrites;
  return Status::Ok();
}

Status Replace(const MatchResult& match, const ir::Graph& replacement, std::string_view pass_name) {
  GraphRewrite rewrite;
  rewrite.site().FromMatch(match);
  return Run(rewrite, replacement, pass_name);
}

Status ReportFuse(const std::vector<ir::Node*>& nodes_before, const std::vector<ir::Node*>& nodes_after,
                  PassContext& context) {
  GE_RETURN_IF_ERROR(CheckReportedNodes(nodes_before, nodes_after));
  if (context.pass_name().empty()) {
    return Status::Error("the pass context has no pass name to report the fusion under; set one");
  }
  Origin origin;
  origin.Collect(nodes_before, context.pass_name());
  for (ir::Node* n : nodes_after) origin.Apply(*n->graph(), n);
  RecordAttrs(nodes_before, nodes_after);
  ++context.matches;
  ++context.rewrites;
  return Status::Ok();
}

}  // namespace ge::fusion
