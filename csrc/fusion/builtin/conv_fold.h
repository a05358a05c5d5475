// Taking a linear function of the channels into the convolution before it.
#ifndef GE_FUSION_BUILTIN_CONV_FOLD_H_
#define GE_FUSION_BUILTIN_CONV_FOLD_H_

#include <span>
#include <string_view>
#include <vector>

#include "fusion/builtin/rewrite.h"
#include "ir/graph.h"

namespace ge::fusion::builtin {

// Per output channel: what is multiplied by, and what is added then.
struct Factors {
  std::vector<double> scale, offset;
};

// A convolution with constant weights and bias that one node alone reads.
class FoldableConv {
 public:
  static bool IsIn(const ir::Graph& graph);
  // False if it is none.
  bool Find(ir::Anchor output, const Constants& constants, const NamedTensors& named);
  int64_t channels() const { return channels_; }
  // Dims of its output.
  size_t rank() const { return weights_->desc.shape.rank(); }

  // Puts the factors into its weights and bias and lets it stand for `tail`, which goes. `offset_slot`: the input of the
  // tail whose name a bias gets that was not there before. False if nothing was changed.
  bool Absorb(ir::Graph& graph, ir::Node* tail, uint32_t offset_slot, const Factors& factors, NamedTensors& named,
              std::string_view pass_name);

 private:
  struct Form;
  static std::span<const Form> Forms();
  static const Form* FormOf(ir::Symbol type);
  ir::TensorPtr ScaledWeights(const std::vector<double>& scale) const;
  ir::TensorPtr NewBias(const Factors& factors) const;

  ir::Node* conv_ = nullptr;
  const Form* form_ = nullptr;
  const ir::Tensor* weights_ = nullptr;
  const ir::Tensor* bias_ = nullptr;  // null: it has none
  int64_t groups_ = 1;
  int64_t channels_ = 0;
};

}  // namespace ge::fusion::builtin

#endif  // GE_FUSION_BUILTIN_CONV_FOLD_H_
