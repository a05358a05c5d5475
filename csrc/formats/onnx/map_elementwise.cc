// Unary and binary operators, comparisons, logic, selection, casts.
#include "formats/onnx/cast_tensor.h"
#include "formats/onnx/dtype_map.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"
#include "formats/onnx/private_attrs.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;

// ---- Clip ---------------------------------------------------------------------------------------------------------------

constexpr float kLowest = -3.402823466e+38f;
constexpr float kHighest = 3.402823466e+38f;

// Bounds are attributes.
bool ImportClipAttrs(NodeImporter& n) {
  float low, high;
  bool has_low = n.view().Find("min") != nullptr;
  bool has_high = n.view().Find("max") != nullptr;
  if (!n.Arity(1, 1) || !n.Float("min", kLowest, &low) || !n.Float("max", kHighest, &high) || !n.Rest()) return false;
  if (!has_low) n.SetDefaulted("clip_value_min");
  if (!has_high) n.SetDefaulted("clip_value_max");
  ir::Anchor low_const = n.Const(ir::ScalarTensor(low), "min");
  ir::Anchor high_const = n.Const(ir::ScalarTensor(high), "max");
  n.Create("ClipByValue", 3, 1);
  n.ConnectInOrder(1);
  n.Connect(1, low_const);
  n.Connect(2, high_const);
  return true;
}

// Bounds are inputs; one alone makes a Maximum or a Minimum.
bool ImportClip(NodeImporter& n) {
  if (!n.Arity(1, 3) || (!n.has_input(1) && !n.has_input(2)) || !n.Rest()) return false;
  if (n.has_input(1) && n.has_input(2)) {
    n.Create("ClipByValue", 3, 1);
    n.ConnectInOrder(3);
    return true;
  }
  n.Set(Private().origin, std::string("Clip"));
  n.Create(n.has_input(1) ? "Maximum" : "Minimum", 2, 1);
  n.ConnectInOrder(1);
  n.Connect(1, n.has_input(1) ? size_t{1} : size_t{2});
  return true;
}

bool ScalarFloat(NodeExporter& n, uint32_t slot, float* out) {
  const ir::Tensor* t = n.Const(slot);
  std::vector<double> values;
  if (t == nullptr || !ir::ReadNumbers(*t, &values) || values.size() != 1) return false;
  *out = static_cast<float>(values[0]);
  return true;
}

Status ExportClip(NodeExporter& n) {
  for (uint32_t i = 0; i < 3; ++i) {
    if (!n.has(i)) return n.Fail("it needs three inputs");
  }
  if (n.opset() >= 11) {
    DataType type = n.desc(0).dtype;
    auto bound = [&](uint32_t slot, std::string_view attr, float none) -> std::string_view {
      float value;
      if (n.Defaulted(attr) && ScalarFloat(n, slot, &value) && value == none) return {};
      if (type == DataType::kUndefined) return n.In(slot);
      return n.InAs(slot, type);
    };
    // ONNX takes scalars only; what GE broadcasts is spelled out.
    auto scalar = [&](uint32_t slot) { return n.desc(slot).shape.unknown_rank() || n.desc(slot).shape.rank() == 0; };
    if (!scalar(1) || !scalar(2)) {
      std::string_view low = n.In(1), high = n.In(2), x = n.In(0), between = n.Temp("max");
      n.BeginHelper("max", "Max", {x, low}, between);
      n.End();
      n.Begin("Min", {between, high});
      n.End();
      return Status::Ok();
    }
    std::string_view x = n.In(0);
    std::string_view low = bound(1, "clip_value_min", kLowest);
    std::string_view high = bound(2, "clip_value_max", kHighest);
    n.Begin("Clip", {x, low, high});
    n.End();
    return Status::Ok();
  }
  float low, high;
  if (!ScalarFloat(n, 1, &low) || !ScalarFloat(n, 2, &high)) {
    return n.Fail("before opset 11 its bounds must be constant scalars");
  }
  n.Begin("Clip", {n.In(0)});
  if (!(n.Defaulted("clip_value_min") && low == kLowest)) n.WriteFloat("min", low);
  if (!(n.Defaulted("clip_value_max") && high == kHighest)) n.WriteFloat("max", high);
  n.End();
  return Status::Ok();
}

int64_t ClipOpset(const ir::Node& node, int64_t opset) {
  if (opset < 11) {
    for (uint32_t i = 1; i < node.num_inputs(); ++i) {
      ir::Anchor source = node.input(i);
      const ir::Tensor* value = source ? source.node->const_value() : nullptr;
      if (value == nullptr || value->desc.shape.NumElements() != 1) opset = 11;
    }
  }
  return opset;
}

// ---- Max, Min -----------------------------------------------------------------------------------------------------------

template <bool kMax>
bool ImportMaxMin(NodeImporter& n) {
  if (n.num_inputs() != 2 || !n.Arity(2, 2) || !n.Rest()) return false;
  n.Create(kMax ? "Maximum" : "Minimum", 2, 1);
  n.ConnectInOrder(2);
  return true;
}

bool IsOneSidedClip(const ir::Node& node) {
  const std::string* origin = node.attr<std::string>(Private().origin);
  if (origin == nullptr || *origin != "Clip" || node.num_inputs() != 2) return false;
  const ir::Shape& bound = node.input_desc(1).shape;
  return bound.unknown_rank() || bound.rank() == 0;
}

template <bool kMax>
Status ExportMaxMin(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  std::string_view a = n.In(0), b = n.In(1);
  if (n.opset() >= 11 && IsOneSidedClip(n.node())) {
    if (kMax) {
      n.Begin("Clip", {a, b});
    } else {
      n.Begin("Clip", {a, "", b});
    }
  } else {
    n.Begin(kMax ? "Max" : "Min", {a, b});
  }
  n.End();
  return Status::Ok();
}

// ---- others with a choice -----------------------------------------------------------------------------------------------

bool ImportMod(NodeImporter& n) {
  int64_t fmod;
  if (!n.Arity(2, 2) || !n.Int("fmod", 0, &fmod) || !n.Rest()) return false;
  if (fmod == 0) {
    n.Set(Private().origin, std::string("Mod"));
    if (n.view().Find("fmod") == nullptr) n.SetDefaulted("fmod");
  }
  n.Create(fmod != 0 ? "Mod" : "FloorMod", 2, 1);
  n.ConnectInOrder(2);
  return true;
}

Status ExportFloorMod(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  if (ir::IsFloating(n.desc(0).dtype) && !n.CameFrom("Mod")) {
    // ONNX Mod of floats truncates; a - floor(a / b) * b is what GE computes.
    std::string_view a = n.In(0), b = n.In(1), quotient = n.Temp("div"), whole = n.Temp("floor"), product = n.Temp("mul");
    n.BeginHelper("div", "Div", {a, b}, quotient);
    n.End();
    n.BeginHelper("floor", "Floor", {quotient}, whole);
    n.End();
    n.BeginHelper("mul", "Mul", {whole, b}, product);
    n.End();
    n.Begin("Sub", {a, product});
    n.End();
    return Status::Ok();
  }
  n.Begin("Mod", {n.In(0), n.In(1)});
  if (n.CameFrom("Mod") && !n.Defaulted("fmod")) n.WriteInt("fmod", 0);
  n.End();
  return Status::Ok();
}

Status ExportTruncatedMod(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  n.Begin("Mod", {n.In(0), n.In(1)});
  n.WriteInt("fmod", 1);
  n.End();
  return Status::Ok();
}

bool ImportBitShift(NodeImporter& n) {
  std::string direction;
  if (!n.Arity(2, 2) || !n.String("direction", "", &direction) || !n.Rest()) return false;
  if (direction != "LEFT" && direction != "RIGHT") return false;
  n.Create(direction == "LEFT" ? "LeftShift" : "RightShift", 2, 1);
  n.ConnectInOrder(2);
  return true;
}

template <bool kLeft>
Status ExportShift(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  n.Begin("BitShift", {n.In(0), n.In(1)});
  n.WriteString("direction", kLeft ? "LEFT" : "RIGHT");
  n.End();
  return Status::Ok();
}

bool ImportIsInf(NodeImporter& n) {
  if (!n.Arity(1, 1) || !n.IntIs("detect_negative", 1, 1) || !n.IntIs("detect_positive", 1, 1) || !n.Rest()) return false;
  n.Create("IsInf", 1, 1);
  n.ConnectInOrder(1);
  return true;
}

Status ExportUnary(NodeExporter& n, std::string_view op) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  n.Begin(op, {n.In(0)});
  n.End();
  return Status::Ok();
}

// ---- GE operators without an ONNX one of their own ------------------------------------------------------------------------

// Muls, Adds: the second operand is an attribute.
template <bool kMul>
Status ExportWithScalar(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  std::string_view x = n.In(0);
  std::string_view value = n.NewScalar("value", n.Float("value", kMul ? 1.0f : 0.0f), n.desc(0).dtype);
  n.Begin(kMul ? "Mul" : "Add", {x, value});
  n.End();
  return Status::Ok();
}

Status ExportDiv(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  n.Begin("Div", {n.In(0), n.In(1)});
  n.End();
  return Status::Ok();
}

Status ExportAdd(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  n.Begin("Add", {n.In(0), n.In(1)});
  n.End();
  return Status::Ok();
}

Status ExportSquare(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  n.Begin("Mul", {n.In(0), n.In(0)});
  n.End();
  return Status::Ok();
}

Status ExportRsqrt(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  std::string_view x = n.In(0), root = n.Temp("sqrt");
  n.BeginHelper("sqrt", "Sqrt", {x}, root);
  n.End();
  n.Begin("Reciprocal", {root});
  n.End();
  return Status::Ok();
}

Status ExportSquaredDifference(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  std::string_view a = n.In(0), b = n.In(1), difference = n.Temp("sub");
  n.BeginHelper("sub", "Sub", {a, b}, difference);
  n.End();
  n.Begin("Mul", {difference, difference});
  n.End();
  return Status::Ok();
}

Status ExportNotEqual(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  std::string_view a = n.In(0), b = n.In(1), equal = n.Temp("equal");
  n.BeginHelper("equal", "Equal", {a, b}, equal);
  n.End();
  n.Begin("Not", {equal});
  n.End();
  return Status::Ok();
}

Status ExportFusedMulAdd(NodeExporter& n) {
  if (!n.has(0) || !n.has(1) || !n.has(2)) return n.Fail("it needs three inputs");
  std::string_view a = n.In(0), b = n.In(1), c = n.In(2), product = n.Temp("mul");
  n.BeginHelper("mul", "Mul", {a, b}, product);
  n.End();
  n.Begin("Add", {product, c});
  n.End();
  return Status::Ok();
}

Status ExportZerosLike(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  if (ToOnnxType(n.desc(0).dtype) == 0) return n.Fail("the element type of its input is not known");
  std::string_view x = n.In(0), shape = n.Temp("shape");
  n.BeginHelper("shape", "Shape", {x}, shape);
  n.End();
  n.Begin("ConstantOfShape", {shape});
  auto zero = ir::MakeTensor<float>(DataType::kFloat, {1}, std::vector<float>{0.0f});
  ir::TensorPtr typed = CastTensor(*zero, n.desc(0).dtype);
  if (typed == nullptr) return n.Fail("ONNX has no zero of its element type");
  n.WriteTensor("value", *typed);
  n.End();
  return Status::Ok();
}

struct Unary {
  const char* onnx;
  const char* ge;
  int since;
};
constexpr Unary kUnary[] = {
    {"Abs", "Abs", 6}, {"Acos", "Acos", 7}, {"Acosh", "Acosh", 9}, {"Asin", "Asin", 7}, {"Asinh", "Asinh", 9},
    {"Atan", "Atan", 7}, {"Atanh", "Atanh", 9}, {"BitwiseNot", "Invert", 18}, {"Ceil", "Ceil", 6}, {"Cos", "Cos", 7},
    {"Cosh", "Cosh", 9}, {"Erf", "Erf", 9}, {"Exp", "Exp", 6}, {"Floor", "Floor", 6}, {"IsNaN", "IsNan", 9},
    {"Log", "Log", 6}, {"Neg", "Neg", 6}, {"Not", "LogicalNot", 1}, {"Reciprocal", "Reciprocal", 6},
    {"Round", "Round", 11}, {"Sign", "Sign", 9}, {"Sin", "Sin", 7}, {"Sinh", "Sinh", 9}, {"Sqrt", "Sqrt", 6},
    {"Tan", "Tan", 7}, {"Det", "MatrixDeterminant", 11}, {"Identity", "Identity", 1},
};
constexpr Unary kBinary[] = {
    {"Add", "Add", 7}, {"Sub", "Sub", 7}, {"Mul", "Mul", 7}, {"Div", "RealDiv", 7}, {"Pow", "Pow", 7},
    {"And", "LogicalAnd", 7}, {"Or", "LogicalOr", 7}, {"Equal", "Equal", 7}, {"Greater", "Greater", 7},
    {"GreaterOrEqual", "GreaterEqual", 12}, {"Less", "Less", 7}, {"LessOrEqual", "LessEqual", 12},
    {"BitwiseAnd", "BitwiseAnd", 18}, {"BitwiseOr", "BitwiseOr", 18}, {"BitwiseXor", "BitwiseXor", 18},
    {"CastLike", "CastLike", 15},
};

}  // namespace

void AddElementwise(MappingTable& table) {
  for (const Unary& u : kUnary) table.Row({u.onnx, u.ge, u.since, "0"});
  for (const Unary& b : kBinary) table.Row({b.onnx, b.ge, b.since, "01"});
  table.Row({"Where", "SelectV2", 9, "012"});
  table.Row({"Cast", "Cast", 6, "0", {{"to", "dst_type", AttrForm::kType}}});

  table.Import("Clip", 6, ImportClipAttrs, 11);
  table.Import("Clip", 11, ImportClip);
  for (const char* op : {"ClipByValue", "ClipByValueV2"}) {
    table.Export(op, {.since = 6, .fn = ExportClip, .opset = ClipOpset, .typed_as = "Clip"});
  }
  table.Import("Max", 8, ImportMaxMin<true>);
  table.Import("Min", 8, ImportMaxMin<false>);
  // Until opset 8 both sides must have one shape.
  table.Export("Maximum", {.since = 8, .fn = ExportMaxMin<true>, .typed_as = "Max"});
  table.Export("Minimum", {.since = 8, .fn = ExportMaxMin<false>, .typed_as = "Min"});
  table.Import("Mod", 10, ImportMod);
  table.Export("FloorMod", 10, ExportFloorMod);
  table.Export("Mod", 10, ExportTruncatedMod);
  table.Import("BitShift", 11, ImportBitShift);
  table.Export("LeftShift", 11, ExportShift<true>);
  table.Export("RightShift", 11, ExportShift<false>);
  table.Import("IsInf", 10, ImportIsInf);
  table.Export("IsInf", 10, [](NodeExporter& n) { return ExportUnary(n, "IsInf"); });

  table.Export("Div", {.since = 7, .fn = ExportDiv, .typed_as = "Div"});
  table.Export("AddV2", {.since = 7, .fn = ExportAdd, .typed_as = "Add"});
  table.Export("Muls", {.since = 7, .fn = ExportWithScalar<true>, .typed_as = "Mul"});
  table.Export("Adds", {.since = 7, .fn = ExportWithScalar<false>, .typed_as = "Add"});
  table.Export("Square", 7, ExportSquare);
  table.Export("Rsqrt", 7, ExportRsqrt);
  table.Export("SquaredDifference", 7, ExportSquaredDifference);
  table.Export("NotEqual", 7, ExportNotEqual);
  table.Export("FusedMulAdd", 7, ExportFusedMulAdd);
  table.Export("ZerosLike", 9, ExportZerosLike);
}

}  // namespace ge::formats::onnx
