// Poolings.
#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Shape;

Status InferPooling(InferContext& ctx, const Pooling& p) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetOutput(0, x, ctx.dtype(0));
    ctx.SetOutput(1, x, p.index_type);
    return Status::Ok();
  }
  if (x.rank() < 3) {
    return ctx.Error(StrCat(ctx.InputText(0), " of rank 3 or more"), StrCat("shape '", x.ToString(), "'"));
  }
  size_t rank = x.rank();
  Layout layout = LayoutOf(ctx.String(Names().data_format), rank);
  DimList dims(x.dims());
  std::span<const int64_t> kernel = ctx.Ints(p.style == WindowStyle::kGe ? Names().ksize : Names().kernel_shape);
  std::span<const int64_t> pads = ctx.Ints(Names().pads);
  std::span<const int64_t> dilations = ctx.Ints(Names().dilations);
  if (dilations.empty()) dilations = ctx.Ints(Names().dilation);
  for (size_t i = 0; i + 2 < rank; ++i) {
    size_t d = layout.first_spatial + i;
    if (p.global) {
      dims[d] = 1;
      continue;
    }
    Window w;
    w.kernel = SpatialEntry(kernel, i, rank, layout, 1);
    w.stride = SpatialEntry(ctx.Ints(Names().strides), i, rank, layout, 1);
    w.dilation = SpatialEntry(dilations, i, rank, layout, 1);
    SetPads(pads, i, rank - 2, p.style, &w);
    w.padding = p.padding;
    w.ceil_mode = p.ceil_mode;
    GE_RETURN_IF_ERROR(CheckWindow(ctx, w));
    dims[d] = WindowOutput(x[d], w);
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  ctx.SetOutput(1, dims, p.index_type);
  return Status::Ok();
}

namespace {

// "CALCULATED" takes the pads; the padding attribute of the older operators has no pads.
Status InferPool(InferContext& ctx) {
  Pooling p;
  p.padding = PaddingOf(ctx.String(Names().padding_mode, ctx.String(Names().padding)));
  if (ctx.HasAttr(Names().auto_pad)) {
    Padding automatic = PaddingOf(ctx.String(Names().auto_pad));
    if (automatic != Padding::kExplicit) p.padding = automatic;
  }
  p.global = ctx.Bool(Names().global_pooling);
  p.ceil_mode = ctx.Bool(Names().ceil_mode);
  return InferPooling(ctx, p);
}

Status InferGlobalPool(InferContext& ctx) {
  Pooling p;
  p.global = true;
  return InferPooling(ctx, p);
}

// The last dims get the sizes of the attribute output_size; -1 keeps a dim.
Status InferAdaptivePool(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  std::span<const int64_t> size = ctx.Ints(Names().output_size);
  Shape out = x;
  if (!x.unknown_rank()) {
    if (x.rank() < size.size()) {
      return ctx.Error(StrCat(ctx.InputText(0), " of rank ", size.size(), " or more"),
                       StrCat("shape '", x.ToString(), "'"));
    }
    for (size_t i = 0; i < size.size(); ++i) {
      if (size[i] >= 0) out.Set(x.rank() - size.size() + i, size[i]);
    }
  }
  ctx.SetOutput(0, out, ctx.dtype(0));
  ctx.SetOutput(1, out, DataType::kUndefined);
  return Status::Ok();
}

}  // namespace

void RegisterPooling(OpRegistrar& r) {
  r.Op("AvgPool", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble)
      .RequiredAttr("ksize", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt)
      .RequiredAttr("padding", AttrType::kString).StringAttr("data_format", "NHWC").Infer(InferPool);
  r.Op("AvgPool3D", "nn").Input("x", kFloats).Output("y", kFloats).RequiredAttr("ksize", AttrType::kListInt)
      .RequiredAttr("strides", AttrType::kListInt).RequiredAttr("pads", AttrType::kListInt)
      .BoolAttr("ceil_mode", false).BoolAttr("count_include_pad", true).IntAttr("divisor_override", 0)
      .StringAttr("data_format", "NDHWC").Infer(InferPool);
  r.Op("AvgPoolV2", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble)
      .RequiredAttr("ksize", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt)
      .StringAttr("padding_mode", "CALCULATED").IntsAttr("pads", {0, 0, 0, 0}).StringAttr("data_format", "NCHW")
      .BoolAttr("global_pooling", false).BoolAttr("ceil_mode", false).BoolAttr("exclusive", true)
      .IntAttr("divisor_override", 0).Infer(InferPool);
  r.Op("MaxPool", "nn").Input("x", kSigned | kFloating | kU8 | kU16 | kQI8)
      .Output("y", kSigned | kFloating | kU8 | kU16 | kQI8).RequiredAttr("ksize", AttrType::kListInt)
      .RequiredAttr("strides", AttrType::kListInt).RequiredAttr("padding", AttrType::kString)
      .StringAttr("data_format", "NHWC").Infer(InferPool);
  r.Op("MaxPool3D", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble)
      .RequiredAttr("ksize", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt)
      .RequiredAttr("padding", AttrType::kString).IntsAttr("pads", {0, 0, 0, 0, 0, 0})
      .IntsAttr("dilation", {1, 1, 1, 1, 1}).IntAttr("ceil_mode", 0).StringAttr("data_format", "NDHWC")
      .Infer(InferPool);
  r.Op("MaxPoolV3", "nn").Input("x", (kReal - kU32 - kU64) | kQI8).Output("y", (kReal - kU32 - kU64) | kQI8)
      .RequiredAttr("ksize", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt)
      .StringAttr("padding_mode", "CALCULATED").IntsAttr("pads", {0, 0, 0, 0}).StringAttr("data_format", "NCHW")
      .BoolAttr("global_pooling", false).BoolAttr("ceil_mode", false).Infer(InferPool);
  r.Op("MaxPool3DWithArgmaxV2", "nn").Input("x", kFloats).Output("y", kFloats).Output("argmax", kIndex)
      .RequiredAttr("ksize", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt)
      .RequiredAttr("pads", AttrType::kListInt).IntsAttr("dilation", {1, 1, 1}).BoolAttr("ceil_mode", false)
      .StringAttr("data_format", "NCDHW").IntAttr("dtype", 3).Infer(InferPool);
  r.Op("MaxPoolWithArgmaxV1", "nn").Input("x", kF32 | kF16).Output("y", kF32 | kF16).Output("argmax", kI32 | kU16)
      .RequiredAttr("ksize", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt)
      .RequiredAttr("pads", AttrType::kListInt).IntAttr("dtype", 3).IntsAttr("dilation", {1, 1, 1, 1})
      .BoolAttr("ceil_mode", false).Infer(InferPool);
  r.Op("MaxPoolWithArgmaxV3", "nn").Input("x", kFloats).Output("y", kFloats).Output("argmax", kIndex)
      .RequiredAttr("ksize", AttrType::kListInt).RequiredAttr("strides", AttrType::kListInt)
      .RequiredAttr("pads", AttrType::kListInt).IntAttr("dtype", 3).IntsAttr("dilation", {1, 1})
      .BoolAttr("ceil_mode", false).StringAttr("data_format", "NCHW").Infer(InferPool);
  r.Op("GlobalAveragePool", "math").Input("x", kFloating).Output("y", kFloating).Infer(InferGlobalPool);
  r.Op("GlobalLpPool", "nn").Input("x", kFloats).Output("y", kFloats).FloatAttr("p", 2.0f).Infer(InferGlobalPool);
  r.Op("AdaptiveAvgPool2d", "nn").Input("x", kFloats).Output("y", kFloats)
      .RequiredAttr("output_size", AttrType::kListInt).Infer(InferAdaptivePool);
  r.Op("AdaptiveAvgPool3d", "nn").Input("x", kFloats).Output("y", kFloats)
      .RequiredAttr("output_size", AttrType::kListInt).StringAttr("data_format", "NDHWC").Infer(InferAdaptivePool);
  r.Op("AdaptiveMaxPool2d", "nn").Input("x", kFloating).Output("y", kFloating).Output("argmax", kIndex)
      .RequiredAttr("output_size", AttrType::kListInt).Infer(InferAdaptivePool);
  r.Op("AdaptiveMaxPool3d", "nn").Input("x", kFloats).Output("y", kFloats).Output("indices", kIndex)
      .RequiredAttr("output_size", AttrType::kListInt).IntAttr("indices_dtype", 3).Infer(InferAdaptivePool);
}

}  // namespace ge::ops
