// Operators of no larger family.
#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

bool ImportEinsum(NodeImporter& n) {
  std::string equation;
  size_t count = n.num_inputs();
  if (count == 0 || !n.Arity(count, count) || !n.String("equation", "", &equation) || equation.empty()) return false;
  n.Set("equation", std::move(equation));
  n.Set("N", static_cast<int64_t>(count));
  if (!n.Rest()) return false;
  n.Create("Einsum", static_cast<uint32_t>(count), 1);
  n.ConnectInOrder(static_cast<uint32_t>(count));
  return true;
}

// In inference Dropout hands its input on; mask, ratio and training flag as tensors have no place in GE.
bool ImportDropout(NodeImporter& n) {
  if (!n.Arity(1, 1)) return false;
  static const auto* rules = new std::vector<AttrRule>{{"ratio", "dropout_ratio", AttrForm::kFloat, 0.5f}};
  if (n.opset() < 12 && !n.Rules("Dropout", *rules)) return false;
  if (!n.Rest()) return false;
  n.Create("Dropout", 1, 1);
  n.ConnectInOrder(1);
  return true;
}

Status ExportDropout(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  n.Begin("Dropout", {n.In(0)});
  if (n.opset() < 12 && n.HasAttr("dropout_ratio") && !n.Defaulted("dropout_ratio")) {
    n.WriteFloat("ratio", n.Float("dropout_ratio", 0.5f));
  }
  n.End();
  return Status::Ok();
}

// Sums of any number of tensors.
bool ImportSum(NodeImporter& n) {
  size_t count = n.num_inputs();
  if (count == 0 || !n.Arity(count, count)) return false;
  n.Set("N", static_cast<int64_t>(count));
  if (!n.Rest()) return false;
  n.Create("AccumulateNV2", static_cast<uint32_t>(count), 1);
  n.ConnectInOrder(static_cast<uint32_t>(count));
  return true;
}

// Before opset 8 the shapes had to be the same.
int64_t SumOpset(const ir::Node& node, int64_t opset) {
  auto differ = [](const ir::Shape& a, const ir::Shape& b) {
    if (a.unknown_rank() || b.unknown_rank()) return false;
    if (a.rank() != b.rank()) return true;
    for (size_t i = 0; i < a.rank(); ++i) {
      if (ir::IsStatic(a[i]) && ir::IsStatic(b[i]) && a[i] != b[i]) return true;
    }
    return false;
  };
  for (uint32_t i = 1; i < node.num_inputs(); ++i) {
    if (differ(node.input_desc(0).shape, node.input_desc(i).shape)) return std::max<int64_t>(opset, 8);
  }
  return opset;
}

Status ExportSum(NodeExporter& n) {
  std::vector<std::string_view> inputs;
  for (uint32_t i = 0; i < n.node().num_inputs(); ++i) {
    if (!n.has(i)) return n.Fail(StrCat("its input ", i, " is not connected"));
    inputs.push_back(n.In(i));
  }
  std::string_view out = n.Out();
  n.Begin("Sum", inputs, std::span(&out, 1));
  n.End();
  return Status::Ok();
}

}  // namespace

void AddMisc(MappingTable& table) {
  table.Row({"Range", "Range", 11, "012", {}, {}, {{"is_closed", false}}});
  table.Row({"NonZero", "NonZero", 9, "0", {}, {{"transpose", true}}, {{"dtype", ir::DataType::kInt64}}});
  table.Row({"Trilu", "Trilu", 14, "0b", {{"upper", "upper", AttrForm::kInt, int64_t{1}}}, {}, {}, {1}});
  table.Row({"ReverseSequence", "ReverseSequence", 10, "01",
             {{"batch_axis", "batch_dim", AttrForm::kInt, int64_t{1}},
              {"time_axis", "seq_dim", AttrForm::kInt, int64_t{0}}}});
  table.Import("Einsum", 12, ImportEinsum);
  table.ExportRow({"Einsum", "Einsum", 12, "*", {{"equation", "equation", AttrForm::kString}}});
  table.Import("Dropout", 7, ImportDropout);
  table.Export("Dropout", 7, ExportDropout);
  table.Import("Sum", 7, ImportSum);
  for (const char* op : {"AddN", "AccumulateNV2"}) {
    table.Export(op, {.since = 6, .fn = ExportSum, .opset = SumOpset, .typed_as = "Sum"});
  }
}

}  // namespace ge::formats::onnx
