#include "ops/output_format.h"

#include <algorithm>

#include "ops/attr_names.h"

namespace ge::ops {
namespace {

// The rank of tensors laid out so; 0 for formats that say nothing about dims.
size_t RankOf(ir::Format format) {
  switch (format) {
    case ir::Format::kNCL: return 3;
    case ir::Format::kNCHW: case ir::Format::kNHWC: case ir::Format::kHWCN: return 4;
    case ir::Format::kNCDHW: case ir::Format::kNDHWC: return 5;
    default: return 0;
  }
}

}  // namespace

std::optional<ir::Format> OutputFormat(const InferContext& ctx, const ir::Shape& output) {
  if (output.unknown_rank() || output.rank() < 3) return std::nullopt;
  static const ir::Symbol dst_format("dst_format");
  const std::string_view text = ctx.String(Names().data_format, ctx.String(dst_format));
  if (!text.empty()) {
    using F = ir::Format;
    for (F f : {F::kNCHW, F::kNHWC, F::kNCDHW, F::kNDHWC, F::kNCL}) {
      if (text == ir::Name(f) && RankOf(f) == output.rank()) return f;
    }
    return std::nullopt;
  }
  if (ctx.def().moves_dims()) return std::nullopt;
  // Of the operands of one rank any may be the laid out one.
  const ir::Node* node = ctx.node();
  const uint32_t n = std::min<uint32_t>(node->num_inputs(), 2);
  for (uint32_t i = 0; i < n; ++i) {
    ir::Anchor a = node->input(i);
    if (!a) continue;
    const ir::TensorDesc& fed = a.node->output_desc(a.index);
    if (fed.format == ir::Format::kND || fed.shape.unknown_rank()) continue;
    if (fed.shape.rank() == output.rank() && RankOf(fed.format) == output.rank()) return fed.format;
  }
  return std::nullopt;
}

}  // namespace ge::ops
