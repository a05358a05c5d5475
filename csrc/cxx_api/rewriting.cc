// SubgraphRewriter, GraphFuseInspectorUtils, InferShapeUtil.
#include "cxx_api/access.h"
// After core.h, see there.
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "ge/fusion/graph_rewriter.h"
#include "ge/fusion/infer_shape_util.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace fusion {
namespace {

// Null for an empty handle.
std::vector<ge_core::ir::Node *> CoreNodes(const std::vector<GNode> &nodes) {
  std::vector<ge_core::ir::Node *> out;
  for (const GNode &node : nodes) out.push_back(Access::Core(node));
  return out;
}

ge_core::Status NoGraph() { return ge_core::Status::Error("the replacement is an empty graph handle; build a graph"); }

// Told to the context too, from where the executor takes it.
Status Report(const ge_core::Status &status, std::string_view what, CustomPassContext &context) {
  if (!status.ok()) {
    context.SetErrorMessage(Access::Text(ge_core::StrCat(what, " in pass '", Access::View(context.GetPassName()), "': ",
                                                         status.message())));
  }
  return v1::detail::StatusOf(status);
}

}  // namespace

Status SubgraphRewriter::Replace(const SubgraphBoundary &boundary, const Graph &replacement) {
  if (!replacement.IsValid()) return v1::detail::StatusOf(NoGraph());
  auto core = Access::Core(boundary);
  if (!core.ok()) return v1::detail::StatusOf(core.status());
  return v1::detail::StatusOf(
      ge_core::fusion::Replace(core.value(), *Access::Core(replacement), std::string_view()));
}

Status SubgraphRewriter::Replace(const SubgraphBoundary &boundary, Graph &&replacement) {
  return Replace(boundary, static_cast<const Graph &>(replacement));
}

Status SubgraphRewriter::Replace(const SubgraphBoundary &boundary, const Graph &replacement,
                                 CustomPassContext &context) {
  constexpr std::string_view kWhat = "SubgraphRewriter::Replace";
  if (!replacement.IsValid()) return Report(NoGraph(), kWhat, context);
  auto core = Access::Core(boundary);
  if (!core.ok()) return Report(core.status(), kWhat, context);
  return Report(ge_core::fusion::Replace(core.value(), *Access::Core(replacement), Access::Core(context)), kWhat, context);
}

Status SubgraphRewriter::Replace(const SubgraphBoundary &boundary, Graph &&replacement, CustomPassContext &context) {
  return Replace(boundary, static_cast<const Graph &>(replacement), context);
}

bool GraphFuseInspectorUtils::CanFuse(const std::vector<GNode> &nodes, AscendString &reason) {
  ge_core::Status status = ge_core::fusion::CanFuse(CoreNodes(nodes));
  reason = Access::Text(status.message());
  return status.ok();
}

Status GraphFuseInspectorUtils::ReportFuse(const std::vector<GNode> &nodes_before, const std::vector<GNode> &nodes_after,
                                           CustomPassContext &context) {
  return Report(ge_core::fusion::ReportFuse(CoreNodes(nodes_before), CoreNodes(nodes_after), Access::Core(context)),
                "ReportFuse", context);
}

namespace {

Status Infer(const Graph &replacement, const ge_core::Result<ge_core::fusion::SubgraphBoundary> &boundary) {
  if (!replacement.IsValid()) return v1::detail::StatusOf(NoGraph());
  if (!boundary.ok()) return v1::detail::StatusOf(boundary.status());
  return v1::detail::StatusOf(ge_core::fusion::InferReplacement(*Access::Core(replacement), boundary.value()));
}

}  // namespace

Status InferShapeUtil::InferShape(const Graph &replacement, const SubgraphBoundary &boundary) {
  return Infer(replacement, Access::Core(boundary));
}

Status InferShapeUtil::InferShape(const Graph &replacement, const MatchResult &match) {
  if (const ge_core::fusion::MatchResult *core = Access::Core(match)) return Infer(replacement, core->ToBoundary());
  auto boundary = match.ToSubgraphBoundary();
  return boundary == nullptr ? FAILED : InferShape(replacement, *boundary);
}

Status InferShapeUtil::InferShape(const Graph &replacement, const GNode &node) {
  ge_core::ir::Node *core = Access::Core(node);
  if (core == nullptr) {
    return v1::detail::StatusOf(ge_core::Status::Error("InferShape needs a node of the graph, found an empty handle"));
  }
  return Infer(replacement, ge_core::fusion::BoundaryOfNode(core));
}

}  // namespace fusion
}  // namespace v1
}  // namespace ge
