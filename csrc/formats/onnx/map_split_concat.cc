// Concatenation and splitting.
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

// ---- Concat -------------------------------------------------------------------------------------------------------------

bool ImportConcat(NodeImporter& n) {
  int64_t axis;
  size_t count = n.num_inputs();
  if (count == 0 || !n.Arity(count, count) || n.view().Find("axis") == nullptr || !n.Int("axis", 0, &axis)) return false;
  n.Set("concat_dim", axis);
  n.Set("N", static_cast<int64_t>(count));
  if (!n.Rest()) return false;
  n.Create("ConcatD", static_cast<uint32_t>(count), 1);
  n.ConnectInOrder(static_cast<uint32_t>(count));
  return true;
}

// Slots [first, end) are joined.
Status WriteConcat(NodeExporter& n, uint32_t first, uint32_t end, int64_t axis) {
  std::vector<std::string_view> inputs;
  for (uint32_t i = first; i < end; ++i) {
    if (!n.has(i)) return n.Fail(StrCat("its input ", i, " is not connected"));
    inputs.push_back(n.In(i));
  }
  if (axis < 0 && n.opset() < 11) {
    const ir::Shape& shape = n.desc(first).shape;
    if (shape.unknown_rank()) return n.Fail("its axis is negative and its rank unknown");
    axis += static_cast<int64_t>(shape.rank());
  }
  std::string_view out = n.Out();
  n.Begin("Concat", inputs, std::span(&out, 1));
  n.WriteInt("axis", axis);
  n.End();
  return Status::Ok();
}

Status ExportConcatD(NodeExporter& n) {
  if (!n.HasAttr("concat_dim")) return n.Fail("it has no 'concat_dim'");
  return WriteConcat(n, 0, n.node().num_inputs(), n.Int("concat_dim", 0));
}

template <bool kFirst>
Status ExportConcat(NodeExporter& n) {
  uint32_t count = n.node().num_inputs();
  IntList axis;
  if (count < 2 || !n.ConstInts(kFirst ? 0 : count - 1, &axis) || axis.size() != 1) {
    return n.Fail("its 'concat_dim' must be a constant");
  }
  return kFirst ? WriteConcat(n, 1, count, axis[0]) : WriteConcat(n, 0, count - 1, axis[0]);
}

// ---- Split --------------------------------------------------------------------------------------------------------------

bool ImportSplit(NodeImporter& n) {
  bool sizes_input = n.opset() >= 13, has_sizes = false;
  int64_t axis, num_outputs;
  IntList sizes;
  size_t count = n.num_outputs();
  bool has_axis = n.view().Find("axis") != nullptr;
  if (count == 0 || !n.Arity(1, sizes_input ? 2 : 1, count) || !n.Int("axis", 0, &axis)) return false;
  if (!sizes_input && !n.Ints("split", &sizes, &has_sizes)) return false;
  if (n.opset() >= 18 &&
      (!n.Int("num_outputs", static_cast<int64_t>(count), &num_outputs) || num_outputs != static_cast<int64_t>(count))) {
    return false;
  }
  bool by_size = has_sizes || n.has_input(1);
  if (!by_size && n.opset() >= 18) {
    // From opset 18 on the last part may be smaller; GE splits evenly.
    const ir::TensorDesc* x = n.Desc(0);
    if (x == nullptr || x->shape.unknown_rank()) return false;
    auto rank = static_cast<int64_t>(x->shape.rank());
    int64_t a = axis < 0 ? axis + rank : axis;
    if (a < 0 || a >= rank || !ir::IsStatic(x->shape[static_cast<size_t>(a)]) ||
        x->shape[static_cast<size_t>(a)] % static_cast<int64_t>(count) != 0) {
      return false;
    }
  }
  n.Set("num_split", static_cast<int64_t>(count));
  if (!n.Rest()) return false;
  if (!has_axis) n.SetDefaulted("split_dim");
  ir::Anchor axis_const = n.Const(ir::ScalarTensor(static_cast<int32_t>(axis)), "split_dim"), sizes_const;
  if (has_sizes) sizes_const = n.Const(Int64List(sizes), "size_splits");
  auto outputs = static_cast<uint32_t>(count);
  if (!by_size) {
    n.Create("Split", 2, outputs);
    n.Connect(0, axis_const);
    n.Connect(1, size_t{0});
    return true;
  }
  n.Create("SplitV", 3, outputs);
  n.Connect(0, size_t{0});
  if (has_sizes) {
    n.Connect(1, sizes_const);
  } else {
    n.Connect(1, size_t{1});
  }
  n.Connect(2, axis_const);
  return true;
}

// A part of size -1 takes what is left.
bool FillRest(const ir::Shape& shape, int64_t axis, IntList* sizes) {
  auto rest = std::find(sizes->begin(), sizes->end(), -1);
  if (rest == sizes->end()) return true;
  if (shape.unknown_rank()) return false;
  auto rank = static_cast<int64_t>(shape.rank());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || !ir::IsStatic(shape[static_cast<size_t>(axis)])) return false;
  int64_t left = shape[static_cast<size_t>(axis)];
  for (int64_t s : *sizes) left -= s == -1 ? 0 : s;
  *rest = left;
  return left >= 0;
}

// `sizes` null: equal parts. `sizes_slot`: where non-constant sizes come from.
Status WriteSplit(NodeExporter& n, uint32_t slot, int64_t axis, const IntList* sizes, uint32_t sizes_slot) {
  if (!n.has(slot)) return n.Fail("its input is not connected");
  std::vector<std::string_view> outputs;
  for (uint32_t i = 0; i < n.node().num_outputs(); ++i) outputs.push_back(n.Out(i));
  const ir::Shape& shape = n.desc(slot).shape;
  if (axis < 0 && n.opset() < 11 && !shape.unknown_rank()) axis += static_cast<int64_t>(shape.rank());
  std::string_view inputs[] = {n.In(slot), {}};
  bool write_attr = false;
  IntList fixed;
  if (sizes != nullptr) {
    fixed = *sizes;
    if (!FillRest(shape, axis, &fixed)) return n.Fail("a part of size -1 needs a known dim");
    write_attr = n.opset() < 13;
    if (!write_attr) {
      bool same = fixed == *sizes && n.has(sizes_slot) && sizes_slot != slot;
      inputs[1] = same ? n.InInt64(sizes_slot) : n.NewConst("size_splits", Int64List(fixed));
    }
  } else if (sizes_slot != slot) {
    if (n.opset() < 13) return n.Fail("before opset 13 its sizes must be constant");
    inputs[1] = n.InInt64(sizes_slot);
  }
  n.Begin("Split", inputs, outputs);
  if (axis != 0 || !n.Defaulted("split_dim")) n.WriteInt("axis", axis);
  if (write_attr) n.WriteInts("split", fixed);
  if (inputs[1].empty() && n.opset() >= 18) n.WriteInt("num_outputs", static_cast<int64_t>(outputs.size()));
  n.End();
  return Status::Ok();
}

Status ExportSplit(NodeExporter& n) {
  IntList axis;
  if (!n.ConstInts(0, &axis) || axis.size() != 1) return n.Fail("its 'split_dim' must be a constant");
  return WriteSplit(n, 1, axis[0], nullptr, 1);
}
Status ExportSplitD(NodeExporter& n) {
  if (!n.HasAttr("split_dim")) return n.Fail("it has no 'split_dim'");
  return WriteSplit(n, 0, n.Int("split_dim", 0), nullptr, 0);
}
Status ExportSplitV(NodeExporter& n) {
  IntList axis, sizes;
  if (!n.ConstInts(2, &axis) || axis.size() != 1) return n.Fail("its 'split_dim' must be a constant");
  bool constant = n.ConstInts(1, &sizes);
  return WriteSplit(n, 0, axis[0], constant ? &sizes : nullptr, 1);
}
Status ExportSplitVD(NodeExporter& n) {
  if (!n.HasAttr("split_dim")) return n.Fail("it has no 'split_dim'");
  IntList sizes = n.Ints("size_splits");
  return WriteSplit(n, 0, n.Int("split_dim", 0), &sizes, 0);
}

int64_t SplitVOpset(const ir::Node& node, int64_t opset) {
  bool dynamic = node.num_inputs() > 1 && node.input(1) && node.input(1).node->const_value() == nullptr;
  return dynamic ? std::max<int64_t>(opset, 13) : opset;
}

}  // namespace

void AddSplitConcat(MappingTable& table) {
  table.Import("Concat", 4, ImportConcat);
  table.Export("ConcatD", 4, ExportConcatD);
  table.Export("ConcatV2", 4, ExportConcat<false>);
  table.Export("Concat", 4, ExportConcat<true>);
  table.Import("Split", 2, ImportSplit);
  table.Export("Split", 2, ExportSplit);
  table.Export("SplitD", 2, ExportSplitD);
  table.Export("SplitV", {.since = 2, .fn = ExportSplitV, .opset = SplitVOpset});
  table.Export("SplitVD", 2, ExportSplitVD);
}

}  // namespace ge::formats::onnx
