// Sliding windows: what convolutions and poolings share.
#ifndef GE_OPS_WINDOW_H_
#define GE_OPS_WINDOW_H_

#include "ops/infer_context.h"

namespace ge::ops {

// Where batch, channel and spatial dims lie in a data format such as "NCHW" or "NDHWC".
struct Layout {
  size_t batch = 0;
  size_t channel = 1;
  size_t first_spatial = 2;
};
// Formats end in 'C' when channels come last; anything else is taken as channels first.
Layout LayoutOf(std::string_view data_format, size_t rank);

enum class Padding : uint8_t { kExplicit, kSame, kValid };

// How an operator spells its windows.
enum class WindowStyle : uint8_t {
  kGe,    // ksize, groups, pads [begin0, end0, begin1, ...]
  kOnnx,  // kernel_shape, group, pads [begin0, begin1, ..., end0, ...]
};

// One spatial dim of a window.
struct Window {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  Padding padding = Padding::kExplicit;
  bool ceil_mode = false;
};

// Number of places the window takes along a dim; unknown where the dim or (kernel < 0) the kernel is.
ir::Dim WindowOutput(ir::Dim size, const Window& w);

// The number for spatial dim i out of a list that has an entry for every dim, for the spatial dims only, or for none.
int64_t SpatialEntry(std::span<const int64_t> list, size_t i, size_t rank, const Layout& layout, int64_t fallback);

// The pads of spatial dim i of n; a list of another length says nothing.
void SetPads(std::span<const int64_t> pads, size_t i, size_t n, WindowStyle style, Window* w);

// "SAME_UPPER", "SAME_LOWER", "SAME" and "VALID" of the auto_pad, padding and padding_mode attributes.
Padding PaddingOf(std::string_view text);

// Strides, kernels and dilations must be positive.
Status CheckWindow(const InferContext& ctx, const Window& w);

}  // namespace ge::ops

#endif  // GE_OPS_WINDOW_H_
