#include "ops/window.h"

#include "base/strings.h"

namespace ge::ops {

using ir::Dim;

Layout LayoutOf(std::string_view data_format, size_t rank) {
  if (!data_format.empty() && data_format.back() == 'C' && rank > 0) return {0, rank - 1, 1};
  return {};
}

Dim WindowOutput(Dim size, const Window& w) {
  if (w.padding == Padding::kSame) {
    if (w.stride == 1) return size;
    return ir::IsStatic(size) ? (size + w.stride - 1) / w.stride : ir::kUnknownDim;
  }
  if (w.kernel < 0) return ir::kUnknownDim;
  int64_t reach = (w.kernel - 1) * w.dilation + 1;
  int64_t pads = w.padding == Padding::kValid ? 0 : w.pad_begin + w.pad_end;
  // A named size is kept by windows that change nothing.
  if (w.stride == 1 && pads == reach - 1) return size;
  if (!ir::IsStatic(size)) return ir::kUnknownDim;
  int64_t room = size + pads - reach;
  if (w.ceil_mode) room += w.stride - 1;
  if (room < 0) return 0;
  int64_t out = room / w.stride + 1;
  if (!w.ceil_mode) return out;
  // The last window must start inside the input or its leading pad.
  int64_t begin = w.padding == Padding::kValid ? 0 : w.pad_begin;
  return (out - 1) * w.stride >= size + begin ? out - 1 : out;
}

int64_t SpatialEntry(std::span<const int64_t> list, size_t i, size_t rank, const Layout& layout, int64_t fallback) {
  if (list.size() == rank) return list[layout.first_spatial + i];
  if (list.size() == rank - 2) return list[i];
  return list.size() == 1 ? list[0] : fallback;
}

void SetPads(std::span<const int64_t> pads, size_t i, size_t n, WindowStyle style, Window* w) {
  if (pads.size() != 2 * n) return;
  w->pad_begin = pads[style == WindowStyle::kGe ? 2 * i : i];
  w->pad_end = pads[style == WindowStyle::kGe ? 2 * i + 1 : n + i];
}

Padding PaddingOf(std::string_view text) {
  if (text == "VALID") return Padding::kValid;
  return text == "SAME" || text == "SAME_UPPER" || text == "SAME_LOWER" ? Padding::kSame : Padding::kExplicit;
}

Status CheckWindow(const InferContext& ctx, const Window& w) {
  if (w.stride <= 0) return ctx.Error("positive strides", StrCat("'", w.stride, "'"));
  if (w.dilation <= 0) return ctx.Error("positive dilations", StrCat("'", w.dilation, "'"));
  if (w.kernel == 0) return ctx.Error("a window of at least one element", "size '0'");
  // Far beyond any tensor; keeps the sums below from overflowing.
  constexpr int64_t kMax = int64_t{1} << 31;
  for (int64_t v : {w.kernel, w.stride, w.dilation, w.pad_begin, w.pad_end}) {
    if (v > kMax || v < -kMax) return ctx.Error("window numbers below 2^31", StrCat("'", v, "'"));
  }
  return Status::Ok();
}

}  // namespace ge::ops
