// Resize, and its forerunner Upsample.
#include <algorithm>

#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"
#include "formats/onnx/private_attrs.h"

namespace ge::formats::onnx {
namespace {

const std::vector<AttrRule>& ResizeRules() {
  static const auto* rules = new std::vector<AttrRule>{
      {"coordinate_transformation_mode", "coordinate_transformation_mode", AttrForm::kString, std::string("half_pixel")},
      {"cubic_coeff_a", "cubic_coeff_a", AttrForm::kFloat, -0.75f},
      {"exclude_outside", "exclude_outside", AttrForm::kInt, int64_t{0}},
      {"extrapolation_value", "extrapolation_value", AttrForm::kFloat, 0.0f},
      {"mode", "mode", AttrForm::kString, std::string("nearest")},
      {"nearest_mode", "nearest_mode", AttrForm::kString, std::string("round_prefer_floor")}};
  return *rules;
}

bool ImportResize(NodeImporter& n) {
  if (!n.Arity(1, 4) || !n.Rules("Resize", ResizeRules())) return false;
  // Features of opset 18 that GE's operator lacks; a mode that opset 13 dropped.
  const AttrView* policy = n.view().Find("keep_aspect_ratio_policy");
  const AttrView* mode = n.view().Find("coordinate_transformation_mode");
  if (n.view().Find("axes") != nullptr || !n.IntIs("antialias", 0, 0) || (policy != nullptr && policy->s != "stretch") ||
      (mode != nullptr && mode->s == "tf_half_pixel_for_nn")) {
    return false;
  }
  if (!n.Rest()) return false;
  n.Create("Resize", 4, 1);
  n.ConnectInOrder(4);
  return true;
}

// Until opset 10 sampling is asymmetric and rounds down.
bool CreateOld(NodeImporter& n, const char* origin, const ir::TensorPtr& scales) {
  std::string mode;
  bool has_mode = n.view().Find("mode") != nullptr;
  if (!n.String("mode", "nearest", &mode) || (mode != "nearest" && mode != "linear")) return false;
  n.Set("coordinate_transformation_mode", std::string("asymmetric"));
  n.Set("nearest_mode", std::string("floor"));
  n.Set("mode", std::move(mode));
  n.Set(Private().origin, std::string(origin));
  if (!n.Rest()) return false;
  if (!has_mode) n.SetDefaulted("mode");
  ir::Anchor scales_const;
  if (scales != nullptr) scales_const = n.Const(scales, "scales");
  n.Create("Resize", 4, 1);
  n.ConnectInOrder(1);
  if (scales != nullptr) {
    n.Connect(2, scales_const);
  } else {
    n.Connect(2, size_t{1});
  }
  return true;
}

bool ImportOldResize(NodeImporter& n) { return n.Arity(2, 2) && CreateOld(n, "Resize", nullptr); }
bool ImportUpsample(NodeImporter& n) { return n.Arity(2, 2) && CreateOld(n, "Upsample", nullptr); }
bool ImportUpsampleAttrs(NodeImporter& n) {
  std::vector<float> scales;
  bool present;
  if (!n.Arity(1, 1) || !n.Floats("scales", &scales, &present) || !present) return false;
  ir::Shape shape({static_cast<ir::Dim>(scales.size())});
  return CreateOld(n, "Upsample", ir::MakeTensor<float>(ir::DataType::kFloat, shape, scales));
}

std::string_view TextOr(const ir::Node& node, const char* name, std::string_view absent) {
  const std::string* v = node.attr<std::string>(ir::Symbol(name));
  return v == nullptr ? absent : std::string_view(*v);
}

// Whether the operators before opset 11 can express the node.
bool IsOld(const ir::Node& node) {
  auto connected = [&](uint32_t i) { return i < node.num_inputs() && node.input(i); };
  std::string_view mode = TextOr(node, "mode", "nearest");
  return TextOr(node, "coordinate_transformation_mode", "half_pixel") == "asymmetric" && connected(2) && !connected(3) &&
         (mode == "linear" || (mode == "nearest" && TextOr(node, "nearest_mode", "round_prefer_floor") == "floor"));
}

Status ExportOldResize(NodeExporter& n) {
  const char* op = n.opset() < 10 ? "Upsample" : "Resize";
  std::vector<float> scales;
  if (n.opset() < 9) {
    const ir::Tensor* t = n.Const(2);
    std::vector<double> values;
    if (t == nullptr || !ir::ReadNumbers(*t, &values)) return n.Fail("before opset 9 its scales must be constant");
    scales.assign(values.begin(), values.end());
    n.Begin(op, {n.In(0)});
  } else {
    std::string_view x = n.In(0), s = n.In(2);
    n.Begin(op, {x, s});
  }
  std::string mode = n.String("mode", "nearest");
  if (mode != "nearest" || !n.Defaulted("mode")) n.WriteString("mode", mode);
  if (n.opset() < 9) n.WriteFloats("scales", scales);
  n.End();
  return Status::Ok();
}

Status ExportResize(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  if (n.opset() < 11) return ExportOldResize(n);
  if (!n.has(2) && !n.has(3)) return n.Fail("it needs scales or sizes");
  std::string_view x = n.In(0), roi = n.In(1), scales = n.In(2), sizes = n.InInt64(3);
  if (n.opset() < 13) {
    // roi and scales must be there, empty ones mean nothing.
    auto empty = [&](std::string_view name) {
      return n.NewConst(name, ir::MakeTensor<float>(ir::DataType::kFloat, {0}, {}));
    };
    bool came_without = n.CameFrom("Upsample") || n.CameFrom("Resize") || !n.HasAttr("mode");
    if (roi.empty() && came_without) roi = empty("roi");
    if (scales.empty()) scales = empty("scales");
  }
  std::string_view inputs[] = {x, roi, scales, sizes};
  std::string_view out = n.Out();
  n.Begin("Resize", inputs, std::span(&out, 1));
  GE_RETURN_IF_ERROR(n.WriteRules(ResizeRules()));
  n.End();
  return Status::Ok();
}

int64_t ResizeOpset(const ir::Node& node, int64_t opset) {
  if (opset >= 11 || !IsOld(node)) return std::max<int64_t>(opset, 11);
  bool constant = node.input(2).node->const_value() != nullptr;
  return constant ? opset : std::max<int64_t>(opset, 9);
}

}  // namespace

void AddResize(MappingTable& table) {
  table.Import("Resize", 11, ImportResize);
  table.Import("Resize", 10, ImportOldResize, 11);
  table.Import("Upsample", 9, ImportUpsample, 10);
  table.Import("Upsample", 7, ImportUpsampleAttrs, 9);
  table.Export("Resize", {.since = 7, .fn = ExportResize, .opset = ResizeOpset});
}

}  // namespace ge::formats::onnx
