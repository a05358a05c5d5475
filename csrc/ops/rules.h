// Inference rules that several families share.
#ifndef GE_OPS_RULES_H_
#define GE_OPS_RULES_H_

#include <optional>

#include "ops/infer_context.h"
#include "ops/window.h"

namespace ge::ops {

struct Reduction {
  std::optional<DimList> axes;  // nothing: not known
  bool keep_dims = false;
  // What no axes at all mean: every dim, or none.
  bool empty_means_none = false;
};
// Input 0 to output 0.
Status InferReduction(InferContext& ctx, const Reduction& r, ir::DataType type);
// Axes of an input; one that is absent counts as empty.
std::optional<DimList> AxesOfInput(const InferContext& ctx, size_t input);

struct Pooling {
  WindowStyle style = WindowStyle::kGe;
  Padding padding = Padding::kExplicit;
  bool global = false;
  bool ceil_mode = false;
  // Of a second output with the positions of the maxima.
  ir::DataType index_type = ir::DataType::kUndefined;
};
Status InferPooling(InferContext& ctx, const Pooling& p);

struct Convolution {
  WindowStyle style = WindowStyle::kGe;
  size_t x = 0;
  size_t filter = 1;
  bool depthwise = false;
};
Status InferConvolution(InferContext& ctx, const Convolution& c, ir::DataType type);
// A transposed one. `wanted`: sizes of the output, where given and not all zero.
Status InferTransposedConvolution(InferContext& ctx, const Convolution& c, const std::optional<DimList>& wanted,
                                  ir::DataType type);

struct Product {
  size_t a = 0;
  size_t b = 1;
  bool transpose_a = false;
  bool transpose_b = false;
};
// Batched, with numpy's rules: a vector on the left is a row, on the right a column.
Status InferBatchProduct(InferContext& ctx, const Product& p, ir::DataType type);

// Along `axis` (nothing: not known) of the dynamic input number x.
Status ConcatBy(InferContext& ctx, size_t x, std::optional<int64_t> axis);
// `sizes`: of each part, or empty for equal parts; a -1 takes what is left.
Status SplitBy(InferContext& ctx, size_t x_input, std::optional<int64_t> axis, const std::optional<DimList>& sizes);
// `pads` [begin0, end0, ...] when contiguous, else all begins and then all ends; null: not known. `axes`: what they are
// for, when not for every dim.
Status PadBy(InferContext& ctx, const Values* pads, bool contiguous, const std::optional<DimList>& axes);
Status SqueezeBy(InferContext& ctx, bool known, const DimList& axes);
Status UnsqueezeBy(InferContext& ctx, bool known, const DimList& axes);
// Values and their positions; `k` entries along the dim.
Status TopBy(InferContext& ctx, ir::Dim k, int64_t dim, ir::DataType index_type);

// Recurrent layers of ONNX shape: x and weights in inputs 0 to 2.
Status InferRecurrentLayer(InferContext& ctx);
// A new dim of that size at the attribute axis (default: last).
Status InferNewAxis(InferContext& ctx, ir::Dim depth, ir::DataType type);
// Grid samples: batch and channels of input 0, places of input 1.
Status InferGridSample(InferContext& ctx);

}  // namespace ge::ops

#endif  // GE_OPS_RULES_H_
