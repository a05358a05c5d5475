#include "ops/infer.h"

#include <deque>

#include "base/strings.h"
#include "ops/infer_context.h"
#include "ops/output_format.h"
#include "ops/registrar.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using ir::Dim;
using ir::Shape;
using ir::TensorDesc;

enum class NameChoice { kInferred, kDeclared };

// What follows from the inputs joined with what the model says. False on a contradiction.
bool MergeShape(const Shape& inferred, const Shape& declared, NameChoice names, Shape* out) {
  if (inferred == declared || declared.unknown_rank()) {
    *out = inferred;
    return true;
  }
  if (inferred.unknown_rank()) {
    *out = declared;
    return true;
  }
  if (inferred.rank() != declared.rank()) return false;
  Shape result = inferred;
  for (size_t i = 0; i < inferred.rank(); ++i) {
    Dim d;
    bool keep_name = names == NameChoice::kDeclared && ir::IsSymbolic(declared[i]) && !ir::IsStatic(inferred[i]);
    if (keep_name) {
      d = declared[i];
    } else if (!MergeDim(inferred[i], declared[i], &d)) {
      return false;
    }
    result.Set(i, d);
  }
  *out = std::move(result);
  return true;
}

std::string Text(const Shape& shape, ir::DataType dtype) {
  return StrCat(ir::Name(dtype), shape.unknown_rank() ? std::string("[?]") : shape.ToString());
}

class Inferrer : public SubgraphInferrer {
 public:
  Status Run(ir::Graph& graph, std::span<const Values* const> inputs, std::vector<ResultValues>* results);
  Status InferNode(ir::Graph& graph, ir::Node* node, InferContext& ctx);
  Status InferSubgraph(ir::Graph& graph, std::span<const Values* const> inputs,
                       std::vector<ResultValues>* results) override {
    if (depth_ >= kMaxDepth) {
      return Status::Error(StrCat("cannot infer graph '", graph.name(), "': expected at most ", kMaxDepth,
                                  " subgraphs inside each other, found more; flatten the model"));
    }
    ++depth_;
    Status s = Run(graph, inputs, results);
    --depth_;
    return s.ok() ? s : s.WithContext(StrCat("subgraph '", graph.name(), "'"));
  }

 private:
  static constexpr int kMaxDepth = 64;
  void CollectResults(ir::Graph& graph, ValueStore& store, std::vector<ResultValues>* results);
  Status CommitOutputs(ir::Graph& graph, ir::Node* node, const InferContext& ctx);
  Status UpdateInputDescs(ir::Graph& graph, ir::Node* node);
  int depth_ = 0;
};

Status Inferrer::Run(ir::Graph& graph, std::span<const Values* const> inputs, std::vector<ResultValues>* results) {
  GE_RETURN_IF_ERROR(graph.TopologicalSort());
  ValueStore store(graph);
  static const ir::Symbol index_name("index");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    for (ir::Node* data : graph.InputNodes()) {
      const int64_t* index = data->attr<int64_t>(index_name);
      if (index != nullptr && *index == static_cast<int64_t>(i)) store.Set({data, 0}, *inputs[i]);
    }
  }
  InferContext ctx(&store, this);
  for (ir::Node* node : graph.nodes()) GE_RETURN_IF_ERROR(InferNode(graph, node, ctx));
  if (results != nullptr) CollectResults(graph, store, results);
  return Status::Ok();
}

Status Inferrer::InferNode(ir::Graph& graph, ir::Node* node, InferContext& ctx) {
  const OpDef* def = FindOp(node->type());
  if (def == nullptr) def = FindForeignOp(node->type());
  if (def != nullptr && def->infer() != nullptr) {
    ctx.Reset(node, def);
    GE_RETURN_IF_ERROR(def->infer()(ctx));
    GE_RETURN_IF_ERROR(CommitOutputs(graph, node, ctx));
  } else {
    for (const ir::SubgraphRef& ref : node->subgraphs()) GE_RETURN_IF_ERROR(InferSubgraph(*ref.graph, {}, nullptr));
  }
  return UpdateInputDescs(graph, node);
}

void Inferrer::CollectResults(ir::Graph& graph, ValueStore& store, std::vector<ResultValues>* results) {
  const ir::Node* out = graph.net_output();
  results->assign(out == nullptr ? 0 : out->num_inputs(), {});
  for (uint32_t i = 0; i < results->size(); ++i) {
    const Values* v = store.Find(out->input(i));
    if (v != nullptr) (*results)[i] = {true, v->scalar, {v->items.begin(), v->items.end()}};
  }
}

Status Inferrer::CommitOutputs(ir::Graph& graph, ir::Node* node, const InferContext& ctx) {
  for (uint32_t i = 0; i < node->num_outputs(); ++i) {
    const InferContext::Output& out = ctx.output(i);
    if (!out.set) continue;
    const TensorDesc& old = node->output_desc(i);
    bool same_type = out.dtype == old.dtype || out.dtype == ir::DataType::kUndefined;
    const ir::Format format = out.format ? *out.format : OutputFormat(ctx, out.shape).value_or(old.format);
    if (same_type && out.shape == old.shape && format == old.format) continue;
    Shape shape = out.shape;
    if (node->declared(i)) {
      bool known_types = !same_type && old.dtype != ir::DataType::kUndefined;
      if (known_types || !MergeShape(out.shape, old.shape, NameChoice::kInferred, &shape)) {
        return ctx.Error(StrCat("output ", i, " as the model declares it, '", Text(old.shape, old.dtype), "'"),
                         StrCat("'", Text(out.shape, out.dtype), "' from its inputs"),
                         "correct the declaration in the model, or the inputs");
      }
      if (same_type && shape == old.shape && format == old.format) continue;
    }
    TensorDesc desc = old;
    if (format != old.format) desc.format = desc.origin_format = format;
    if (desc.origin_shape && shape != desc.shape) desc.origin_shape.reset();
    desc.shape = std::move(shape);
    if (!same_type) desc.dtype = out.dtype;
    graph.SetOutputDesc(node, i, std::move(desc));
  }
  return Status::Ok();
}

// Input descs of their own follow what feeds them; graph outputs keep the names of their dims.
Status Inferrer::UpdateInputDescs(ir::Graph& graph, ir::Node* node) {
  bool is_output = node->is_net_output();
  for (uint32_t i = 0; i < node->num_inputs(); ++i) {
    if (!node->has_input_desc(i)) continue;
    ir::Anchor source = node->input(i);
    if (!source) continue;
    const TensorDesc& fed = source.node->output_desc(source.index);
    const TensorDesc& own = node->input_desc(i);
    bool types_differ = fed.dtype != ir::DataType::kUndefined && fed.dtype != own.dtype;
    Shape shape = fed.shape;
    if (is_output) {
      if ((types_differ && own.dtype != ir::DataType::kUndefined) ||
          !MergeShape(fed.shape, own.shape, NameChoice::kDeclared, &shape)) {
        return Status::Error(StrCat("cannot infer output ", i, " of graph '", graph.name(), "': expected '",
                                    Text(own.shape, own.dtype), "' as declared, found '", Text(fed.shape, fed.dtype),
                                    "' from node '", source.node->name(), "' (", source.node->type().view(),
                                    "); correct the declaration of the output, or the graph"));
      }
    } else if (fed.shape.unknown_rank()) {
      shape = own.shape;
    }
    if (!types_differ && shape == own.shape) continue;
    TensorDesc desc = own;
    if (desc.origin_shape && shape != desc.shape) desc.origin_shape.reset();
    desc.shape = std::move(shape);
    if (types_differ) desc.dtype = fed.dtype;
    graph.SetInputDesc(node, i, std::move(desc));
  }
  return Status::Ok();
}

}  // namespace

Status InferShapes(ir::Graph& graph) { return Inferrer().Run(graph, {}, nullptr); }

struct NodeInferrer::State {
  explicit State(ir::Graph& g) : graph(g), store(g), context(&store, &inferrer) {}
  ir::Graph& graph;
  Inferrer inferrer;
  ValueStore store;
  InferContext context;
};

NodeInferrer::NodeInferrer(ir::Graph& graph) : state_(std::make_unique<State>(graph)) {}
NodeInferrer::~NodeInferrer() = default;
Status NodeInferrer::Infer(ir::Node* node) { return state_->inferrer.InferNode(state_->graph, node, state_->context); }
const Values* NodeInferrer::Known(ir::Anchor output) { return state_->store.Find(output); }

}  // namespace ge::ops
