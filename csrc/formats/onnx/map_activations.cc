// Activation functions.
#include <cmath>

#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

Status Unconnected(NodeExporter& n) { return n.Fail("its input is not connected"); }

// ---- HardSwish, Mish, Swish ---------------------------------------------------------------------------------------------

Status ExportHardSwish(NodeExporter& n) {
  if (!n.has(0)) return Unconnected(n);
  if (n.opset() >= 14) {
    n.Begin("HardSwish", {n.In(0)});
    n.End();
    return Status::Ok();
  }
  std::string_view x = n.In(0), gate = n.Temp("gate");
  n.BeginHelper("gate", "HardSigmoid", {x}, gate);
  n.WriteFloat("alpha", 1.0f / 6.0f);
  n.WriteFloat("beta", 0.5f);
  n.End();
  n.Begin("Mul", {x, gate});
  n.End();
  return Status::Ok();
}

Status ExportMish(NodeExporter& n) {
  if (!n.has(0)) return Unconnected(n);
  if (n.opset() >= 18) {
    n.Begin("Mish", {n.In(0)});
    n.End();
    return Status::Ok();
  }
  std::string_view x = n.In(0), soft = n.Temp("softplus"), gate = n.Temp("tanh");
  n.BeginHelper("softplus", "Softplus", {x}, soft);
  n.End();
  n.BeginHelper("tanh", "Tanh", {soft}, gate);
  n.End();
  n.Begin("Mul", {x, gate});
  n.End();
  return Status::Ok();
}

// x * sigmoid(scale * x)
Status ExportSwish(NodeExporter& n) {
  if (!n.has(0)) return Unconnected(n);
  float scale = n.Float("scale", 1.0f);
  std::string_view x = n.In(0), inner = x, gate = n.Temp("sigmoid");
  if (scale != 1.0f) {
    std::string_view factor = n.NewScalar("scale", scale, n.desc(0).dtype);
    inner = n.Temp("scaled");
    n.BeginHelper("scaled", "Mul", {x, factor}, inner);
    n.End();
  }
  n.BeginHelper("sigmoid", "Sigmoid", {inner}, gate);
  n.End();
  n.Begin("Mul", {x, gate});
  n.End();
  return Status::Ok();
}

Status ExportRelu6(NodeExporter& n) {
  if (!n.has(0)) return Unconnected(n);
  if (n.opset() >= 11) {
    ir::DataType type = n.desc(0).dtype;
    std::string_view x = n.In(0), low = n.NewScalar("min", 0, type), high = n.NewScalar("max", 6, type);
    n.Begin("Clip", {x, low, high});
  } else {
    n.Begin("Clip", {n.In(0)});
    n.WriteFloat("min", 0.0f);
    n.WriteFloat("max", 6.0f);
  }
  n.End();
  return Status::Ok();
}

// ---- Gelu ---------------------------------------------------------------------------------------------------------------

// 0.5 * x * (1 + erf(x / sqrt(2)))
Status SpellGelu(NodeExporter& n) {
  ir::DataType type = n.desc(0).dtype;
  std::string_view x = n.In(0);
  std::string_view root = n.NewScalar("rsqrt2", std::sqrt(0.5), type);
  std::string_view one = n.NewScalar("one", 1, type), half = n.NewScalar("half", 0.5, type);
  std::string_view scaled = n.Temp("scaled"), erf = n.Temp("erf"), gate = n.Temp("gate"), product = n.Temp("product");
  n.BeginHelper("scaled", "Mul", {x, root}, scaled);
  n.End();
  n.BeginHelper("erf", "Erf", {scaled}, erf);
  n.End();
  n.BeginHelper("gate", "Add", {erf, one}, gate);
  n.End();
  n.BeginHelper("product", "Mul", {x, gate}, product);
  n.End();
  n.Begin("Mul", {product, half});
  n.End();
  return Status::Ok();
}

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
Status SpellTanhGelu(NodeExporter& n) {
  ir::DataType type = n.desc(0).dtype;
  std::string_view x = n.In(0);
  std::string_view cubic = n.NewScalar("cubic", 0.044715, type);
  std::string_view root = n.NewScalar("root", std::sqrt(2.0 / 3.14159265358979323846), type);
  std::string_view one = n.NewScalar("one", 1, type), half = n.NewScalar("half", 0.5, type);
  auto helper = [&n](std::string_view op, std::string_view suffix, std::string_view a, std::string_view b) {
    std::string_view out = n.Temp(suffix);
    if (b.empty()) {
      n.BeginHelper(suffix, op, {a}, out);
    } else {
      n.BeginHelper(suffix, op, {a, b}, out);
    }
    n.End();
    return out;
  };
  std::string_view square = helper("Mul", "square", x, x);
  std::string_view cube = helper("Mul", "cube", square, x);
  std::string_view term = helper("Mul", "term", cube, cubic);
  std::string_view sum = helper("Add", "sum", x, term);
  std::string_view scaled = helper("Mul", "scaled", sum, root);
  std::string_view tanh = helper("Tanh", "tanh", scaled, {});
  std::string_view gate = helper("Add", "gate", tanh, one);
  std::string_view product = helper("Mul", "product", x, gate);
  n.Begin("Mul", {product, half});
  n.End();
  return Status::Ok();
}

Status ExportGelu(NodeExporter& n, const std::string& approximate, bool write_attr) {
  if (!n.has(0)) return Unconnected(n);
  if (approximate != "none" && approximate != "tanh") {
    return n.Fail("its attribute 'approximate' is neither 'none' nor 'tanh'");
  }
  if (n.opset() < 20) return approximate == "tanh" ? SpellTanhGelu(n) : SpellGelu(n);
  n.Begin("Gelu", {n.In(0)});
  if (write_attr) n.WriteString("approximate", approximate);
  n.End();
  return Status::Ok();
}

// ---- attributes with conditions -----------------------------------------------------------------------------------------

bool ImportCelu(NodeImporter& n) {
  float alpha;
  bool given = n.view().Find("alpha") != nullptr;
  if (!n.Arity(1, 1) || !n.Float("alpha", 1.0f, &alpha) || !n.Rest()) return false;
  if (given) {
    n.Set("alpha1", alpha);
    n.Set("alpha2", alpha);
  }
  n.Create("Celu", 1, 1);
  n.ConnectInOrder(1);
  return true;
}

Status ExportCelu(NodeExporter& n) {
  if (!n.has(0)) return Unconnected(n);
  float alpha = n.Float("alpha1", 1.0f);
  if (n.Float("alpha2", 1.0f) != alpha || n.Float("alpha3", 1.0f) != 1.0f) {
    return n.Fail("ONNX Celu has one alpha: 'alpha1' and 'alpha2' must be equal, 'alpha3' must be 1");
  }
  n.Begin("Celu", {n.In(0)});
  if (n.HasAttr("alpha1")) n.WriteFloat("alpha", alpha);
  n.End();
  return Status::Ok();
}

bool Near(const AttrView* attr, float wanted) {
  return attr == nullptr || (attr->kind == AttrKind::kFloat && std::fabs(attr->f - wanted) < 1e-5f);
}

// GE's Selu has the usual constants built in.
bool ImportSelu(NodeImporter& n) {
  if (!n.Arity(1, 1) || !Near(n.view().Find("alpha"), 1.67326324f) || !Near(n.view().Find("gamma"), 1.05070099f)) {
    return false;
  }
  if (!n.Rest()) return false;
  n.Create("Selu", 1, 1);
  n.ConnectInOrder(1);
  return true;
}

}  // namespace

void AddActivations(MappingTable& table) {
  for (const char* op : {"Relu", "Sigmoid", "Tanh"}) table.Row({op, op, 6, "0"});
  table.Row({"Softplus", "Softplus", 1, "0"});
  table.Row({"Softsign", "Softsign", 1, "0"});
  table.Row({"PRelu", "PRelu", 7, "01"});
  table.Row({"Elu", "Elu", 6, "0", {{"alpha", "alpha", AttrForm::kFloat, 1.0f}}, {},
             {{"scale", 1.0f}, {"input_scale", 1.0f}}});
  table.Row({"LeakyRelu", "LeakyRelu", 6, "0", {{"alpha", "negative_slope", AttrForm::kFloat, 0.01f}}});
  table.Row({"HardSigmoid", "HardSigmoid", 6, "0",
             {{"alpha", "alpha", AttrForm::kFloat, 0.2f}, {"beta", "beta", AttrForm::kFloat, 0.5f}}});
  table.Row({"Shrink", "Shrink", 9, "0",
             {{"lambd", "lambd", AttrForm::kFloat, 0.5f}, {"bias", "bias", AttrForm::kFloat, 0.0f}}});
  table.Import("Celu", 12, ImportCelu);
  table.Export("Celu", 12, ExportCelu);
  table.Import("Selu", 6, ImportSelu);
  table.ExportRow({"Selu", "Selu", 6, "0"});

  table.ImportRow({"HardSwish", "HardSwish", 14, "0"});
  table.Export("HardSwish", {.since = 14, .fn = ExportHardSwish, .typed_as = "HardSwish", .spelled_out_since = 6});
  table.ImportRow({"Mish", "Mish", 18, "0"});
  table.Export("Mish", {.since = 18, .fn = ExportMish, .typed_as = "Mish", .spelled_out_since = 6});
  table.Export("Swish", 6, ExportSwish);
  table.Export("Relu6", 6, ExportRelu6);
  table.ImportRow({"Gelu", "GeluV2", 20, "0", {{"approximate", "approximate", AttrForm::kString, std::string("none")}}});
  auto gelu_v2 = [](NodeExporter& n) {
    return ExportGelu(n, n.String("approximate", "none"), n.HasAttr("approximate"));
  };
  table.Export("GeluV2", {.since = 20, .fn = gelu_v2, .typed_as = "Gelu", .spelled_out_since = 9});
  // GE's Gelu is the tanh form.
  auto gelu = [](NodeExporter& n) { return ExportGelu(n, "tanh", true); };
  table.Export("Gelu", {.since = 20, .fn = gelu, .typed_as = "Gelu", .spelled_out_since = 9});
}

}  // namespace ge::formats::onnx
