// Normalisations, in their inference form.
#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

const OpRow* batch_norm_row;

bool ImportBatchNorm(NodeImporter& n) {
  return n.IntIs("training_mode", 0, 0) && n.IntIs("spatial", 1, 1) && n.ImportRow(*batch_norm_row);
}

bool ImportLayerNorm(NodeImporter& n) {
  int64_t axis;
  float epsilon;
  bool has_axis = n.view().Find("axis") != nullptr, has_epsilon = n.view().Find("epsilon") != nullptr;
  // GE needs beta, and its second output is the variance, not its root.
  if (!n.Arity(3, 3) || !n.Int("axis", -1, &axis) || !n.Float("epsilon", 1e-5f, &epsilon)) return false;
  n.Set("begin_norm_axis", axis);
  n.Set("begin_params_axis", axis);
  n.Set("epsilon", epsilon);
  if (!n.Rest()) return false;
  if (!has_axis) n.SetDefaulted("begin_norm_axis");
  if (!has_epsilon) n.SetDefaulted("epsilon");
  n.Create("LayerNorm", 3, 3);
  n.ConnectInOrder(3);
  return true;
}

Status ExportLayerNorm(NodeExporter& n) {
  for (uint32_t i = 0; i < 3; ++i) {
    if (!n.has(i)) return n.Fail("it needs three inputs");
  }
  for (uint32_t i = 1; i < n.node().num_outputs(); ++i) {
    if (n.node().num_uses(i) > 0) return n.Fail(StrCat("ONNX LayerNormalization has no output like its output ", i));
  }
  int64_t axis = n.Int("begin_norm_axis", 0), params = n.Int("begin_params_axis", 0);
  const ir::Shape& x = n.desc(0).shape;
  auto positive = [&](int64_t a) { return a < 0 && !x.unknown_rank() ? a + static_cast<int64_t>(x.rank()) : a; };
  if (positive(axis) != positive(params)) {
    // Scale and offset of a shape that starts earlier only fit if those dims are one.
    return n.Fail("ONNX LayerNormalization scales from the axis it normalises from; set begin_params_axis to "
                  "begin_norm_axis");
  }
  std::string_view a = n.In(0), scale = n.In(1), bias = n.In(2);
  n.Begin("LayerNormalization", {a, scale, bias});
  if (!(n.Defaulted("begin_norm_axis") && axis == -1)) n.WriteInt("axis", axis);
  float epsilon = n.Float("epsilon", 1e-7f);
  if (!(n.Defaulted("epsilon") && epsilon == 1e-5f)) n.WriteFloat("epsilon", epsilon);
  n.End();
  return Status::Ok();
}

}  // namespace

void AddNorm(MappingTable& table) {
  OpRow row{"BatchNormalization", "BatchNorm", 7, "01234", {{"epsilon", "epsilon", AttrForm::kFloat, 1e-5f}},
            {{"data_format", std::string("NCHW")}, {"is_training", false}}};
  row.ge_outputs = 6;
  batch_norm_row = table.ExportRow(row);
  table.Import("BatchNormalization", 7, ImportBatchNorm);
  row = {"InstanceNormalization", "InstanceNorm", 6, "012", {{"epsilon", "epsilon", AttrForm::kFloat, 1e-5f}},
         {{"data_format", std::string("NCHW")}}};
  row.ge_outputs = 3;
  table.Row(row);
  table.Import("LayerNormalization", 17, ImportLayerNorm);
  table.Export("LayerNorm", 17, ExportLayerNorm);
}

}  // namespace ge::formats::onnx
