// Reductions, arg max, cumulative sums.
#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"
#include "formats/onnx/private_attrs.h"

namespace ge::formats::onnx {
namespace {

using IntList = std::vector<int64_t>;

// `axes_input`: the opset from which the axes are an input.
struct Reduction {
  const char* name;  // the same on both sides
  int axes_input;
};
constexpr Reduction kReductions[] = {{"ReduceMean", 18}, {"ReduceSum", 13}, {"ReduceMax", 18}, {"ReduceMin", 18},
                                     {"ReduceProd", 18}, {"ReduceLogSumExp", 18}};

const std::vector<AttrRule>& KeepDims() {
  static const auto* rules = new std::vector<AttrRule>{{"keepdims", "keep_dims", AttrForm::kBool, true}};
  return *rules;
}
const std::vector<AttrRule>& KeepDimsAndNoop() {
  static const auto* rules =
      new std::vector<AttrRule>{{"keepdims", "keep_dims", AttrForm::kBool, true},
                                {"noop_with_empty_axes", "noop_with_empty_axes", AttrForm::kBool, false}};
  return *rules;
}

ir::TensorPtr Axes(const IntList& axes) {
  std::vector<int32_t> narrow(axes.begin(), axes.end());
  return ir::MakeTensor<int32_t>(ir::DataType::kInt32, {static_cast<ir::Dim>(narrow.size())}, narrow);
}

bool ImportReduction(NodeImporter& n, const Reduction& r) {
  bool inputs = n.opset() >= r.axes_input, present = false;
  IntList axes;
  if (!n.Arity(1, inputs ? 2 : 1)) return false;
  if (!inputs && !n.Ints("axes", &axes, &present)) return false;
  if (!n.Rules(r.name, inputs ? KeepDimsAndNoop() : KeepDims())) return false;
  if (!inputs) {
    n.Set("noop_with_empty_axes", false);
    n.SetDefaulted("noop_with_empty_axes");
  }
  if (!n.Rest()) return false;
  bool connected = inputs && n.has_input(1);
  ir::Anchor axes_const;
  if (!connected) {
    if (!present) n.SetDefaulted("axes");
    axes_const = n.Const(Axes(axes), "axes");
  }
  n.Create(r.name, 2, 1);
  n.ConnectInOrder(connected ? 2 : 1);
  if (!connected) n.Connect(1, axes_const);
  return true;
}

Status WriteIdentity(NodeExporter& n) {
  n.Begin("Identity", {n.In(0)});
  n.End();
  return Status::Ok();
}

// Axes as attributes: an opset that does not know negative ones gets positive ones where the rank is known.
void MakePositive(const ir::Shape& shape, int64_t opset, IntList* axes) {
  if (opset >= 11 || shape.unknown_rank()) return;
  for (int64_t& a : *axes) a += a < 0 ? static_cast<int64_t>(shape.rank()) : 0;
}

Status ExportReduction(NodeExporter& n, const Reduction& r) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs an input and axes");
  IntList axes;
  bool constant = n.ConstInts(1, &axes);
  bool noop = n.Bool("noop_with_empty_axes", true);
  if (constant && axes.empty() && noop && n.opset() < r.axes_input) return WriteIdentity(n);
  if (n.opset() >= r.axes_input) {
    std::string_view x = n.In(0);
    std::string_view axes_name = constant && axes.empty() && n.Defaulted("axes") ? std::string_view() : n.InInt64(1);
    n.Begin(r.name, {x, axes_name});
    // An attribute that only matters for empty axes is left out where they cannot be.
    bool matters = !constant || axes.empty() || n.Defaulted("noop_with_empty_axes");
    bool explicit_attr = n.HasAttr("noop_with_empty_axes") && !n.Defaulted("noop_with_empty_axes");
    GE_RETURN_IF_ERROR(n.WriteRules(matters || explicit_attr ? KeepDimsAndNoop() : KeepDims()));
    n.End();
    return Status::Ok();
  }
  if (!constant) return n.Fail(StrCat("its axes must be constant before opset ", r.axes_input));
  MakePositive(n.desc(0).shape, n.opset(), &axes);
  n.Begin(r.name, {n.In(0)});
  if (!axes.empty() || !n.Defaulted("axes")) n.WriteInts("axes", axes);
  GE_RETURN_IF_ERROR(n.WriteRules(KeepDims()));
  n.End();
  return Status::Ok();
}

template <size_t kIndex>
struct ReductionRule {
  static bool Import(NodeImporter& n) { return ImportReduction(n, kReductions[kIndex]); }
  static Status Export(NodeExporter& n) { return ExportReduction(n, kReductions[kIndex]); }
  static int64_t Opset(const ir::Node& node, int64_t opset) {
    const Reduction& r = kReductions[kIndex];
    if (node.num_inputs() == 2 && node.input(1) && node.input(1).node->const_value() == nullptr) {
      opset = std::max<int64_t>(opset, r.axes_input);
    }
    return opset;
  }
  static void Add(MappingTable& table) {
    table.Import(kReductions[kIndex].name, 1, Import);
    const char* name = kReductions[kIndex].name;
    table.Export(name, {.since = 1, .fn = Export, .opset = Opset, .typed_as = name});
  }
};

// The D forms have their axes as an attribute.
Status ExportReductionD(NodeExporter& n, std::string_view onnx, int axes_input) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  IntList axes = n.Ints("axes");
  MakePositive(n.desc(0).shape, n.opset(), &axes);
  if (n.opset() >= axes_input) {
    std::string_view x = n.In(0);
    std::string_view axes_name =
        n.NewConst("axes", ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(axes.size())}, axes));
    n.Begin(onnx, {x, axes_name});
  } else {
    n.Begin(onnx, {n.In(0)});
    n.WriteInts("axes", axes);
  }
  GE_RETURN_IF_ERROR(n.WriteRules(KeepDims()));
  n.End();
  return Status::Ok();
}

// ---- reductions whose axes are an attribute in GE, whatever they are in ONNX -------------------------------------

// In opset 18 their axes attribute became an input.
constexpr int kAxesInput = 18;

struct AttrReduction {
  const char* onnx;
  const char* ge;
  const char* axes;
  std::vector<AttrRule> rules, rules_with_input;  // with the axes as an attribute in ONNX, or as an input
  std::optional<float> p;                         // of LpNormV2
};

const AttrReduction& FindAttrReduction(std::string_view onnx) {
  static const AttrRule kKeepDim{"keepdims", "keepdim", AttrForm::kBool, true};
  static const auto* all = new std::vector<AttrReduction>{
      {"ReduceL1", "LpNormV2", "axes", {kKeepDim}, {kKeepDim}, 1.0f},
      {"ReduceL2", "LpNormV2", "axes", {kKeepDim}, {kKeepDim}, 2.0f},
      {"ReduceSumSquare", "SquareSumV1", "axis", KeepDims(), KeepDimsAndNoop(), std::nullopt},
  };
  return *std::find_if(all->begin(), all->end(), [&](const AttrReduction& r) { return r.onnx == onnx; });
}

bool ImportAttrReduction(NodeImporter& n, const AttrReduction& r) {
  const bool input = n.opset() >= kAxesInput;
  IntList axes;
  bool present = false;
  if (!n.Arity(1, input ? 2 : 1)) return false;
  if (input && n.has_input(1)) {
    // What no axes mean there is said by an attribute that GE lacks or reads otherwise.
    if (!n.FixedInts(1, &axes) || axes.empty()) return false;
    n.Set(Private().axes_tensor, std::string(n.view().inputs[1]));
    present = true;
  } else if (input) {
    if (!n.IntIs("noop_with_empty_axes", 0, 0)) return false;
  } else if (!n.Ints("axes", &axes, &present)) {
    return false;
  }
  if (!n.Rules(r.ge, input ? r.rules_with_input : r.rules)) return false;
  const bool required_axes = !r.p;
  if (r.p) n.Set("p", *r.p);
  if (present || required_axes) n.Set(r.axes, std::move(axes));
  if (!present && required_axes) n.SetDefaulted(r.axes);
  if (!n.Rest()) return false;
  if (input && n.has_input(1)) n.NoteFolded(1);
  n.Create(r.ge, 1, 1);
  n.ConnectInOrder(1);
  return true;
}

Status ExportAttrReduction(NodeExporter& n, const AttrReduction& r) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  IntList axes = n.Ints(r.axes);
  std::string_view x = n.In(0), name;
  const bool input = n.opset() >= kAxesInput;
  if (input && !axes.empty()) {
    const auto* tensor = n.node().attr<std::string>(Private().axes_tensor);
    name = n.OldConst(tensor != nullptr ? *tensor : StrCat(n.node().name(), "_axes"), axes);
  }
  n.Begin(r.onnx, {x, name});
  if (!input && n.HasAttr(r.axes) && !(axes.empty() && n.Defaulted(r.axes))) {
    MakePositive(n.desc(0).shape, n.opset(), &axes);
    n.WriteInts("axes", axes);
  }
  GE_RETURN_IF_ERROR(n.WriteRules(input ? r.rules_with_input : r.rules));
  n.End();
  return Status::Ok();
}

Status ExportLpNorm(NodeExporter& n) {
  const float p = n.Float("p", 2.0f);
  if (p != 1.0f && p != 2.0f) return n.Fail(StrCat("ONNX has norms of p 1 and 2 alone, its p is ", p));
  if (n.Float("epsilon", 1e-12f) > 1e-12f) return n.Fail("ONNX has no 'epsilon' in a norm; leave it at its default");
  return ExportAttrReduction(n, FindAttrReduction(p == 1.0f ? "ReduceL1" : "ReduceL2"));
}

Status ExportSquareSum(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  // Without axes it hands on its input squared.
  if (n.Ints("axis").empty() && n.Bool("noop_with_empty_axes", false)) {
    std::string_view x = n.In(0);
    n.Begin("Mul", {x, x});
    n.End();
    return Status::Ok();
  }
  return ExportAttrReduction(n, FindAttrReduction("ReduceSumSquare"));
}

// Where they stay opaque.
Status ExportOpaqueReduction(NodeExporter& n, std::string_view onnx) {
  const auto* axes = n.node().attr<IntList>(ir::Symbol("axes"));
  std::string_view x = n.In(0), axes_name;
  if (n.node().num_inputs() > 1) axes_name = n.In(1);
  if (axes != nullptr && n.opset() >= kAxesInput) {
    axes_name =
        n.NewConst("axes", ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(axes->size())}, *axes));
  }
  n.Begin(onnx, {x, axes_name});
  if (axes != nullptr && n.opset() < kAxesInput) n.WriteInts("axes", *axes);
  for (const char* name : {"keepdims", "noop_with_empty_axes"}) {
    if (n.HasAttr(name)) n.WriteInt(name, n.Int(name, 0));
  }
  n.End();
  return Status::Ok();
}

// ---- ArgMax, ArgMin -----------------------------------------------------------------------------------------------------

// GE's operators drop the axis and take the first of equal elements.
bool ImportArg(NodeImporter& n, const char* type) {
  int64_t axis, keep;
  if (!n.Arity(1, 1) || !n.Int("axis", 0, &axis) || !n.Int("keepdims", 1, &keep) || keep != 0) return false;
  if (!n.IntIs("select_last_index", 0, 0)) return false;
  bool has_axis = n.view().Find("axis") != nullptr;
  n.Set("dtype", ir::DataType::kInt64);
  if (!n.Rest()) return false;
  if (!has_axis) n.SetDefaulted("dimension");
  ir::Anchor dimension = n.Const(ir::ScalarTensor(static_cast<int32_t>(axis)), "dimension");
  n.Create(type, 2, 1);
  n.ConnectInOrder(1);
  n.Connect(1, dimension);
  return true;
}

Status ExportArg(NodeExporter& n, std::string_view onnx) {
  IntList axis;
  if (!n.has(0) || !n.ConstInts(1, &axis) || axis.size() != 1) return n.Fail("its dimension must be a constant");
  const ir::AttrValue* dtype = n.node().attrs().Find(ir::Symbol("dtype"));
  const auto* type = dtype == nullptr ? nullptr : std::get_if<ir::DataType>(dtype);
  bool narrow = type != nullptr && *type == ir::DataType::kInt32;
  std::string_view x = n.In(0);
  if (narrow) {
    std::string_view wide = n.Temp("int64");
    n.BeginHelper("int64", onnx, {x}, wide);
    n.WriteInt("axis", axis[0]);
    n.WriteInt("keepdims", 0);
    n.End();
    n.Begin("Cast", {wide});
    n.WriteInt("to", 6);
    n.End();
    return Status::Ok();
  }
  n.Begin(onnx, {x});
  if (axis[0] != 0 || !n.Defaulted("dimension")) n.WriteInt("axis", axis[0]);
  n.WriteInt("keepdims", 0);
  n.End();
  return Status::Ok();
}

}  // namespace

void AddReduce(MappingTable& table) {
  ReductionRule<0>::Add(table);
  ReductionRule<1>::Add(table);
  ReductionRule<2>::Add(table);
  ReductionRule<3>::Add(table);
  ReductionRule<4>::Add(table);
  ReductionRule<5>::Add(table);
  table.Export("ReduceMeanD", 1, [](NodeExporter& n) { return ExportReductionD(n, "ReduceMean", 18); });
  table.Export("ReduceSumD", 1, [](NodeExporter& n) { return ExportReductionD(n, "ReduceSum", 13); });
  table.Export("ReduceMaxD", 1, [](NodeExporter& n) { return ExportReductionD(n, "ReduceMax", 18); });
  table.Export("ReduceMinD", 1, [](NodeExporter& n) { return ExportReductionD(n, "ReduceMin", 18); });
  table.Export("ReduceProdD", 1, [](NodeExporter& n) { return ExportReductionD(n, "ReduceProd", 18); });
  table.Import("ReduceL1", 1, [](NodeImporter& n) { return ImportAttrReduction(n, FindAttrReduction("ReduceL1")); });
  table.Import("ReduceL2", 1, [](NodeImporter& n) { return ImportAttrReduction(n, FindAttrReduction("ReduceL2")); });
  table.Import("ReduceSumSquare", 1,
               [](NodeImporter& n) { return ImportAttrReduction(n, FindAttrReduction("ReduceSumSquare")); });
  table.Export("LpNormV2", {.since = 1, .fn = ExportLpNorm, .typed_as = "ReduceL2"});
  table.Export("SquareSumV1", {.since = 1, .fn = ExportSquareSum, .typed_as = "ReduceSumSquare"});
  table.Export("ai.onnx::ReduceL1", 1, [](NodeExporter& n) { return ExportOpaqueReduction(n, "ReduceL1"); });
  table.Export("ai.onnx::ReduceL2", 1, [](NodeExporter& n) { return ExportOpaqueReduction(n, "ReduceL2"); });
  table.Export("ai.onnx::ReduceLogSum", 1, [](NodeExporter& n) { return ExportOpaqueReduction(n, "ReduceLogSum"); });
  table.Export("ai.onnx::ReduceSumSquare", 1,
               [](NodeExporter& n) { return ExportOpaqueReduction(n, "ReduceSumSquare"); });
  table.Import("ArgMax", 1, [](NodeImporter& n) { return ImportArg(n, "ArgMaxV2"); });
  table.Import("ArgMin", 1, [](NodeImporter& n) { return ImportArg(n, "ArgMin"); });
  table.Export("ArgMaxV2", 1, [](NodeExporter& n) { return ExportArg(n, "ArgMax"); });
  table.Export("ArgMin", 1, [](NodeExporter& n) { return ExportArg(n, "ArgMin"); });
  table.Row({"CumSum", "Cumsum", 11, "01",
             {{"exclusive", "exclusive", AttrForm::kBool, false}, {"reverse", "reverse", AttrForm::kBool, false}}});
}

}  // namespace ge::formats::onnx
