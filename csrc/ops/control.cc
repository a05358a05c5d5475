// Operators with subgraphs: the outputs follow from what the subgraphs return.
#include <algorithm>

#include "ops/families.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Shape;

int64_t IndexOf(const ir::Node& data) {
  const int64_t* index = data.attr<int64_t>(ir::Common().index);
  return index ? *index : 0;
}

// Gives the subgraph's Data nodes the descs of the node's input `input`, one element an index.
void FeedFrom(InferContext& ctx, size_t input, ir::Graph& graph, std::vector<const Values*>* values) {
  values->assign(ctx.count(input), nullptr);
  for (ir::Node* data : graph.InputNodes()) {
    int64_t index = IndexOf(*data);
    if (index < 0 || index >= static_cast<int64_t>(ctx.count(input)) || data->num_outputs() == 0) continue;
    auto k = static_cast<size_t>(index);
    (*values)[k] = ctx.values(input, k);
    const ir::TensorDesc& fed = ctx.input(input, k);
    ir::TensorDesc desc = data->output_desc(0);
    if (!fed.shape.unknown_rank()) desc.shape = fed.shape;
    if (fed.dtype != DataType::kUndefined) desc.dtype = fed.dtype;
    if (desc.shape != data->output_desc(0).shape || desc.dtype != data->output_desc(0).dtype) {
      desc.origin_shape.reset();
      graph.SetOutputDesc(data, 0, std::move(desc));
    }
  }
}

// What the subgraph returns at `slot`.
ir::TensorDesc ResultOf(const ir::Graph& graph, size_t slot) {
  const ir::Node* out = graph.net_output();
  if (out == nullptr || slot >= out->num_inputs()) return {};
  return out->input_desc(static_cast<uint32_t>(slot));
}

// All subgraphs get the dynamic input `input`; an output is what they have in common.
Status InferBranches(InferContext& ctx, size_t input) {
  std::vector<const Values*> values;
  std::vector<ResultValues> results;
  std::span<const ir::SubgraphRef> graphs = ctx.node()->subgraphs();
  for (const ir::SubgraphRef& ref : graphs) {
    FeedFrom(ctx, input, *ref.graph, &values);
    GE_RETURN_IF_ERROR(ctx.InferSubgraph(*ref.graph, values, &results));
  }
  if (graphs.empty()) return Status::Ok();
  // Contents are passed on where there is no choice.
  if (graphs.size() == 1) {
    for (size_t slot = 0; slot < results.size(); ++slot) ctx.SetValues(slot, results[slot]);
  }
  for (size_t slot = 0; slot < ctx.num_outputs(); ++slot) {
    ir::TensorDesc desc = ResultOf(*graphs[0].graph, slot);
    for (size_t g = 1; g < graphs.size(); ++g) {
      ir::TensorDesc other = ResultOf(*graphs[g].graph, slot);
      desc.shape = CommonShape(desc.shape, other.shape);
      if (other.dtype != desc.dtype) desc.dtype = DataType::kUndefined;
    }
    ctx.SetOutput(slot, desc.shape, desc.dtype);
  }
  return Status::Ok();
}

// `cond` or `branch_index` first, then the inputs.
Status InferIf(InferContext& ctx) { return InferBranches(ctx, 1); }
// One subgraph that gets all inputs.
Status InferCall(InferContext& ctx) { return InferBranches(ctx, 0); }

// Descs that inference made must not outlive a looser input.
void ForgetInferred(ir::Graph& graph) {
  for (ir::Node* n : graph.nodes()) {
    if (n->is_data() || n->is_const()) continue;
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      if (n->declared(i) || n->output_desc(i).shape.unknown_rank()) continue;
      ir::TensorDesc desc = n->output_desc(i);
      desc.shape = Shape::UnknownRank();
      desc.origin_shape.reset();
      graph.SetOutputDesc(n, i, std::move(desc));
    }
  }
}

// A loop-carried tensor has one shape for all rounds: dims the body changes are unknown.
Status InferWhile(InferContext& ctx) {
  ir::Graph* cond = nullptr;
  ir::Graph* body = nullptr;
  for (const ir::SubgraphRef& ref : ctx.node()->subgraphs()) (ref.name == "cond" ? cond : body) = ref.graph;
  size_t n = std::min(ctx.num_outputs(), ctx.count(0));
  std::vector<Shape> carried;
  for (size_t k = 0; k < ctx.count(0); ++k) carried.push_back(ctx.shape(0, k));
  std::vector<const Values*> values;
  // Every round either changes nothing or makes dims unknown, so it ends soon.
  for (bool first = true, changed = true; changed && body != nullptr; first = false) {
    if (first) {
      FeedFrom(ctx, 0, *body, &values);
    } else {
      ForgetInferred(*body);
      for (ir::Node* data : body->InputNodes()) {
        int64_t index = IndexOf(*data);
        if (index < 0 || index >= static_cast<int64_t>(carried.size()) || data->num_outputs() == 0) continue;
        ir::TensorDesc desc = data->output_desc(0);
        desc.shape = carried[static_cast<size_t>(index)];
        body->SetOutputDesc(data, 0, std::move(desc));
      }
    }
    GE_RETURN_IF_ERROR(ctx.InferSubgraph(*body, {}));
    changed = false;
    for (size_t k = 0; k < n; ++k) {
      Shape common = CommonShape(carried[k], ResultOf(*body, k).shape);
      changed |= common != carried[k];
      carried[k] = std::move(common);
    }
  }
  if (cond != nullptr) {
    FeedFrom(ctx, 0, *cond, &values);
    for (ir::Node* data : cond->InputNodes()) {
      int64_t index = IndexOf(*data);
      if (index < 0 || index >= static_cast<int64_t>(carried.size()) || data->num_outputs() == 0) continue;
      ir::TensorDesc desc = data->output_desc(0);
      desc.shape = carried[static_cast<size_t>(index)];
      cond->SetOutputDesc(data, 0, std::move(desc));
    }
    GE_RETURN_IF_ERROR(ctx.InferSubgraph(*cond, {}));
  }
  for (size_t k = 0; k < n; ++k) ctx.SetOutput(k, carried[k], ctx.dtype(0, k));
  return Status::Ok();
}

// The body gets the loop counter and then the carried tensors; nothing is said about them.
Status InferFor(InferContext& ctx) {
  for (const ir::SubgraphRef& ref : ctx.node()->subgraphs()) GE_RETURN_IF_ERROR(ctx.InferSubgraph(*ref.graph, {}));
  return Status::Ok();
}

}  // namespace

void RegisterControl(OpRegistrar& r) {
  r.Op("If", "nn").Input("cond", kAll).DynamicInput("input", kAll).DynamicOutput("output", kAll)
      .Subgraph("then_branch").Subgraph("else_branch").MovesDims().Infer(InferIf);
  r.Op("StatelessIf", "legacy").Input("cond", kAll).DynamicInput("input", kAll).DynamicOutput("output", kAll)
      .Subgraph("then_branch").Subgraph("else_branch").MovesDims().Infer(InferIf);
  r.Op("_If", "legacy").Input("cond", kAll).DynamicInput("input", kAll).DynamicOutput("output", kAll)
      .Subgraph("then_branch").Subgraph("else_branch").MovesDims().Infer(InferIf);
  r.Op("Case", "legacy").Input("branch_index", kI32).DynamicInput("input", kAll).DynamicOutput("output", kAll)
      .Subgraph("branches", SubgraphKind::kDynamic).MovesDims().Infer(InferIf);
  r.Op("StatelessCase", "legacy").Input("branch_index", kI32).DynamicInput("input", kAll)
      .DynamicOutput("output", kAll).Subgraph("branches", SubgraphKind::kDynamic).MovesDims().Infer(InferIf);
  r.Op("While", "legacy").DynamicInput("input", kAll).DynamicOutput("output", kAll)
      .IntAttr("parallel_iterations", 10).Subgraph("cond").Subgraph("body").MovesDims().Infer(InferWhile);
  r.Op("StatelessWhile", "legacy").DynamicInput("input", kAll).DynamicOutput("output", kAll)
      .IntAttr("parallel_iterations", 10).Subgraph("cond").Subgraph("body").MovesDims().Infer(InferWhile);
  r.Op("_While", "legacy").DynamicInput("input", kAll).DynamicOutput("output", kAll).Subgraph("cond")
      .Subgraph("body").MovesDims().Infer(InferWhile);
  r.Op("For", "legacy").Input("start", kI32).Input("limit", kI32).Input("delta", kI32).DynamicInput("input", kAll)
      .DynamicOutput("output", kAll).Subgraph("body").MovesDims().Infer(InferFor);
  r.Op("PartitionedCall", "legacy").DynamicInput("args", kAll).DynamicOutput("output", kAll)
      .StringAttr("config", "").StringAttr("config_proto", "").StringAttr("executor_type", "").Subgraph("f")
      .MovesDims().Infer(InferCall);
  r.Op("StatefulPartitionedCall", "legacy").DynamicInput("args", kAll).DynamicOutput("output", kAll)
      .StringAttr("config", "").StringAttr("config_proto", "").StringAttr("executor_type", "").Subgraph("f")
      .MovesDims().Infer(InferCall);
}

}  // namespace ge::ops
