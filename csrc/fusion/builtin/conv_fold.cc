#include "fusion/builtin/conv_fold.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fusion/builtin/fold/element.h"
#include "fusion/origin.h"

namespace ge::fusion::builtin {
namespace {

// Weights that others read stay beside the new ones; that must not double a model.
constexpr size_t kMaxSharedWeights = 1 << 20;

// A new constant feeds the slot; its name is settled when it is known whether the old one stays.
void Exchange(ir::Graph& graph, ir::Node* conv, uint32_t slot, const ir::Node* old, ir::Node* position,
              ir::TensorPtr value) {
  graph.Disconnect(conv, slot);
  ir::Node* fresh = AddConst(graph, position, graph.UniqueName(std::string(old->name()) + "_folded"), std::move(value));
  graph.Connect({fresh, 0}, conv, slot);
}

void TakeName(ir::Graph& graph, ir::Node* conv, uint32_t slot, ir::Node* old) {
  // Removed nodes keep their names in memory until the graph goes.
  std::string name(old->tensor_name(0));
  if (old->graph() == &graph) RemoveIfUnusedConst(graph, old);
  if (old->graph() == nullptr && !name.empty()) graph.SetTensorName(conv->input(slot).node, 0, name);
}

void TakeOutput(ir::Graph& graph, ir::Node* conv, ir::Node* tail, NamedTensors& named) {
  std::string name(tail->tensor_name(0));
  graph.SetTensorName(tail, 0, "");
  graph.SetTensorName(conv, 0, name);
  graph.SetOutputDesc(conv, 0, tail->output_desc(0));
  graph.SetDeclared(conv, 0, tail->declared(0));
  named.Move({tail, 0}, {conv, 0});
  graph.ReplaceUses({tail, 0}, {conv, 0});
}

}  // namespace

// Where a convolution has its operands.
struct FoldableConv::Form {
  ir::Symbol type;
  uint32_t weights;
  uint32_t bias;
  bool transposed;
  ir::Symbol groups;
};

std::span<const FoldableConv::Form> FoldableConv::Forms() {
  static const Form forms[] = {
      {ir::Symbol("Conv2D"), 1, 2, false, ir::Symbol("groups")},
      {ir::Symbol("Conv3D"), 1, 2, false, ir::Symbol("groups")},
      {ir::Symbol("Conv2DTranspose"), 2, 3, true, ir::Symbol("groups")},
      {ir::Symbol("Conv3DTranspose"), 2, 3, true, ir::Symbol("groups")},
      {ir::Symbol("ai.onnx::Conv"), 1, 2, false, ir::Symbol("group")},
      {ir::Symbol("ai.onnx::ConvTranspose"), 1, 2, true, ir::Symbol("group")},
  };
  return forms;
}

const FoldableConv::Form* FoldableConv::FormOf(ir::Symbol type) {
  for (const Form& f : Forms()) {
    if (f.type == type) return &f;
  }
  return nullptr;
}

bool FoldableConv::IsIn(const ir::Graph& graph) {
  for (const Form& f : Forms()) {
    if (graph.CountOfType(f.type) > 0) return true;
  }
  return false;
}

bool FoldableConv::Find(ir::Anchor output, const Constants& constants, const NamedTensors& named) {
  conv_ = output.node;
  form_ = conv_ == nullptr ? nullptr : FormOf(conv_->type());
  if (form_ == nullptr || !IsPlain(*conv_) || conv_->num_outputs() != 1 || conv_->num_uses(0) != 1) return false;
  if (named.IsNamed(output)) return false;
  weights_ = constants.Input(*conv_, form_->weights);
  bias_ = constants.Input(*conv_, form_->bias);
  bool has_bias = form_->bias < conv_->num_inputs() && conv_->input(form_->bias);
  if (weights_ == nullptr || (has_bias && bias_ == nullptr)) return false;
  for (uint32_t i = form_->bias + 1; i < conv_->num_inputs(); ++i) {
    if (conv_->input(i)) return false;  // an offset of the weights
  }
  const ir::Shape& shape = weights_->desc.shape;
  const int64_t* groups = conv_->attr<int64_t>(form_->groups);
  groups_ = groups == nullptr ? 1 : *groups;
  if (shape.rank() < 3 || groups_ < 1 || shape[0] % groups_ != 0 || shape.NumElements() == 0) return false;
  if (!ir::IsFloating(weights_->desc.dtype)) return false;
  channels_ = form_->transposed ? shape[1] * groups_ : shape[0];
  return true;
}

ir::TensorPtr FoldableConv::ScaledWeights(const std::vector<double>& scale) const {
  const ir::Shape& shape = weights_->desc.shape;
  int64_t outer = shape[0], inner = 1;
  for (size_t d = form_->transposed ? 2 : 1; d < shape.rank(); ++d) inner *= shape[d];
  int64_t part = form_->transposed ? shape[1] : 1;  // output channels beside each other
  auto out = std::make_shared<ir::Tensor>();
  out->desc = ir::TensorDesc(shape, weights_->desc.dtype);
  std::vector<uint8_t> bytes(weights_->data.size());
  fold::VisitNumber(weights_->desc.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t p = 0; p < part; ++p) {
        int64_t channel = form_->transposed ? o / (outer / groups_) * part + p : o;
        double factor = scale[static_cast<size_t>(channel)];
        for (int64_t i = 0, at = (o * part + p) * inner; i < inner; ++i, ++at) {
          double v = static_cast<double>(fold::Load<T>(weights_->data.data(), at)) * factor;
          fold::Store<T>(bytes.data(), at, static_cast<fold::Wide<T>>(v));
        }
      }
    }
    return true;
  });
  out->data = ir::Buffer::Of(std::move(bytes));
  return out;
}

ir::TensorPtr FoldableConv::NewBias(const Factors& factors) const {
  std::vector<double> old(factors.scale.size(), 0.0);
  if (bias_ != nullptr && (!ir::ReadNumbers(*bias_, &old) || old.size() != factors.scale.size())) return nullptr;
  ir::DataType type = weights_->desc.dtype;
  auto out = std::make_shared<ir::Tensor>();
  out->desc = ir::TensorDesc(ir::Shape{channels_}, type);
  std::vector<uint8_t> bytes(static_cast<size_t>(ir::ByteSize(type, channels_)));
  fold::VisitNumber(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t c = 0; c < old.size(); ++c) {
      double v = old[c] * factors.scale[c] + factors.offset[c];
      fold::Store<T>(bytes.data(), static_cast<int64_t>(c), static_cast<fold::Wide<T>>(v));
    }
    return true;
  });
  out->data = ir::Buffer::Of(std::move(bytes));
  return out;
}

bool FoldableConv::Absorb(ir::Graph& graph, ir::Node* tail, uint32_t offset_slot, const Factors& factors,
                          NamedTensors& named, std::string_view pass_name) {
  if (static_cast<int64_t>(factors.scale.size()) != channels_) return false;
  ir::Node* old_weights = conv_->input(form_->weights).node;
  bool scales = std::any_of(factors.scale.begin(), factors.scale.end(), [](double s) { return s != 1; });
  bool adds = std::any_of(factors.offset.begin(), factors.offset.end(), [](double o) { return o != 0; });
  if (scales && old_weights->num_uses(0) > 1 && weights_->data.size() > kMaxSharedWeights) return false;
  bool makes_bias = adds || bias_ != nullptr;
  ir::TensorPtr bias = makes_bias ? NewBias(factors) : nullptr;
  if (makes_bias && bias == nullptr) return false;

  ir::Node* members[] = {conv_, tail};
  Origin origin;
  origin.Collect(members, pass_name);
  ir::Node* bias_names = bias_ != nullptr ? conv_->input(form_->bias).node : tail->input(offset_slot).node;
  if (scales) Exchange(graph, conv_, form_->weights, old_weights, old_weights, ScaledWeights(factors.scale));
  if (makes_bias) {
    if (form_->bias >= conv_->num_inputs()) graph.ResizeInputs(conv_, form_->bias + 1);
    Exchange(graph, conv_, form_->bias, bias_names, old_weights, std::move(bias));
  }
  TakeOutput(graph, conv_, tail, named);
  origin.Apply(graph, conv_);
  RemoveDead(graph, tail);
  if (scales) TakeName(graph, conv_, form_->weights, old_weights);
  if (makes_bias) TakeName(graph, conv_, form_->bias, bias_names);
  return true;
}

}  // namespace ge::fusion::builtin
