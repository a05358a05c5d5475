// Convolutions and transposed convolutions.
#include <algorithm>

#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Dim;
using ir::Shape;

struct Filter {
  Dim out_channels, in_channels;  // in_channels: of one group
  size_t first_spatial;
};

// Filters lie as their format says; without one as is usual beside the data's layout: OI... for channels first, else
// ...IO.
Filter FilterOf(const InferContext& ctx, size_t input, const Layout& layout, bool depthwise) {
  const ir::TensorDesc& desc = ctx.input(input);
  const Shape& s = desc.shape;
  size_t rank = s.rank();
  bool channels_last = layout.channel != 1;
  if (desc.format == ir::Format::kHWCN || (desc.format == ir::Format::kND && channels_last)) {
    return {depthwise ? MultiplyDims(s[rank - 2], s[rank - 1]) : s[rank - 1], s[rank - 2], 0};
  }
  if (desc.format == ir::Format::kNHWC || desc.format == ir::Format::kNDHWC) return {s[0], s[rank - 1], 1};
  return {s[0], s[1], 2};
}

// Reads the window of spatial dim i.
Window WindowAt(const InferContext& ctx, const Convolution& c, size_t i, size_t rank, const Layout& layout,
                Dim kernel) {
  Window w;
  w.kernel = ir::IsStatic(kernel) ? kernel : -1;
  w.stride = SpatialEntry(ctx.Ints(Names().strides), i, rank, layout, 1);
  w.dilation = SpatialEntry(ctx.Ints(Names().dilations), i, rank, layout, 1);
  SetPads(ctx.Ints(Names().pads), i, rank - 2, c.style, &w);
  w.padding = PaddingOf(ctx.String(Names().auto_pad));
  // GE marks "same" padding with pads of -1.
  if (w.pad_begin == -1 && w.pad_end == -1) w.padding = Padding::kSame;
  return w;
}

Status CheckFilterRank(const InferContext& ctx, const Convolution& c) {
  const Shape& x = ctx.shape(c.x);
  const Shape& f = ctx.shape(c.filter);
  for (size_t input : {c.x, c.filter}) {
    const Shape& s = ctx.shape(input);
    if (!s.unknown_rank() && s.rank() < 3) {
      return ctx.Error(StrCat(ctx.InputText(input), " of rank 3 or more"), StrCat("shape '", s.ToString(), "'"));
    }
  }
  if (x.unknown_rank() || f.unknown_rank() || x.rank() == f.rank()) return Status::Ok();
  return ctx.Error("an input and a filter of the same rank",
                   StrCat("'", x.ToString(), "' and '", f.ToString(), "'"));
}

int64_t GroupsOf(const InferContext& ctx, const Convolution& c) {
  return ctx.Int(c.style == WindowStyle::kGe ? Names().groups : Names().group, 1);
}

// Integer convolutions accumulate in int32.
DataType ConvType(DataType x) { return x == DataType::kInt8 ? DataType::kInt32 : x; }

}  // namespace

Status InferConvolution(InferContext& ctx, const Convolution& c, DataType type) {
  GE_RETURN_IF_ERROR(CheckFilterRank(ctx, c));
  const Shape& x = ctx.shape(c.x);
  const Shape& f = ctx.shape(c.filter);
  if (x.unknown_rank() && f.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  size_t rank = x.unknown_rank() ? f.rank() : x.rank();
  Layout layout = LayoutOf(ctx.String(Names().data_format), rank);
  DimList dims(rank, ir::kUnknownDim);
  Filter filter{ir::kUnknownDim, ir::kUnknownDim, 2};
  if (!f.unknown_rank()) filter = FilterOf(ctx, c.filter, layout, c.depthwise);
  dims[layout.channel] = filter.out_channels;
  if (!x.unknown_rank()) {
    dims[layout.batch] = x[layout.batch];
    Dim channels = x[layout.channel];
    int64_t groups = c.depthwise ? 1 : GroupsOf(ctx, c);
    if (groups <= 0) return ctx.Error("one group or more", StrCat("'", groups, "'"));
    bool countable = ir::IsStatic(channels) && ir::IsStatic(filter.in_channels) && !c.depthwise;
    if (countable && (channels % groups != 0 || channels / groups != filter.in_channels)) {
      return ctx.Error(StrCat("a filter over ", channels, " channels in ", groups, " groups"),
                       StrCat("filter shape '", f.ToString(), "' over '", x.ToString(), "'"),
                       "check groups, data_format and the shapes");
    }
    if (!c.depthwise && ir::IsStatic(filter.out_channels) && filter.out_channels % groups != 0) {
      return ctx.Error(StrCat("a number of filters divisible by ", groups, " groups"),
                       StrCat("'", filter.out_channels, "'"));
    }
  }
  for (size_t i = 0; i + 2 < rank; ++i) {
    Window w = WindowAt(ctx, c, i, rank, layout, f.unknown_rank() ? ir::kUnknownDim : f[filter.first_spatial + i]);
    GE_RETURN_IF_ERROR(CheckWindow(ctx, w));
    if (!x.unknown_rank()) dims[layout.first_spatial + i] = WindowOutput(x[layout.first_spatial + i], w);
  }
  ctx.SetOutput(0, dims, type);
  return Status::Ok();
}

namespace {

Status InferConv(InferContext& ctx) { return InferConvolution(ctx, {}, ConvType(ctx.dtype(0))); }

Status InferDepthwise(InferContext& ctx) {
  Convolution c;
  c.depthwise = true;
  return InferConvolution(ctx, c, ConvType(ctx.dtype(0)));
}

// Size along one dim of a transposed convolution: the inverse of WindowOutput plus output padding.
Dim TransposedOutput(Dim size, const Window& w, int64_t output_padding) {
  if (!ir::IsStatic(size)) return ir::kUnknownDim;
  if (w.padding == Padding::kSame) return MultiplyDims(size, w.stride);
  if (w.kernel < 0) return ir::kUnknownDim;
  int64_t pads = w.padding == Padding::kValid ? 0 : w.pad_begin + w.pad_end;
  int64_t reach = (w.kernel - 1) * w.dilation + 1;
  // Of nothing the formula makes something, and so do runtimes, where it is not negative.
  if (size == 0) return std::max<int64_t>(output_padding + reach - pads - w.stride, 0);
  return AddDim(MultiplyDims(size - 1, w.stride), output_padding + reach - pads);
}

}  // namespace

Status InferTransposedConvolution(InferContext& ctx, const Convolution& c, const std::optional<DimList>& wanted,
                                  DataType type) {
  GE_RETURN_IF_ERROR(CheckFilterRank(ctx, c));
  const Shape& x = ctx.shape(c.x);
  const Shape& f = ctx.shape(c.filter);
  if (x.unknown_rank() || f.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  size_t rank = x.rank();
  Layout layout = LayoutOf(ctx.String(Names().data_format), rank);
  // The filter of a transposed convolution maps its first channel dim to groups times its second.
  Filter filter = FilterOf(ctx, c.filter, layout, false);
  DimList dims(rank, ir::kUnknownDim);
  dims[layout.batch] = x[layout.batch];
  int64_t groups = GroupsOf(ctx, c);
  if (groups <= 0) return ctx.Error("one group or more", StrCat("'", groups, "'"));
  Dim same;
  if (!MergeDim(x[layout.channel], filter.out_channels, &same)) {
    return ctx.Error(StrCat("a filter over ", x[layout.channel], " channels"), StrCat("'", f.ToString(), "'"));
  }
  dims[layout.channel] = MultiplyDims(filter.in_channels, groups);
  bool explicit_size = wanted && wanted->size() == rank &&
                       std::any_of(wanted->begin(), wanted->end(), [](Dim d) { return d != 0; });
  std::span<const int64_t> output_shape = ctx.Ints(Names().output_shape);
  for (size_t i = 0; i + 2 < rank; ++i) {
    size_t d = layout.first_spatial + i;
    if (explicit_size) {
      dims[d] = SizeOrUnknown((*wanted)[d]);
      continue;
    }
    if (output_shape.size() >= rank - 2) {
      dims[d] = SizeOrUnknown(output_shape[output_shape.size() - (rank - 2) + i]);
      continue;
    }
    Window w = WindowAt(ctx, c, i, rank, layout, f[filter.first_spatial + i]);
    GE_RETURN_IF_ERROR(CheckWindow(ctx, w));
    int64_t output_padding = SpatialEntry(ctx.Ints(Names().output_padding), i, rank, layout, 0);
    if (output_padding < 0 || output_padding > INT32_MAX) {
      return ctx.Error("an output padding of 0 or more", StrCat("'", output_padding, "'"));
    }
    dims[d] = TransposedOutput(x[d], w, output_padding);
  }
  ctx.SetOutput(0, dims, type);
  return Status::Ok();
}

namespace {

// The first input is the output's size.
Status InferConvTranspose(InferContext& ctx) {
  Convolution c;
  c.x = 1;
  c.filter = 2;
  return InferTransposedConvolution(ctx, c, ctx.ints(0), ConvType(ctx.dtype(1)));
}

}  // namespace

void RegisterConv(OpRegistrar& r) {
  r.Op("Conv2D", "nn").Input("x", kFloats | kI8 | kHiF8).Input("filter", kFloats | kI8 | kHiF8)
      .OptionalInput("bias", kFloats | kI32).OptionalInput("offset_w", kI8).Output("y", kFloats | kI32 | kHiF8)
      .RequiredAttr("strides", AttrType::kListInt).RequiredAttr("pads", AttrType::kListInt)
      .IntsAttr("dilations", {1, 1, 1, 1}).IntAttr("groups", 1).StringAttr("data_format", "NHWC")
      .IntAttr("offset_x", 0).Infer(InferConv);
  r.Op("Conv2DV2", "nn").Input("x", kFloats | kHiF8).Input("filter", kFloats | kHiF8).OptionalInput("bias", kFloats)
      .OptionalInput("offset_w", kI8).Output("y", kFloats | kHiF8).RequiredAttr("strides", AttrType::kListInt)
      .IntsAttr("pads", {0, 0, 0, 0}).IntsAttr("dilations", {1, 1, 1, 1}).IntAttr("groups", 1)
      .StringAttr("data_format", "NCHW").IntAttr("offset_x", 0).StringAttr("pad_mode", "SPECIFIC")
      .BoolAttr("enable_hf32", false).Infer(InferConv);
  r.Op("Conv3D", "nn").Input("x", kFloats | kI8 | kHiF8).Input("filter", kFloats | kI8 | kHiF8)
      .OptionalInput("bias", kFloats | kI32).OptionalInput("offset_w", kI8).Output("y", kFloats | kI32 | kHiF8)
      .RequiredAttr("strides", AttrType::kListInt).RequiredAttr("pads", AttrType::kListInt)
      .IntsAttr("dilations", {1, 1, 1, 1, 1}).IntAttr("groups", 1).StringAttr("data_format", "NDHWC")
      .IntAttr("offset_x", 0).Infer(InferConv);
  r.Op("Conv3DV2", "nn").Input("x", kFloats | kI8 | kHiF8).Input("filter", kFloats | kI8 | kHiF8)
      .OptionalInput("bias", kFloats).OptionalInput("scale", kF32).OptionalInput("offset", kF32)
      .OptionalInput("offset_w", kI8).Output("y", kFloats | kHiF8).RequiredAttr("strides", AttrType::kListInt)
      .IntsAttr("pads", {0, 0, 0, 0, 0, 0}).IntsAttr("dilations", {1, 1, 1, 1, 1}).IntAttr("groups", 1)
      .StringAttr("data_format", "NCDHW").IntAttr("offset_x", 0).StringAttr("pad_mode", "SPECIFIC")
      .BoolAttr("enable_hf32", false).Infer(InferConv);
  r.Op("DepthwiseConv2D", "legacy").Input("x", kF16 | kI4 | kI8).Input("filter", kF16 | kI4 | kI8)
      .OptionalInput("bias", kF32 | kF16 | kI32).OptionalInput("offset_w", kF16 | kI4 | kI8)
      .Output("y", kF32 | kF16 | kI32).RequiredAttr("strides", AttrType::kListInt)
      .IntsAttr("dilations", {1, 1, 1, 1}).RequiredAttr("pads", AttrType::kListInt)
      .StringAttr("data_format", "NHWC").IntAttr("offset_x", 0).Infer(InferDepthwise);
  r.Op("Conv2DTranspose", "nn").Input("input_size", kIndex).Input("x", kF16 | kBF16 | kI8)
      .Input("filter", kF16 | kBF16 | kI8).OptionalInput("bias", kF32 | kF16 | kI32).OptionalInput("offset_w", kI8)
      .Output("y", kFloats | kI32).RequiredAttr("strides", AttrType::kListInt)
      .RequiredAttr("pads", AttrType::kListInt).IntsAttr("dilations", {1, 1, 1, 1}).IntAttr("groups", 1)
      .StringAttr("data_format", "NHWC").IntsAttr("output_padding", {0, 0, 0, 0}).IntAttr("offset_x", 0)
      .Infer(InferConvTranspose);
  r.Op("Conv3DTranspose", "nn").Input("input_size", kIndex).Input("x", kF16 | kBF16).Input("filter", kF16 | kBF16)
      .OptionalInput("bias", kF32 | kF16).OptionalInput("offset_w", kI8).Output("y", kFloats)
      .RequiredAttr("strides", AttrType::kListInt).RequiredAttr("pads", AttrType::kListInt)
      .IntsAttr("dilations", {1, 1, 1, 1, 1}).IntAttr("groups", 1).StringAttr("data_format", "NDHWC")
      .IntsAttr("output_padding", {0, 0, 0, 0, 0}).IntAttr("offset_x", 0).Infer(InferConvTranspose);
  r.Op("Conv3DTransposeV2", "nn").Input("input_size", kIndex).Input("x", kFloats | kHiF8 | kF8E4M3)
      .Input("filter", kFloats | kHiF8 | kF8E4M3).OptionalInput("bias", kF32 | kF16).OptionalInput("offset_w", kI8)
      .Output("y", kFloats | kHiF8 | kF8E4M3).RequiredAttr("strides", AttrType::kListInt)
      .RequiredAttr("pads", AttrType::kListInt).IntsAttr("dilations", {1, 1, 1, 1, 1}).IntAttr("groups", 1)
      .StringAttr("data_format", "NDHWC").IntsAttr("output_padding", {0, 0, 0, 0, 0}).IntAttr("offset_x", 0)
      .BoolAttr("enable_hf32", false).Infer(InferConvTranspose);
}

}  // namespace ge::ops
