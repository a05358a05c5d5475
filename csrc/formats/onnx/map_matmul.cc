// Matrix products.
#include <numeric>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"
#include "formats/onnx/private_attrs.h"

namespace ge::formats::onnx {
namespace {

bool Rank2(const ir::Shape& shape) { return !shape.unknown_rank() && shape.rank() == 2; }

// ---- Gemm ---------------------------------------------------------------------------------------------------------------

const std::vector<AttrRule>& GemmRules() {
  static const auto* rules = new std::vector<AttrRule>{{"transA", "transpose_a", AttrForm::kBool, false},
                                                       {"transB", "transpose_b", AttrForm::kBool, false}};
  return *rules;
}
const std::vector<AttrRule>& ProductRules() {
  static const auto* rules = new std::vector<AttrRule>{{"transA", "transpose_x1", AttrForm::kBool, false},
                                                       {"transB", "transpose_x2", AttrForm::kBool, false}};
  return *rules;
}

bool ImportGemm(NodeImporter& n) {
  if (!n.Arity(2, 3)) return false;
  if (!n.has_input(2)) {
    // Without C the product alone is left; beta means nothing then.
    const AttrView* alpha = n.view().Find("alpha");
    if (alpha != nullptr && (alpha->kind != AttrKind::kFloat || alpha->f != 1.0f)) return false;
    if (!n.Rules("MatMulV2", ProductRules())) return false;
    n.Set(Private().origin, std::string("Gemm"));
    if (!n.Rest()) return false;
    n.Create("MatMulV2", 4, 1);
    n.ConnectInOrder(2);
    return true;
  }
  float alpha, beta;
  bool has_alpha = n.view().Find("alpha") != nullptr, has_beta = n.view().Find("beta") != nullptr;
  if (!n.Float("alpha", 1.0f, &alpha) || !n.Float("beta", 1.0f, &beta)) return false;
  if (!n.Rules("GEMM", GemmRules()) || !n.Rest()) return false;
  if (!has_alpha) n.SetDefaulted("alpha");
  if (!has_beta) n.SetDefaulted("beta");
  ir::Anchor alpha_const = n.Const(ir::ScalarTensor(alpha), "alpha");
  ir::Anchor beta_const = n.Const(ir::ScalarTensor(beta), "beta");
  n.Create("GEMM", 5, 1);
  n.ConnectInOrder(3);
  n.Connect(3, alpha_const);
  n.Connect(4, beta_const);
  return true;
}

Status ExportGemm(NodeExporter& n) {
  float factors[2];
  for (uint32_t slot = 0; slot < 5; ++slot) {
    if (!n.has(slot)) return n.Fail(StrCat("its input ", slot, " is not connected"));
  }
  for (uint32_t slot = 0; slot < 2; ++slot) {
    const ir::Shape& shape = n.desc(slot).shape;
    if (!shape.unknown_rank() && shape.rank() != 2) {
      return n.Fail(StrCat("ONNX Gemm multiplies matrices, its input ", slot, " has the shape ", shape.ToString(),
                           "; use BatchMatMulV2 there"));
    }
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const ir::Tensor* t = n.Const(3 + i);
    std::vector<double> value;
    if (t == nullptr || !ir::ReadNumbers(*t, &value) || value.size() != 1) {
      return n.Fail(StrCat("its input '", i == 0 ? "alpha" : "beta", "' must be a constant with one element"));
    }
    factors[i] = static_cast<float>(value[0]);
  }
  std::string_view a = n.In(0), b = n.In(1), c = n.In(2);
  n.Begin("Gemm", {a, b, c});
  if (factors[0] != 1.0f || !n.Defaulted("alpha")) n.WriteFloat("alpha", factors[0]);
  if (factors[1] != 1.0f || !n.Defaulted("beta")) n.WriteFloat("beta", factors[1]);
  GE_RETURN_IF_ERROR(n.WriteRules(GemmRules()));
  n.End();
  return Status::Ok();
}

// ---- products with transpose flags and bias -----------------------------------------------------------------------------

// The input with its last two dims exchanged.
Result<std::string_view> Transposed(NodeExporter& n, uint32_t slot) {
  const ir::Shape& shape = n.desc(slot).shape;
  if (shape.unknown_rank() || shape.rank() < 2) {
    return n.Fail(StrCat("its input ", slot, " is transposed, for which its rank must be known; give the model static "
                         "ranks"));
  }
  std::vector<int64_t> perm(shape.rank());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  std::string suffix = StrCat("transpose_", slot);
  std::string_view input = n.In(slot), out = n.Temp(suffix);
  n.BeginHelper(suffix, "Transpose", {input}, out);
  n.WriteInts("perm", perm);
  n.End();
  return out;
}

Status ExportProduct(NodeExporter& n, const char* transpose_a, const char* transpose_b) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  if (n.has(3)) return n.Fail("ONNX has no place for its input 'offset_w'");
  bool ta = n.Bool(transpose_a, false), tb = n.Bool(transpose_b, false), bias = n.has(2);
  bool from_gemm = n.CameFrom("Gemm");
  bool matrices = Rank2(n.desc(0).shape) && Rank2(n.desc(1).shape);
  bool gemm = (from_gemm || (matrices && (ta || tb || bias))) && (bias || n.opset() >= 11);
  if (gemm) {
    std::string_view a = n.In(0), b = n.In(1), c = n.In(2);
    n.Begin("Gemm", {a, b, c});
    if (ta || n.HasAttr(transpose_a)) n.WriteInt("transA", ta ? 1 : 0);
    if (tb || n.HasAttr(transpose_b)) n.WriteInt("transB", tb ? 1 : 0);
    n.End();
    return Status::Ok();
  }
  std::string_view a, b;
  if (ta) {
    GE_ASSIGN_OR_RETURN(a, Transposed(n, 0));
  } else {
    a = n.In(0);
  }
  if (tb) {
    GE_ASSIGN_OR_RETURN(b, Transposed(n, 1));
  } else {
    b = n.In(1);
  }
  if (bias) {
    std::string_view c = n.In(2), product = n.Temp("matmul");
    n.BeginHelper("matmul", "MatMul", {a, b}, product);
    n.End();
    n.Begin("Add", {product, c});
  } else {
    n.Begin("MatMul", {a, b});
  }
  n.End();
  return Status::Ok();
}

Status ExportBiasAdd(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs two inputs");
  if (n.String("data_format", "NHWC") != "NHWC") {
    return n.Fail("only the bias of the last dim (data_format NHWC) is an ONNX Add; use Add with a reshaped bias");
  }
  n.Begin("Add", {n.In(0), n.In(1)});
  n.End();
  return Status::Ok();
}

}  // namespace

void AddMatMul(MappingTable& table) {
  table.ImportRow({"MatMul", "BatchMatMulV2", 1, "01--"});
  table.Import("Gemm", 7, ImportGemm);
  table.Export("GEMM", {.since = 7, .fn = ExportGemm, .typed_as = "Gemm"});
  for (const char* op : {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"}) {
    auto fn = [](NodeExporter& n) { return ExportProduct(n, "adj_x1", "adj_x2"); };
    table.Export(op, {.since = 1, .fn = fn, .typed_as = "MatMul"});
  }
  for (const char* op : {"MatMul", "MatMulV2", "MatMulV3"}) {
    auto fn = [](NodeExporter& n) { return ExportProduct(n, "transpose_x1", "transpose_x2"); };
    table.Export(op, {.since = 1, .fn = fn, .typed_as = "MatMul"});
  }
  table.Export("BiasAdd", 7, ExportBiasAdd);
}

}  // namespace ge::formats::onnx
