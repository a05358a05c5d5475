// If, Loop and Scan: what their bodies return, which stay inside the node as they came in.
#include <algorithm>
#include <memory>

#include "formats/onnx/external_data.h"
#include "formats/onnx/graph_importer.h"
#include "formats/onnx/infer_rules.h"
#include "formats/onnx/model_info.h"
#include "formats/onnx/private_attrs.h"
#include "formats/onnx/subgraph_names.h"
#include "ops/attr_names.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Dim;
using ir::Shape;
using ir::TensorDesc;
using ops::DimList;
using ops::InferContext;
using ops::Values;

// Every level may walk its body several times.
constexpr int kMaxLevels = 6;
thread_local int levels = 0;
struct Level {
  Level() { ++levels; }
  ~Level() { --levels; }
};

// One input of a body.
struct Fed {
  Shape shape = Shape::UnknownRank();
  DataType dtype = DataType::kUndefined;
  const Values* values = nullptr;
};

// A body read anew and inferred with what it gets. Whatever goes wrong in it leaves the node's outputs open: a branch
// that does not fit the inputs is one that is never taken.
class Body {
 public:
  Body(InferContext& ctx, ir::Symbol attr) : ctx_(ctx) {
    const auto* bytes = ctx.node()->attr<ir::Bytes>(attr);
    std::vector<std::string_view> graphs;
    if (bytes == nullptr || !GraphsOfAttr(bytes->data, &graphs).ok() || graphs.size() != 1) return;
    const auto* all = ctx.node()->attr<std::vector<std::string>>(Private().captures);
    NameSet used;
    if (!CollectOuterNames(graphs[0], &used).ok()) return;
    size_t explicit_inputs = ctx.node()->num_inputs() - std::min<size_t>(ctx.node()->num_inputs(), all ? all->size() : 0);
    for (size_t i = 0; all != nullptr && i < all->size(); ++i) {
      if (!used.Contains((*all)[i])) continue;
      captures_.push_back((*all)[i]);
      slots_.push_back(explicit_inputs + i);
    }
    info_ = std::make_unique<ModelInfo>();
    std::string path;
    if (const ModelInfo* model = FindModelInfo(*ctx.node()->graph()->root())) {
      info_->opsets = model->opsets;
      path = model->file->path();
    }
    info_->file = MappedFile::OfBytes(std::string(graphs[0]), std::move(path));
  }

  // False if nothing can be said.
  bool Infer(const std::vector<Fed>& inputs) {
    if (info_ == nullptr || levels >= kMaxLevels) return false;
    Level level;
    // Freed after the graph, which may be where a nested body looks for the model.
    auto info = std::make_shared<ModelInfo>(*info_);
    ExternalFiles external(info->file->path());
    GraphImporter importer(info.get(), &external);
    Result<ir::GraphPtr> graph = importer.Import(info->file->bytes(), captures_);
    if (!graph.ok()) return false;
    graph_ = std::move(graph).value();
    graph_->extension() = std::move(info);
    std::vector<ir::Node*> data = graph_->InputNodes();
    if (data.size() != inputs.size() + captures_.size()) return false;
    std::vector<const Values*> values;
    for (size_t i = 0; i < data.size(); ++i) {
      Fed fed = i < inputs.size() ? inputs[i] : FedBy(slots_[i - inputs.size()]);
      TensorDesc desc = data[i]->output_desc(0);
      // A loop may have found that less is sure than the body declares.
      if (i < inputs.size() || !fed.shape.unknown_rank()) desc.shape = fed.shape;
      if (fed.dtype != DataType::kUndefined) desc.dtype = fed.dtype;
      graph_->SetOutputDesc(data[i], 0, std::move(desc));
      values.push_back(fed.values);
    }
    return ctx_.InferSubgraph(*graph_, values, &result_values_).ok();
  }

  size_t num_results() const { return graph_->net_output() == nullptr ? 0 : graph_->net_output()->num_inputs(); }
  TensorDesc ResultAt(size_t i) const {
    return i < num_results() ? graph_->net_output()->input_desc(static_cast<uint32_t>(i)) : TensorDesc();
  }
  const std::vector<ops::ResultValues>& result_values() const { return result_values_; }
  // What feeds result i, past nodes that hand their input on.
  const ir::Node* Source(size_t i) const {
    if (i >= num_results()) return nullptr;
    const ir::Node* n = graph_->net_output()->input(static_cast<uint32_t>(i)).node;
    static const ir::Symbol identity("Identity");
    while (n != nullptr && n->type() == identity && n->num_inputs() == 1) n = n->input(0).node;
    return n;
  }
  Fed FedBy(size_t slot) const {
    ir::Anchor a = ctx_.node()->input(static_cast<uint32_t>(slot));
    if (!a) return {};
    const TensorDesc& desc = a.node->output_desc(a.index);
    return {desc.shape, desc.dtype, ctx_.values(0, slot)};
  }

 private:
  InferContext& ctx_;
  std::vector<std::string> captures_;
  std::vector<size_t> slots_;  // of the node, that the captures lie in
  std::unique_ptr<ModelInfo> info_;
  ir::GraphPtr graph_;
  std::vector<ops::ResultValues> result_values_;
};

std::optional<int64_t> IntAt(const InferContext& ctx, size_t slot) {
  const Values* v = ctx.values(0, slot);
  if (v == nullptr || v->size() != 1 || !(*v)[0].is_int()) return std::nullopt;
  return (*v)[0].i;
}

bool HasSlot(const InferContext& ctx, size_t slot) { return slot < ctx.count(0) && ctx.has_input(0, slot); }

size_t CaptureCount(const InferContext& ctx) {
  const auto* all = ctx.node()->attr<std::vector<std::string>>(Private().captures);
  return all == nullptr ? 0 : std::min<size_t>(all->size(), ctx.count(0));
}

Status InferIf(InferContext& ctx) {
  static const ir::Symbol then_branch("then_branch"), else_branch("else_branch");
  std::optional<int64_t> condition = IntAt(ctx, 0);
  std::vector<TensorDesc> both(ctx.num_outputs());
  bool first = true;
  for (ir::Symbol name : {then_branch, else_branch}) {
    if (condition && (*condition != 0) != (name == then_branch)) continue;
    Body body(ctx, name);
    if (!body.Infer({})) return Status::Ok();
    for (size_t i = 0; i < both.size(); ++i) {
      TensorDesc desc = body.ResultAt(i);
      if (!first) {
        desc.shape = ops::CommonShape(both[i].shape, desc.shape);
        if (desc.dtype != both[i].dtype) desc.dtype = DataType::kUndefined;
      }
      both[i] = std::move(desc);
    }
    first = false;
    for (size_t i = 0; condition && i < body.num_results(); ++i) ctx.SetValues(i, body.result_values()[i]);
  }
  for (size_t i = 0; i < both.size(); ++i) ctx.SetOutput(i, both[i].shape, both[i].dtype);
  return Status::Ok();
}

// Tensors that a body hands on from round to round: they are what the first and every later round have in common.
// `inputs` [first_input, first_input + n) come back as results [first_result, first_result + n).
bool InferRounds(Body& body, std::vector<Fed>& inputs, size_t first_input, size_t first_result, size_t n) {
  // Every round either changes nothing or makes something unknown.
  for (bool changed = true; changed;) {
    if (!body.Infer(inputs)) return false;
    changed = false;
    for (size_t k = 0; k < n; ++k) {
      Fed& fed = inputs[first_input + k];
      TensorDesc result = body.ResultAt(first_result + k);
      Shape common = ops::CommonShape(fed.shape, result.shape);
      if (fed.dtype == DataType::kUndefined && result.dtype != fed.dtype) {
        fed.dtype = result.dtype;
        changed = true;
      }
      changed |= common != fed.shape;
      fed.shape = std::move(common);
    }
  }
  return true;
}

Shape WithDim(const Shape& x, Dim size, int64_t axis) {
  if (x.unknown_rank()) return x;
  auto rank = static_cast<int64_t>(x.rank()) + 1;
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return Shape::UnknownRank();
  DimList dims(x.dims().first(static_cast<size_t>(axis)));
  dims.push_back(size);
  for (size_t i = static_cast<size_t>(axis); i < x.rank(); ++i) dims.push_back(x[i]);
  return Shape(std::span<const Dim>(dims));
}

// Trip count, condition, carried tensors; the body gets the round, the condition and the carried tensors and returns the
// condition, the carried tensors and what is stacked.
Status InferLoop(InferContext& ctx) {
  static const ir::Symbol body_name("body");
  size_t explicit_inputs = ctx.count(0) - CaptureCount(ctx);
  size_t carried = explicit_inputs > 2 ? explicit_inputs - 2 : 0;
  std::vector<Fed> inputs(2);
  inputs[0] = {Shape(), DataType::kInt64};
  inputs[1] = {Shape(), DataType::kBool};
  Body body(ctx, body_name);
  for (size_t k = 0; k < carried; ++k) {
    inputs.push_back(body.FedBy(2 + k));
    inputs.back().values = nullptr;  // another in every round
  }
  if (carried > ctx.num_outputs() || !InferRounds(body, inputs, 2, 1, carried)) return Status::Ok();
  // The number of rounds is sure when the condition never ends them.
  Dim rounds = ir::kUnknownDim;
  const ir::Node* source = body.Source(0);
  std::vector<int64_t> condition;
  bool endless = (!HasSlot(ctx, 1) || IntAt(ctx, 1) == 1) && source != nullptr;
  if (endless && source->const_value() != nullptr) {
    endless = ir::ReadIntegers(*source->const_value(), &condition) && condition.size() == 1 && condition[0] != 0;
  } else if (endless) {
    const auto* index = source->is_data() ? source->attr<int64_t>(ir::Common().index) : nullptr;
    endless = index != nullptr && *index == 1;
  }
  if (std::optional<int64_t> limit = IntAt(ctx, 0); endless && limit) rounds = std::max<int64_t>(*limit, 0);
  for (size_t k = 0; k < carried; ++k) ctx.SetOutput(k, inputs[2 + k].shape, inputs[2 + k].dtype);
  for (size_t i = carried; i < ctx.num_outputs(); ++i) {
    TensorDesc piece = body.ResultAt(1 + i);
    ctx.SetOutput(i, WithDim(piece.shape, rounds, 0), piece.dtype);
  }
  return Status::Ok();
}

// States, then tensors that are walked along an axis; out come the states and what is stacked.
Status InferScan(InferContext& ctx) {
  static const ir::Symbol body_name("body"), num_scanned("num_scan_inputs"), in_axes("scan_input_axes"),
      out_axes("scan_output_axes");
  // Before opset 9 there were lengths first, and a batch dim around everything.
  bool batched = OpsetOf(ctx) > 0 && OpsetOf(ctx) < 9;
  size_t skipped = batched ? 1 : 0;
  size_t explicit_inputs = ctx.count(0) - CaptureCount(ctx);
  int64_t scanned = ctx.Int(num_scanned);
  if (scanned < 1 || static_cast<size_t>(scanned) + skipped > explicit_inputs) return Status::Ok();
  explicit_inputs -= skipped;
  size_t states = explicit_inputs - static_cast<size_t>(scanned);
  Body body(ctx, body_name);
  std::vector<Fed> inputs;
  Dim length = ir::kUnknownDim, batch = ir::kUnknownDim;
  for (size_t i = 0; i < explicit_inputs; ++i) {
    Fed fed = body.FedBy(skipped + i);
    fed.values = nullptr;
    if (batched && !fed.shape.unknown_rank() && fed.shape.rank() > 0) {
      batch = fed.shape[0];
      fed.shape = Shape(fed.shape.dims().subspan(1));
    }
    if (i >= states && !fed.shape.unknown_rank()) {
      std::span<const int64_t> axes = ctx.Ints(in_axes);
      size_t axis = 0;
      int64_t wanted = i - states < axes.size() ? axes[i - states] : 0;
      GE_RETURN_IF_ERROR(ops::NormalizeAxis(ctx, wanted, fed.shape.rank(), &axis));
      if (length == ir::kUnknownDim) length = fed.shape[axis];
      DimList dims(fed.shape.dims());
      dims.erase(axis);
      fed.shape = Shape(std::span<const Dim>(dims));
    }
    inputs.push_back(std::move(fed));
  }
  if (states > ctx.num_outputs() || !InferRounds(body, inputs, 0, 0, states)) return Status::Ok();
  auto whole = [&](const Shape& shape) { return batched ? WithDim(shape, batch, 0) : shape; };
  for (size_t k = 0; k < states; ++k) ctx.SetOutput(k, whole(inputs[k].shape), inputs[k].dtype);
  std::span<const int64_t> axes = ctx.Ints(out_axes);
  for (size_t i = states; i < ctx.num_outputs(); ++i) {
    TensorDesc piece = body.ResultAt(i);
    int64_t axis = i - states < axes.size() ? axes[i - states] : 0;
    ctx.SetOutput(i, whole(WithDim(piece.shape, length, axis)), piece.dtype);
  }
  return Status::Ok();
}

}  // namespace

void AddBodyRules(InferRules& rules) {
  rules.AddVariadic(InferIf, {"If"});
  rules.AddVariadic(InferLoop, {"Loop"});
  rules.AddVariadic(InferScan, {"Scan"});
}

}  // namespace ge::formats::onnx
