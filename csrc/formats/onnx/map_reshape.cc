// Operators that rearrange a tensor: reshape, transpose, squeeze, expand, pad, depth to space.
#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

using IntList = std::vector<int64_t>;

ir::TensorPtr Int64List(const IntList& values) {
  return ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(values.size())}, values);
}

// ---- Transpose ----------------------------------------------------------------------------------------------------------

bool ImportTranspose(NodeImporter& n) {
  IntList perm;
  bool present;
  // Without perm the dims are reversed, which takes the rank.
  if (!n.Arity(1, 1) || !n.Ints("perm", &perm, &present) || !present || !n.Rest()) return false;
  std::vector<int32_t> narrow(perm.begin(), perm.end());
  ir::Anchor perm_const = n.Const(
      ir::MakeTensor<int32_t>(ir::DataType::kInt32, {static_cast<ir::Dim>(narrow.size())}, narrow), "perm");
  n.Create("Transpose", 2, 1);
  n.ConnectInOrder(1);
  n.Connect(1, perm_const);
  return true;
}

Status WriteTranspose(NodeExporter& n, IntList perm) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  for (int64_t& p : perm) p += p < 0 ? static_cast<int64_t>(perm.size()) : 0;
  n.Begin("Transpose", {n.In(0)});
  n.WriteInts("perm", perm);
  n.End();
  return Status::Ok();
}

Status ExportTranspose(NodeExporter& n) {
  IntList perm;
  if (!n.ConstInts(1, &perm)) return n.Fail("its permutation must be a constant");
  return WriteTranspose(n, std::move(perm));
}

// ---- Squeeze, Unsqueeze -------------------------------------------------------------------------------------------------

// Axes as an attribute on both sides.
template <bool kSqueeze>
bool ImportWithAttr(NodeImporter& n) {
  IntList axes;
  bool present;
  if (!n.Arity(1, 1) || !n.Ints("axes", &axes, &present) || (!kSqueeze && !present)) return false;
  if (present) n.Set(kSqueeze ? "axis" : "axes", std::move(axes));
  if (!n.Rest()) return false;
  n.Create(kSqueeze ? "Squeeze" : "Unsqueeze", 1, 1);
  n.ConnectInOrder(1);
  return true;
}

// Writes Squeeze or Unsqueeze with known axes.
Status WriteWithAxes(NodeExporter& n, bool squeeze, const IntList& axes) {
  std::string_view op = squeeze ? "Squeeze" : "Unsqueeze";
  if (!n.has(0)) return n.Fail("its input is not connected");
  if (n.opset() >= 13) {
    std::string_view x = n.In(0), name;
    if (!axes.empty() || !squeeze) name = n.NewConst("axes", Int64List(axes));
    n.Begin(op, {x, name});
  } else {
    IntList fit = axes;
    const ir::Shape& shape = n.desc(0).shape;
    // Before opset 11 axes are not negative.
    if (n.opset() < 11 && !shape.unknown_rank()) {
      auto rank = static_cast<int64_t>(shape.rank() + (squeeze ? 0 : axes.size()));
      for (int64_t& a : fit) a += a < 0 ? rank : 0;
    }
    n.Begin(op, {n.In(0)});
    if (!fit.empty() || !squeeze) n.WriteInts("axes", fit);
  }
  n.End();
  return Status::Ok();
}

Status ExportSqueeze(NodeExporter& n) { return WriteWithAxes(n, true, n.Ints("axis")); }
Status ExportUnsqueeze(NodeExporter& n) { return WriteWithAxes(n, false, n.Ints("axes")); }

// Axes as an input.
template <bool kSqueeze>
Status ExportWithInput(NodeExporter& n) {
  if (n.opset() >= 13) {
    if (!n.has(0)) return n.Fail("its input is not connected");
    std::string_view x = n.In(0), axes = n.InInt64(1);
    n.Begin(kSqueeze ? "Squeeze" : "Unsqueeze", {x, axes});
    n.End();
    return Status::Ok();
  }
  IntList axes;
  if (n.has(1) && !n.ConstInts(1, &axes)) return n.Fail("its axes must be constant before opset 13");
  return WriteWithAxes(n, kSqueeze, axes);
}

Status ExportExpandDims(NodeExporter& n) {
  IntList axis;
  if (!n.ConstInts(1, &axis) || axis.size() != 1) return n.Fail("its axis must be a constant");
  return WriteWithAxes(n, false, axis);
}

bool HasDynamicInput(const ir::Node& node, uint32_t slot) {
  return slot < node.num_inputs() && node.input(slot) && node.input(slot).node->const_value() == nullptr;
}

int64_t AxesInputOpset(const ir::Node& node, int64_t opset) {
  return HasDynamicInput(node, 1) ? std::max<int64_t>(opset, 13) : opset;
}

// ---- Shape, Size --------------------------------------------------------------------------------------------------------

template <bool kShape>
bool ImportShape(NodeImporter& n) {
  if (!n.Arity(1, 1) || n.view().Find("end") != nullptr || !n.IntIs("start", 0, 0)) return false;
  n.Set("dtype", static_cast<int64_t>(ir::DataType::kInt64));
  if (!n.Rest()) return false;
  n.Create(kShape ? "Shape" : "Size", 1, 1);
  n.ConnectInOrder(1);
  return true;
}

template <bool kShape>
Status ExportShape(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  std::string_view op = kShape ? "Shape" : "Size", x = n.In(0);
  int64_t type = n.Int("dtype", static_cast<int64_t>(ir::DataType::kInt32));
  if (type == static_cast<int64_t>(ir::DataType::kInt64)) {
    n.Begin(op, {x});
  } else if (type == static_cast<int64_t>(ir::DataType::kInt32)) {
    std::string_view wide = n.Temp("int64");
    n.BeginHelper("int64", op, {x}, wide);
    n.End();
    n.Begin("Cast", {wide});
    n.WriteInt("to", 6);
  } else {
    return n.Fail("its 'dtype' is neither int32 nor int64");
  }
  n.End();
  return Status::Ok();
}

// ---- Pad ----------------------------------------------------------------------------------------------------------------

bool ImportPadAttrs(NodeImporter& n) {
  IntList pads;
  float value;
  bool present, has_value = n.view().Find("value") != nullptr;
  std::string mode;
  if (!n.Arity(1, 1) || !n.Ints("pads", &pads, &present) || !present || !n.Float("value", 0, &value)) return false;
  if (!n.String("mode", "constant", &mode)) return false;
  if (n.view().Find("mode") != nullptr) n.Set("mode", std::move(mode));
  n.Set("paddings_contiguous", false);
  if (!n.Rest()) return false;
  ir::Anchor pads_const = n.Const(Int64List(pads), "pads");
  ir::Anchor value_const;
  if (has_value) value_const = n.Const(ir::ScalarTensor(value), "value");
  n.Create("PadV3", 3, 1);
  n.ConnectInOrder(1);
  n.Connect(1, pads_const);
  if (has_value) n.Connect(2, value_const);
  return true;
}

// [b0, e0, b1, e1] to [b0, b1, e0, e1].
IntList Separated(const IntList& pairs) {
  IntList out(pairs.size());
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    out[i] = pairs[2 * i];
    out[pairs.size() / 2 + i] = pairs[2 * i + 1];
  }
  return out;
}

Status WritePad(NodeExporter& n, bool interleaved, std::string_view mode, bool write_mode) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs an input and paddings");
  IntList pads;
  bool constant = n.ConstInts(1, &pads);
  if (!constant && (interleaved || n.opset() < 11)) return n.Fail("its paddings must be constant");
  if (interleaved) pads = Separated(pads);
  if (n.opset() < 11) {
    const ir::Tensor* value = n.Const(2);
    std::vector<double> number;
    if (n.has(2) && (value == nullptr || !ir::ReadNumbers(*value, &number) || number.size() != 1)) {
      return n.Fail("before opset 11 the value it pads with must be a constant");
    }
    n.Begin("Pad", {n.In(0)});
    if (write_mode) n.WriteString("mode", mode);
    n.WriteInts("pads", pads);
    if (!number.empty()) n.WriteFloat("value", static_cast<float>(number[0]));
    n.End();
    return Status::Ok();
  }
  ir::DataType type = n.desc(0).dtype;
  std::string_view x = n.In(0);
  std::string_view pads_name = interleaved ? n.NewConst("pads", Int64List(pads)) : n.InInt64(1);
  std::string_view value = !n.has(2) ? std::string_view() : type == ir::DataType::kUndefined ? n.In(2) : n.InAs(2, type);
  n.Begin("Pad", {x, pads_name, value});
  if (write_mode) n.WriteString("mode", mode);
  n.End();
  return Status::Ok();
}

Status ExportPadV3(NodeExporter& n) {
  std::string mode = n.String("mode", "constant");
  return WritePad(n, n.Bool("paddings_contiguous", true), mode, n.HasAttr("mode"));
}
Status ExportPad(NodeExporter& n) { return WritePad(n, true, "constant", false); }

int64_t PadOpset(const ir::Node& node, int64_t opset) {
  if (HasDynamicInput(node, 1) || HasDynamicInput(node, 2)) opset = std::max<int64_t>(opset, 11);
  const std::string* mode = node.attr<std::string>(ir::Symbol("mode"));
  if (mode != nullptr && *mode == "wrap") opset = std::max<int64_t>(opset, 19);
  return opset;
}

// ---- Fill ---------------------------------------------------------------------------------------------------------------

bool ImportConstantOfShape(NodeImporter& n) {
  if (!n.Arity(1, 1) || n.view().attrs.size() > 1) return false;
  ir::TensorPtr value = ir::ScalarTensor(0.0f);
  bool given = n.view().Find("value") != nullptr;
  if (given) {
    ir::AttrValue attr;
    if (!n.Tensor("value", &attr)) return false;
    const ir::Tensor& t = **std::get_if<ir::TensorPtr>(&attr);
    if (t.desc.shape.NumElements() != 1 || t.data.size() == 0) return false;
    auto scalar = std::make_shared<ir::Tensor>(t);
    scalar->desc.shape = {};
    value = std::move(scalar);
  } else if (!n.view().attrs.empty()) {
    return false;
  }
  if (!n.Rest()) return false;
  if (!given) n.SetDefaulted("value");
  ir::Anchor value_const = n.Const(std::move(value), "value");
  n.Create("Fill", 2, 1);
  n.ConnectInOrder(1);
  n.Connect(1, value_const);
  return true;
}

Status ExportFill(NodeExporter& n) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs dims and a value");
  std::string_view dims = n.InInt64(0);
  const ir::Tensor* value = n.Const(1);
  if (value == nullptr || value->desc.shape.NumElements() != 1 || value->data.size() == 0) {
    std::string_view x = n.In(1);
    n.Begin("Expand", {x, dims});
    n.End();
    return Status::Ok();
  }
  n.Begin("ConstantOfShape", {dims});
  bool zero = value->desc.dtype == ir::DataType::kFloat && value->At<uint32_t>(0) == 0;
  if (!(n.Defaulted("value") && zero)) {
    ir::Tensor list = *value;
    list.desc.shape = {1};
    n.WriteTensor("value", list);
  }
  n.End();
  return Status::Ok();
}

}  // namespace

void AddReshape(MappingTable& table) {
  OpRow reshape{"Reshape", "Reshape", 5, "01", {}, {}, {{"axis", int64_t{0}}, {"num_axes", int64_t{-1}}}, {1}};
  table.Row(reshape);
  table.Row({"Flatten", "Flatten", 1, "0", {{"axis", "axis", AttrForm::kInt, int64_t{1}}}});
  table.Row({"Expand", "Expand", 8, "01", {}, {}, {}, {1}});
  table.ExportRow({"Expand", "BroadcastTo", 8, "01", {}, {}, {}, {1}});
  table.Row({"Tile", "Tile", 6, "01", {}, {}, {}, {1}});
  table.Import("Transpose", 1, ImportTranspose);
  table.Export("Transpose", 1, ExportTranspose);
  table.Export("TransposeD", 1, [](NodeExporter& n) { return WriteTranspose(n, n.Ints("perm")); });
  table.Import("Squeeze", 1, ImportWithAttr<true>, 13);
  table.Import("Unsqueeze", 1, ImportWithAttr<false>, 13);
  table.Export("Squeeze", 1, ExportSqueeze);
  table.Export("Unsqueeze", 1, ExportUnsqueeze);
  table.ImportRow({"Squeeze", "SqueezeV3", 13, "0b"});
  table.ImportRow({"Unsqueeze", "UnsqueezeV3", 13, "01"});
  table.Export("SqueezeV3", {.since = 1, .fn = ExportWithInput<true>, .opset = AxesInputOpset});
  table.Export("UnsqueezeV3", {.since = 1, .fn = ExportWithInput<false>, .opset = AxesInputOpset});
  table.Export("ExpandDims", 1, ExportExpandDims);
  table.Import("Shape", 1, ImportShape<true>);
  table.Import("Size", 1, ImportShape<false>);
  table.Export("Shape", 1, ExportShape<true>);
  table.Export("Size", 1, ExportShape<false>);
  table.Import("Pad", 2, ImportPadAttrs, 11);
  table.ImportRow({"Pad", "PadV3", 11, "01c", {{"mode", "mode", AttrForm::kString, std::string("constant")}},
                   {{"paddings_contiguous", false}}});
  table.Export("PadV3", {.since = 2, .fn = ExportPadV3, .opset = PadOpset, .typed_as = "Pad"});
  table.Export("Pad", {.since = 2, .fn = ExportPad, .opset = PadOpset, .typed_as = "Pad"});
  table.Export("PadV2", {.since = 2, .fn = ExportPad, .opset = PadOpset, .typed_as = "Pad"});
  table.Import("ConstantOfShape", 9, ImportConstantOfShape);
  table.Export("Fill", 9, ExportFill);
  table.Row({"DepthToSpace", "DepthToSpace", 1, "0",
             {{"blocksize", "block_size", AttrForm::kInt}, {"mode", "mode", AttrForm::kString, std::string("DCR")}},
             {{"data_format", std::string("NCHW")}}});
  table.Row({"SpaceToDepth", "SpaceToDepth", 1, "0", {{"blocksize", "block_size", AttrForm::kInt}},
             {{"data_format", std::string("NCHW")}}});
}

}  // namespace ge::formats::onnx
