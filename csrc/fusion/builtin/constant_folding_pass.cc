// ConstantFoldingPass: computes what is known before the model runs, and shape arithmetic as far as shapes are known.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "formats/onnx/private_attrs.h"
#include "fusion/builtin/fold/call.h"
#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"
#include "ops/infer.h"
#include "ops/values.h"

namespace ge::fusion::builtin {
namespace {

// A result may be that much larger than the constants it makes superfluous,
constexpr int64_t kMaxGrowth = 64 << 10;
// and all results of one graph together that much.
constexpr int64_t kMaxTotalGrowth = 4 << 20;
// Results that replace larger constants; computing larger ones would take more memory than it saves.
constexpr int64_t kMaxResult = 16 << 20;

class Folding {
 public:
  Folding(ir::Graph& graph, PassContext& context)
      : graph_(graph), context_(context), constants_(graph), inferrer_(graph), all_fixed_(constants_.AllFixed()) {}

  void Run() {
    for (ir::Node* node : graph_.nodes()) {
      if (node->is_const() || node->is_data() || node->is_net_output() || !IsPlain(*node)) continue;
      if (node->num_outputs() == 0 || !HasOneResult(*node)) continue;
      ir::TensorPtr value = Compute(node);
      if (value == nullptr) value = FollowedValue(node);
      if (value != nullptr && FitsDesc(*node, *value)) {
        ++context_.matches;
        Put(node, std::move(value));
        ++context_.rewrites;
      } else if (WriteSizes(node)) {
        ++context_.matches;
        ++context_.rewrites;
      }
    }
  }

 private:
  static bool HasOneResult(const ir::Node& node) {
    for (uint32_t i = 1; i < node.num_outputs(); ++i) {
      if (node.num_uses(i) > 0) return false;
    }
    return node.num_uses(0) > 0;
  }

  // By a kernel, from constant inputs; or from the input's shape.
  ir::TensorPtr Compute(ir::Node* node) {
    if (ir::TensorPtr shape = all_fixed_ ? ShapeOf(*node) : nullptr) return shape;
    fold::Kernel kernel = fold::FindKernel(node->type());
    if (kernel == nullptr || node->num_inputs() == 0) return nullptr;
    inputs_.assign(node->num_inputs(), nullptr);
    freed_ = 0;
    for (uint32_t i = 0; i < node->num_inputs(); ++i) {
      ir::Anchor source = node->input(i);
      if (!source) continue;
      inputs_[i] = constants_.Find(source);
      if (inputs_[i] == nullptr) return nullptr;
      if (source.node->num_uses(0) == 1) freed_ += static_cast<int64_t>(inputs_[i]->data.size());
    }
    int64_t growth = std::min(kMaxGrowth, kMaxTotalGrowth - grown_);
    fold::Call call(*node, inputs_, std::min(kMaxResult, freed_ + growth));
    if (!kernel(call)) return nullptr;
    ir::TensorPtr result = call.TakeResult();
    // Results that share the bytes of an input are not limited by New.
    auto size = result == nullptr ? 0 : static_cast<int64_t>(result->data.size());
    return size - freed_ <= growth ? result : nullptr;
  }

  static ir::TensorPtr ShapeOf(const ir::Node& node) {
    static const ir::Symbol shape_type("Shape"), size_type("Size"), dtype("dtype");
    bool shape = node.type() == shape_type;
    if ((!shape && node.type() != size_type) || node.num_inputs() != 1 || !node.input(0)) return nullptr;
    const ir::Shape& in = node.input(0).node->output_desc(node.input(0).index).shape;
    if (in.unknown_rank() || !in.IsStatic()) return nullptr;
    std::vector<int64_t> dims(in.dims().begin(), in.dims().end());
    if (!shape) dims = {in.NumElements()};
    ir::Shape result = shape ? ir::Shape{static_cast<ir::Dim>(dims.size())} : ir::Shape{};
    return Integers(dims, node.output_desc(0).dtype, std::move(result));
  }

  // Integers that shape inference knows, though not all inputs are constant: one static dim of a dynamic shape, say.
  ir::TensorPtr FollowedValue(ir::Node* node) {
    const ir::TensorDesc& desc = node->output_desc(0);
    if (!all_fixed_ || !IsFollowed(desc) || !inferrer_.Infer(node).ok()) return nullptr;
    if (desc.dtype != ir::DataType::kInt64 && desc.dtype != ir::DataType::kInt32) return nullptr;
    const ops::Values* known = inferrer_.Known({node, 0});
    if (known == nullptr || !desc.shape.IsStatic()) return nullptr;
    if (static_cast<int64_t>(known->size()) != desc.shape.NumElements()) return nullptr;
    std::vector<int64_t> values;
    for (const ops::Scalar& s : known->items) {
      if (!s.is_int()) return nullptr;
      values.push_back(s.i);
    }
    freed_ = 0;
    return Integers(values, desc.dtype, desc.shape);
  }

  // A Reshape by computed sizes of which all but one are known: whatever the last one turns out to be, -1 means the same.
  bool WriteSizes(ir::Node* node) {
    static const ir::Symbol reshape("Reshape");
    if (node->type() != reshape || node->num_inputs() != 2 || !node->input(1)) return false;
    if (node->input(1).node->is_const()) return false;
    const ops::Values* known = all_fixed_ ? inferrer_.Known(node->input(1)) : nullptr;
    if (known == nullptr || known->scalar) return false;
    std::vector<int64_t> sizes;
    int open = 0;
    for (const ops::Scalar& s : known->items) {
      sizes.push_back(s.is_int() ? s.i : -1);
      if (sizes.back() == 0) return false;  // takes a dim of the input
      open += sizes.back() < 0 ? 1 : 0;
    }
    if (open != 1) return false;
    ir::Node* computed = node->input(1).node;
    std::string name = graph_.UniqueName(std::string(node->name()) + "_shape");
    ir::TensorPtr value = ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(sizes.size())}, sizes);
    ir::Node* constant = AddConst(graph_, computed, name, std::move(value));
    graph_.Disconnect(node, 1);
    graph_.Connect({constant, 0}, node, 1);
    if (IsDead(*computed)) RemoveDead(graph_, computed);
    return true;
  }

  // Inference computes floats as float32; of the others it must know nothing.
  static bool IsFollowed(const ir::TensorDesc& desc) {
    bool type = desc.dtype == ir::DataType::kInt64 || desc.dtype == ir::DataType::kInt32 ||
                desc.dtype == ir::DataType::kFloat || desc.dtype == ir::DataType::kBool;
    if (!type || desc.shape.unknown_rank() || desc.shape.rank() > 1 || !desc.shape.IsStatic()) return false;
    return desc.shape.NumElements() <= static_cast<int64_t>(ops::kMaxFollowed);
  }

  static ir::TensorPtr Integers(const std::vector<int64_t>& values, ir::DataType type, ir::Shape shape) {
    if (type == ir::DataType::kInt64) return ir::MakeTensor<int64_t>(type, std::move(shape), values);
    if (type != ir::DataType::kInt32) return nullptr;
    std::vector<int32_t> narrow;
    for (int64_t v : values) {
      if (v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max()) return nullptr;
      narrow.push_back(static_cast<int32_t>(v));
    }
    return ir::MakeTensor<int32_t>(type, std::move(shape), narrow);
  }

  // Where inference or the model says otherwise, they are left to the runtime.
  static bool FitsDesc(const ir::Node& node, const ir::Tensor& value) {
    const ir::TensorDesc& desc = node.output_desc(0);
    if (desc.dtype != ir::DataType::kUndefined && desc.dtype != value.desc.dtype) return false;
    if (desc.shape.unknown_rank()) return true;
    if (desc.shape.rank() != value.desc.shape.rank()) return false;
    for (size_t d = 0; d < desc.shape.rank(); ++d) {
      if (ir::IsStatic(desc.shape[d]) && desc.shape[d] != value.desc.shape[d]) return false;
    }
    return true;
  }

  void Put(ir::Node* node, ir::TensorPtr value) {
    grown_ += std::max<int64_t>(0, static_cast<int64_t>(value->data.size()) - freed_);
    ir::Node* constant = AddConst(graph_, node, node->name(), std::move(value));
    std::string name(node->tensor_name(0));
    graph_.SetTensorName(node, 0, "");
    if (!name.empty()) graph_.SetTensorName(constant, 0, name);
    graph_.ReplaceUses({node, 0}, {constant, 0});
    RemoveDead(graph_, node);
  }

  ir::Graph& graph_;
  PassContext& context_;
  Constants constants_;
  ops::NodeInferrer inferrer_;
  bool all_fixed_;
  std::vector<const ir::Tensor*> inputs_;
  int64_t freed_ = 0;
  int64_t grown_ = 0;
};

class ConstantFoldingPass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (!Ordered(graph, context)) return kFailed;
    int64_t rewrites = context.rewrites;
    Folding(graph, context).Run();
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeConstantFoldingPass() { return std::make_unique<ConstantFoldingPass>(); }

}  // namespace ge::fusion::builtin
