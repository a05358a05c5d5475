// Sampling from images by coordinates.
#include <string>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

// Opset 20 gave the modes names without the dimension.
constexpr int64_t kPlainNames = 20;

const std::vector<AttrRule>& GridRules() {
  static const auto* rules =
      new std::vector<AttrRule>{{"padding_mode", "padding_mode", AttrForm::kString, std::string("zeros")},
                                {"align_corners", "align_corners", AttrForm::kBool, false}};
  return *rules;
}

bool ImportGridSample(NodeImporter& n) {
  std::string mode;
  if (!n.Arity(2, 2) || !n.String("mode", "", &mode) || !n.Rules("GridSampler2D", GridRules())) return false;
  const ir::TensorDesc* x = n.Desc(0);
  const bool plain = n.opset() >= kPlainNames;
  // Until opset 20 there were only images.
  size_t rank = x == nullptr || x->shape.unknown_rank() ? (plain ? 0 : 4) : x->shape.rank();
  if (rank != 4 && rank != 5) return false;
  if (plain && mode == "linear") mode = "bilinear";
  if (plain && mode == "cubic") mode = "bicubic";
  if (!mode.empty() && mode != "bilinear" && mode != "nearest" && (mode != "bicubic" || rank == 5)) return false;
  if (!mode.empty()) n.Set("interpolation_mode", mode);
  if (!n.Rest()) return false;
  n.Create(rank == 4 ? "GridSampler2D" : "GridSampler3D", 2, 1);
  n.ConnectInOrder(2);
  return true;
}

Status ExportGridSample(NodeExporter& n) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (!n.has(i)) return n.Fail(StrCat("its input ", i, " is not connected"));
  }
  if (n.String("data_format", "NCDHW") != "NCDHW") return n.Fail("ONNX GridSample wants data_format NCDHW");
  n.Begin("GridSample", {n.In(0), n.In(1)});
  if (n.HasAttr("interpolation_mode")) {
    std::string mode = n.String("interpolation_mode", "bilinear");
    if (n.opset() >= kPlainNames && mode == "bilinear") mode = "linear";
    if (n.opset() >= kPlainNames && mode == "bicubic") mode = "cubic";
    n.WriteString("mode", mode);
  }
  GE_RETURN_IF_ERROR(n.WriteRules(GridRules()));
  n.End();
  return Status::Ok();
}

bool ImportRoiPool(NodeImporter& n) {
  std::vector<int64_t> pooled;
  bool present = false;
  float scale = 1;
  if (!n.Arity(2, 2) || !n.Ints("pooled_shape", &pooled, &present) || !n.Float("spatial_scale", 1.0f, &scale)) return false;
  if (pooled.size() != 2) return false;
  n.Set("pooled_h", pooled[0]);
  n.Set("pooled_w", pooled[1]);
  n.Set("spatial_scale_h", scale);
  n.Set("spatial_scale_w", scale);
  if (n.view().Find("spatial_scale") == nullptr) n.SetDefaulted("spatial_scale_h");
  if (!n.Rest()) return false;
  n.Create("ROIPooling", 3, 1);
  n.ConnectInOrder(2);
  return true;
}

Status ExportRoiPool(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("its first two inputs must be connected");
  if (n.has(2)) return n.Fail("ONNX MaxRoiPool has no place for its input 2");
  float scale = n.Float("spatial_scale_h", 1.0f);
  if (scale != n.Float("spatial_scale_w", 1.0f)) return n.Fail("ONNX MaxRoiPool has one scale for both directions");
  n.Begin("MaxRoiPool", {n.In(0), n.In(1)});
  const int64_t pooled[] = {n.Int("pooled_h", 1), n.Int("pooled_w", 1)};
  n.WriteInts("pooled_shape", pooled);
  if (!n.Defaulted("spatial_scale_h") || scale != 1.0f) n.WriteFloat("spatial_scale", scale);
  n.End();
  return Status::Ok();
}

}  // namespace

void AddSampling(MappingTable& table) {
  table.Import("GridSample", 16, ImportGridSample);
  table.Export("GridSampler2D", 16, ExportGridSample);
  table.Export("GridSampler3D", kPlainNames, ExportGridSample);
  table.Row({"AffineGrid", "AffineGrid", 20, "01", {{"align_corners", "align_corners", AttrForm::kBool, false}}, {}, {}, {1}});
  table.Import("MaxRoiPool", 1, ImportRoiPool);
  table.Export("ROIPooling", 1, ExportRoiPool);
}

}  // namespace ge::formats::onnx
