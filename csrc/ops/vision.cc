// Resizing, sampling, regions and the rearranging of image blocks.
#include <algorithm>
#include <cmath>

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

// ---- Resize ---------------------------------------------------------------------------------------------------------

// A float vector out of a constant or followed tensor; nothing when unknown or empty.
std::optional<std::vector<double>> Floats(const InferContext& ctx, size_t input) {
  const Values* v = ctx.values(input);
  if (v == nullptr || v->size() == 0) return std::nullopt;
  std::vector<double> out;
  for (const Scalar& s : v->items) {
    if (!s.is_number()) return std::nullopt;
    out.push_back(s.number());
  }
  return out;
}

bool IsEmpty(const InferContext& ctx, size_t input) {
  if (!ctx.has_input(input)) return true;
  const Shape& s = ctx.shape(input);
  return !s.unknown_rank() && s.rank() == 1 && s[0] == 0;
}

Dim Scaled(Dim size, double scale) {
  if (scale == 1.0) return size;
  if (!ir::IsStatic(size)) return ir::kUnknownDim;
  double out = std::floor(static_cast<double>(size) * static_cast<float>(scale));
  return out >= 0 && out < 9e15 ? static_cast<Dim>(out) : ir::kUnknownDim;
}

// Either sizes or scales say the size, for all dims or for those of the attribute axes.
Status InferResize(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  DataType type = ctx.dtype(0);
  bool by_sizes = !IsEmpty(ctx, 3);
  const Values* sizes = by_sizes ? ctx.values(3) : nullptr;
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  std::vector<size_t> axes;
  for (int64_t a : ctx.Ints(Names().axes)) GE_RETURN_IF_ERROR(NormalizeAxis(ctx, a, x.rank(), &axes.emplace_back()));
  for (size_t i = 0; ctx.Ints(Names().axes).empty() && i < x.rank(); ++i) axes.push_back(i);
  DimList dims(x.dims());
  auto scales = by_sizes ? std::nullopt : Floats(ctx, 2);
  size_t given = sizes != nullptr ? sizes->size() : scales ? scales->size() : axes.size();
  if (given != axes.size()) {
    return ctx.Error(StrCat("a size or scale for each of ", axes.size(), " dims"), StrCat(given));
  }
  std::string_view policy = ctx.String(Names().keep_aspect_ratio_policy, "stretch");
  bool keep_ratio = by_sizes && (policy == "not_larger" || policy == "not_smaller");
  double ratio = 0;
  for (size_t i = 0; keep_ratio && i < axes.size(); ++i) {
    bool known = sizes != nullptr && (*sizes)[i].is_number() && ir::IsStatic(x[axes[i]]) && x[axes[i]] > 0;
    if (!known) {
      sizes = nullptr;
      break;
    }
    double r = (*sizes)[i].number() / static_cast<double>(x[axes[i]]);
    ratio = i == 0 ? r : policy == "not_larger" ? std::min(ratio, r) : std::max(ratio, r);
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim& d = dims[axes[i]];
    if (sizes != nullptr && keep_ratio) {
      double size = std::floor(ratio * static_cast<double>(d) + 0.5);
      d = size >= 0 && size < 9e15 ? static_cast<Dim>(size) : ir::kUnknownDim;
    } else if (sizes != nullptr) {
      d = (*sizes)[i].dim();
    } else {
      d = scales ? Scaled(d, (*scales)[i]) : ir::kUnknownDim;
    }
  }
  ctx.SetOutput(0, dims, type);
  return Status::Ok();
}

// The second input holds height and width (or depth, height and width) of the last dims.
Status InferResizeTo(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  DataType type = ctx.dtype(0);
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  const Values* size = ctx.values(1);
  bool last = ctx.input(0).format == ir::Format::kNHWC;
  size_t spatial = x.rank() > 2 ? x.rank() - 2 : 0;
  DimList dims(x.dims());
  for (size_t i = 0; i < spatial; ++i) {
    size_t d = (last ? 1 : 2) + i;
    dims[d] = size != nullptr && size->size() == spatial ? (*size)[i].dim() : ir::kUnknownDim;
  }
  ctx.SetOutput(0, dims, type);
  return Status::Ok();
}

// ---- sampling and regions -------------------------------------------------------------------------------------------

}  // namespace

// Batch and channels of x, places of the grid [N, ..., 2 or 3].
Status InferGridSample(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Shape& grid = ctx.shape(1);
  if (x.unknown_rank() || grid.unknown_rank() || x.rank() < 3 || grid.rank() != x.rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  DimList dims;
  dims.push_back(x[0]);
  dims.push_back(x[1]);
  for (size_t i = 1; i + 1 < grid.rank(); ++i) dims.push_back(grid[i]);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

namespace {

// Theta [N, 2, 3] and a size [N, C, H, W], or the same with one dim more.
Status InferAffineGrid(InferContext& ctx) {
  const Values* size = ctx.values(1);
  const Shape& theta = ctx.shape(0);
  const Shape& sizes = ctx.shape(1);
  const bool listed = !sizes.unknown_rank() && sizes.rank() == 1;
  Dim entries = size != nullptr ? static_cast<Dim>(size->size()) : listed ? sizes[0] : ir::kUnknownDim;
  if (!ir::IsStatic(entries) || entries < 3 || entries > static_cast<Dim>(kMaxFollowed)) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  auto n = static_cast<size_t>(entries);
  DimList dims(n, ir::kUnknownDim);
  if (!theta.unknown_rank() && theta.rank() > 0) {
    dims[0] = theta[0];
  } else if (size != nullptr) {
    dims[0] = (*size)[0].dim();
  }
  for (size_t i = 2; size != nullptr && i < n; ++i) dims[i - 1] = (*size)[i].dim();
  dims[n - 1] = static_cast<Dim>(n - 2);
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

Status Regions(InferContext& ctx, int64_t height, int64_t width) {
  const Shape& x = ctx.shape(0);
  const Shape& rois = ctx.shape(1);
  Dim channels = x.unknown_rank() || x.rank() < 2 ? ir::kUnknownDim : x[1];
  Dim count = rois.unknown_rank() || rois.rank() == 0 ? ir::kUnknownDim : rois[0];
  ctx.SetOutput(0, Shape{count, channels, SizeOrUnknown(height), SizeOrUnknown(width)}, ctx.dtype(0));
  return Status::Ok();
}

Status InferRoiAlign(InferContext& ctx) {
  return Regions(ctx, ctx.Int(Names().pooled_height), ctx.Int(Names().pooled_width));
}

Status InferRoiPooling(InferContext& ctx) {
  static const ir::Symbol height("pooled_h"), width("pooled_w");
  return Regions(ctx, ctx.Int(height), ctx.Int(width));
}

Status InferCropAndResize(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Shape& boxes = ctx.shape(1);
  const Values* size = ctx.values(3);
  bool known = size != nullptr && size->size() == 2;
  Dim count = boxes.unknown_rank() || boxes.rank() == 0 ? ir::kUnknownDim : boxes[0];
  Dim depth = x.unknown_rank() || x.rank() < 4 ? ir::kUnknownDim : x[3];
  Dim height = known ? (*size)[0].dim() : ir::kUnknownDim, width = known ? (*size)[1].dim() : ir::kUnknownDim;
  ctx.SetOutput(0, Shape{count, height, width, depth}, DataType::kFloat);
  return Status::Ok();
}

// Triples of batch, class and box.
Status InferNonMaxSuppression(InferContext& ctx) {
  ctx.SetOutput(0, Shape{ir::kUnknownDim, 3}, DataType::kInt32);
  return Status::Ok();
}

Status InferNonMaxSuppressionV3(InferContext& ctx) {
  ctx.SetOutput(0, Shape{ir::kUnknownDim}, DataType::kInt32);
  return Status::Ok();
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

struct ImageDims {
  size_t channel, height, width;
};

ImageDims ImageDimsOf(const InferContext& ctx) {
  std::string_view format = ctx.String(Names().data_format, "NHWC");
  bool last = !format.empty() && format.back() == 'C';
  return last ? ImageDims{3, 1, 2} : ImageDims{1, 2, 3};
}

Dim Divided(Dim d, int64_t n) { return ir::IsStatic(d) ? d / n : ir::kUnknownDim; }

Status MoveBlocks(InferContext& ctx, bool to_space) {
  GE_RETURN_IF_ERROR(CheckRank(ctx, 0, 4));
  const Shape& x = ctx.shape(0);
  int64_t block = ctx.Int(Names().block_size);
  if (block <= 0 || block > 46340) return ctx.Error("a block size from 1 upwards", StrCat("'", block, "'"));
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  ImageDims at = ImageDimsOf(ctx);
  auto divisible = [](Dim d, int64_t n) { return !ir::IsStatic(d) || d % n == 0; };
  Shape out = x;
  if (to_space) {
    if (!divisible(x[at.channel], block * block)) {
      return ctx.Error(StrCat("channels that divide by ", block * block), StrCat("'", x[at.channel], "'"));
    }
    out.Set(at.channel, Divided(x[at.channel], block * block));
    out.Set(at.height, MultiplyDims(x[at.height], block));
    out.Set(at.width, MultiplyDims(x[at.width], block));
  } else {
    if (!divisible(x[at.height], block) || !divisible(x[at.width], block)) {
      return ctx.Error(StrCat("height and width that divide by ", block), StrCat("shape '", x.ToString(), "'"));
    }
    out.Set(at.channel, MultiplyDims(x[at.channel], block * block));
    out.Set(at.height, Divided(x[at.height], block));
    out.Set(at.width, Divided(x[at.width], block));
  }
  ctx.SetOutput(0, out, ctx.dtype(0));
  return Status::Ok();
}

Status InferDepthToSpace(InferContext& ctx) { return MoveBlocks(ctx, true); }
Status InferSpaceToDepth(InferContext& ctx) { return MoveBlocks(ctx, false); }

// Columns [N, C * kernel, L] back to an image of the size in the second input.
Status InferCol2Im(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  const Values* size = ctx.values(1);
  auto kernel = ctx.ints(2);
  DimList dims;
  dims.push_back(x.unknown_rank() || x.rank() != 3 ? ir::kUnknownDim : x[0]);
  Dim channels = ir::kUnknownDim;
  if (kernel && !x.unknown_rank() && x.rank() == 3) {
    Dim area = 1;
    for (Dim k : *kernel) area = MultiplyDims(area, k);
    if (ir::IsStatic(x[1]) && ir::IsStatic(area) && area > 0) channels = x[1] / area;
  }
  dims.push_back(channels);
  if (size == nullptr) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  for (const Scalar& s : size->items) dims.push_back(s.dim());
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void RegisterVision(OpRegistrar& r) {
  r.Op("Resize", "nn").Input("x", kSigned | kFloating | kU8 | kU16).OptionalInput("roi", kFloating)
      .OptionalInput("scales", kF32).OptionalInput("sizes", kIndex).Output("y", kSigned | kFloating | kU8 | kU16)
      .StringAttr("coordinate_transformation_mode", "half_pixel").FloatAttr("cubic_coeff_a", -0.75f)
      .IntAttr("exclude_outside", 0).FloatAttr("extrapolation_value", 0.0f).StringAttr("mode", "nearest")
      .StringAttr("nearest_mode", "round_prefer_floor").Infer(InferResize);
  r.Op("ResizeNearestNeighborV2", "cv").Input("x", kReal - kU32 - kU64).Input("size", kI32)
      .Output("y", kReal - kU32 - kU64).BoolAttr("align_corners", false).BoolAttr("half_pixel_centers", false)
      .FloatsAttr("scales", {0.0f, 0.0f}).Infer(InferResizeTo);
  r.Op("ResizeBilinearV2", "cv").Input("x", kReal - kU32 - kU64).Input("size", kI32).Output("y", kFloats | kU8)
      .BoolAttr("align_corners", false).BoolAttr("half_pixel_centers", false).TypeAttr("dtype", DataType::kFloat)
      .FloatsAttr("scales", {0.0f, 0.0f}).Infer(InferResizeTo);
  r.Op("ResizeBicubicV2", "cv").Input("x", kFloats).Input("size", kI32).Output("y", kFloats)
      .BoolAttr("align_corners", false).FloatsAttr("scales", {0.0f, 0.0f}).Infer(InferResizeTo);
  r.Op("GridSampler2D", "cv").Input("x", kF32 | kF16).Input("grid", kF32 | kF16).Output("y", kF32 | kF16)
      .StringAttr("interpolation_mode", "bilinear").StringAttr("padding_mode", "zeros")
      .BoolAttr("align_corners", false).Infer(InferGridSample);
  r.Op("GridSampler3D", "legacy").Input("x", kFloating).Input("grid", kFloating).Output("y", kFloating)
      .StringAttr("interpolation_mode", "bilinear").StringAttr("padding_mode", "zeros")
      .StringAttr("data_format", "NCDHW").BoolAttr("align_corners", false).Infer(InferGridSample);
  r.Op("GridSample", "cv").Input("x", kF32 | kF16).Input("grid", kF32 | kF16).Output("y", kF32 | kF16)
      .StringAttr("interpolation_mode", "bilinear").StringAttr("padding_mode", "zeros")
      .BoolAttr("align_corners", false).BoolAttr("channel_last", false).IntAttr("scheduler_mode", 1)
      .Infer(InferGridSample);
  r.Op("AffineGrid", "legacy").Input("theta", kF32 | kF16).Input("output_size", kI32).Output("y", kF32 | kF16)
      .BoolAttr("align_corners", false).Infer(InferAffineGrid);
  r.Op("ROIAlign", "cv").Input("features", kF32 | kF16).Input("rois", kF32 | kF16).OptionalInput("rois_n", kI32)
      .Output("y", kF32 | kF16).RequiredAttr("spatial_scale", AttrType::kFloat)
      .RequiredAttr("pooled_height", AttrType::kInt).RequiredAttr("pooled_width", AttrType::kInt)
      .IntAttr("sample_num", 2).IntAttr("roi_end_mode", 1).StringAttr("pool_mode", "avg").Infer(InferRoiAlign);
  r.Op("ROIPooling", "cv").Input("x", kF32 | kF16).Input("rois", kF32 | kF16).OptionalInput("roi_actual_num", kI32)
      .Output("y", kF32 | kF16).RequiredAttr("pooled_h", AttrType::kInt).RequiredAttr("pooled_w", AttrType::kInt)
      .RequiredAttr("spatial_scale_h", AttrType::kFloat).RequiredAttr("spatial_scale_w", AttrType::kFloat)
      .Infer(InferRoiPooling);
  r.Op("CropAndResize", "cv").Input("x", kSigned | kFloating | kU8 | kU16).Input("boxes", kF32 | kF16)
      .Input("box_index", kI32).Input("crop_size", kI32).Output("y", kF32 | kF16)
      .FloatAttr("extrapolation_value", 0.0f).StringAttr("method", "bilinear").Infer(InferCropAndResize);
  r.Op("NonMaxSuppressionV6", "cv").Input("boxes", kF32 | kF16).Input("scores", kF32 | kF16)
      .OptionalInput("max_output_size", kI32).OptionalInput("iou_threshold", kF32)
      .OptionalInput("score_threshold", kF32).Output("selected_indices", kI32).IntAttr("center_point_box", 0)
      .IntAttr("max_boxes_size", 0).Infer(InferNonMaxSuppression);
  r.Op("NonMaxSuppressionV7", "cv").Input("boxes", kF32 | kF16).Input("scores", kF32 | kF16)
      .OptionalInput("max_output_size", kI32).OptionalInput("iou_threshold", kF32)
      .OptionalInput("score_threshold", kF32).OptionalInput("index_id", kF16).Output("selected_indices", kI32)
      .IntAttr("center_point_box", 0).IntAttr("max_boxes_size", 0).Infer(InferNonMaxSuppression);
  r.Op("NonMaxSuppressionV3", "cv").Input("boxes", kF32 | kF16).Input("scores", kF32 | kF16)
      .Input("max_output_size", kI32).Input("iou_threshold", kF32 | kF16).Input("score_threshold", kF32 | kF16)
      .Output("selected_indices", kI32).IntAttr("offset", 0).Infer(InferNonMaxSuppressionV3);
  r.Op("DepthToSpace", "math").Input("x", kBasic).Output("y", kBasic).RequiredAttr("block_size", AttrType::kInt)
      .StringAttr("mode", "DCR").StringAttr("data_format", "NHWC").Infer(InferDepthToSpace);
  r.Op("SpaceToDepth", "math").Input("x", kBasic).Output("y", kBasic).RequiredAttr("block_size", AttrType::kInt)
      .StringAttr("data_format", "NHWC").Infer(InferSpaceToDepth);
  r.Op("Col2ImV2", "cv").Input("x", kF32 | kF16).Input("output_size", kI32).Input("kernel_size", kI32)
      .Output("y", kF32 | kF16).RequiredAttr("dilation", AttrType::kListInt)
      .RequiredAttr("padding", AttrType::kListInt).RequiredAttr("stride", AttrType::kListInt).Infer(InferCol2Im);
}

}  // namespace ge::ops
