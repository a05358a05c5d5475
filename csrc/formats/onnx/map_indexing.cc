// Operators that pick or put elements: slice, gather, scatter, top k.
#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"
#include "formats/onnx/private_attrs.h"

namespace ge::formats::onnx {
namespace {

using IntList = std::vector<int64_t>;

ir::TensorPtr Int64List(const IntList& values) {
  return ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(values.size())}, values);
}

// ---- Slice --------------------------------------------------------------------------------------------------------------

bool ImportSliceAttrs(NodeImporter& n) {
  IntList starts, ends, axes;
  bool has_starts, has_ends, has_axes;
  if (!n.Arity(1, 1) || !n.Ints("starts", &starts, &has_starts) || !n.Ints("ends", &ends, &has_ends) ||
      !n.Ints("axes", &axes, &has_axes) || !has_starts || !has_ends || !n.Rest()) {
    return false;
  }
  ir::Anchor begin = n.Const(Int64List(starts), "starts"), end = n.Const(Int64List(ends), "ends"), axes_const;
  if (has_axes) axes_const = n.Const(Int64List(axes), "axes");
  n.Create("StridedSliceV2", 5, 1);
  n.ConnectInOrder(1);
  n.Connect(1, begin);
  n.Connect(2, end);
  if (has_axes) n.Connect(3, axes_const);
  return true;
}

constexpr const char* kMasks[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"};

// Slots: x, begin, end, then axes and strides (kNone where the operator has none).
constexpr uint32_t kNone = 99;

Status WriteSlice(NodeExporter& n, uint32_t axes_slot, uint32_t strides_slot) {
  for (uint32_t i = 0; i < 3; ++i) {
    if (!n.has(i)) return n.Fail("it needs an input, begin and end");
  }
  for (const char* mask : kMasks) {
    if (n.Int(mask, 0) != 0) return n.Fail(StrCat("ONNX Slice has no '", mask, "'; it must be 0"));
  }
  IntList begin, end, axes, strides;
  bool known = n.ConstInts(1, &begin) && n.ConstInts(2, &end);
  if (n.has(axes_slot)) known = n.ConstInts(axes_slot, &axes) && known;
  if (n.has(strides_slot)) known = n.ConstInts(strides_slot, &strides) && known;
  if (n.opset() < 10) {
    bool ones = std::all_of(strides.begin(), strides.end(), [](int64_t s) { return s == 1; });
    if (!known || !ones) return n.Fail("before opset 10 a slice must be constant with steps of 1");
    n.Begin("Slice", {n.In(0)});
    if (n.has(axes_slot)) n.WriteInts("axes", axes);
    n.WriteInts("ends", end);
    n.WriteInts("starts", begin);
    n.End();
    return Status::Ok();
  }
  // ONNX wants one integer type for all of them.
  bool mixed = false;
  for (uint32_t slot : {2u, axes_slot, strides_slot}) {
    mixed |= n.has(slot) && n.desc(slot).dtype != n.desc(1).dtype;
  }
  auto in = [&](uint32_t slot) { return !n.has(slot) ? std::string_view() : mixed ? n.InInt64(slot) : n.In(slot); };
  std::string_view x = n.In(0), b = in(1), e = in(2), a = in(axes_slot), s = in(strides_slot);
  if (a.empty() && axes_slot == kNone) {
    // Begin and end may name fewer dims than there are.
    const ir::Shape& shape = n.desc(1).shape;
    if (shape.unknown_rank() || shape.rank() != 1 || !ir::IsStatic(shape[0])) {
      return n.Fail("the number of dims it slices is not known");
    }
    IntList all(static_cast<size_t>(shape[0]));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    a = n.NewConst("axes", Int64List(all));
    mixed = n.desc(1).dtype != ir::DataType::kInt64;
    if (mixed) {
      b = in(1);
      e = in(2);
      s = in(strides_slot);
    }
  }
  n.Begin("Slice", {x, b, e, a, s});
  n.End();
  return Status::Ok();
}

// Offsets and sizes instead of begin and end; a size of -1 goes to the end.
Status ExportSliceBySize(NodeExporter& n) {
  IntList offsets, sizes;
  if (!n.has(0) || !n.ConstInts(1, &offsets) || !n.ConstInts(2, &sizes) || offsets.size() != sizes.size()) {
    return n.Fail("its offsets and sizes must be constants of one length");
  }
  IntList ends(offsets.size());
  for (size_t i = 0; i < ends.size(); ++i) ends[i] = sizes[i] < 0 ? INT64_MAX : offsets[i] + sizes[i];
  if (n.opset() < 10) {
    n.Begin("Slice", {n.In(0)});
    n.WriteInts("ends", ends);
    n.WriteInts("starts", offsets);
  } else {
    std::string_view x = n.In(0), b = n.NewConst("starts", Int64List(offsets)), e = n.NewConst("ends", Int64List(ends));
    n.Begin("Slice", {x, b, e});
  }
  n.End();
  return Status::Ok();
}

int64_t SliceOpset(const ir::Node& node, int64_t opset) {
  for (uint32_t i = 1; i < node.num_inputs(); ++i) {
    if (!node.input(i)) continue;
    const ir::Tensor* value = node.input(i).node->const_value();
    std::vector<int64_t> v;
    bool plain = value != nullptr && ir::ReadIntegers(*value, &v);
    bool strides = i == 4 && plain && std::any_of(v.begin(), v.end(), [](int64_t s) { return s != 1; });
    if (!plain || strides) opset = std::max<int64_t>(opset, 10);
  }
  return opset;
}

// ---- Gather -------------------------------------------------------------------------------------------------------------

bool ImportGather(NodeImporter& n) {
  int64_t axis;
  bool given = n.view().Find("axis") != nullptr;
  if (!n.Arity(2, 2) || !n.Int("axis", 0, &axis)) return false;
  n.Set("negative_index_support", true);
  if (!n.Rest()) return false;
  if (!given) n.SetDefaulted("axis");
  ir::Anchor axis_const = n.Const(ir::ScalarTensor(static_cast<int32_t>(axis)), "axis");
  n.Create("GatherV2", 3, 1);
  n.ConnectInOrder(2);
  n.Connect(2, axis_const);
  return true;
}

Status WriteGather(NodeExporter& n, int64_t axis, bool write_axis) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs an input and indices");
  if (n.Int("batch_dims", 0) != 0) return n.Fail("ONNX Gather has no batch dims");
  n.Begin("Gather", {n.In(0), n.In(1)});
  if (write_axis) n.WriteInt("axis", axis);
  n.End();
  return Status::Ok();
}

Status ExportGatherV2(NodeExporter& n) {
  IntList axis;
  if (!n.ConstInts(2, &axis) || axis.size() != 1) return n.Fail("its axis must be a constant");
  return WriteGather(n, axis[0], axis[0] != 0 || !n.Defaulted("axis"));
}
Status ExportGather(NodeExporter& n) { return WriteGather(n, 0, false); }

const OpRow* gather_nd_row;
bool ImportGatherNd(NodeImporter& n) {
  return n.IntIs("batch_dims", 0, 0) && n.ImportRow(*gather_nd_row);
}

// ---- Scatter ------------------------------------------------------------------------------------------------------------

const OpRow* scatter_row;
const OpRow* scatter_nd_row;

bool ImportScatterNd(NodeImporter& n) {
  const AttrView* reduction = n.view().Find("reduction");
  return (reduction == nullptr || reduction->s == "none") && n.ImportRow(*scatter_nd_row);
}

Status ExportScatter(NodeExporter& n) {
  OpRow row = *scatter_row;
  if (n.opset() < 11) row.onnx = "Scatter";
  return n.ExportRow(row);
}

int64_t ScatterOpset(const ir::Node& node, int64_t opset) {
  const std::string* reduction = node.attr<std::string>(ir::Symbol("reduction"));
  if (reduction != nullptr && *reduction != "none") {
    opset = std::max<int64_t>(opset, *reduction == "add" || *reduction == "mul" ? 16 : 18);
  }
  return std::max<int64_t>(opset, 9);
}

// ---- TopK ---------------------------------------------------------------------------------------------------------------

const std::vector<AttrRule>& TopKRules() {
  static const auto* rules = new std::vector<AttrRule>{{"axis", "dim", AttrForm::kInt, int64_t{-1}},
                                                       {"largest", "largest", AttrForm::kBool, true},
                                                       {"sorted", "sorted", AttrForm::kBool, true}};
  return *rules;
}

// TopKV2, since its indices can be int64 as in ONNX.
bool ImportTopK(NodeImporter& n) {
  int64_t k = 0;
  bool attr = n.opset() < 10;
  if (!n.Arity(attr ? 1 : 2, attr ? 1 : 2, 2) || !n.Rules("TopKV2", TopKRules())) return false;
  if (attr && (n.view().Find("k") == nullptr || !n.Int("k", 0, &k))) return false;
  n.Set("indices_dtype", static_cast<int64_t>(ir::DataType::kInt64));
  // Its k is a list of one, whether or not that is declared.
  if (!attr) n.Set(Private().origin, std::string("TopK"));
  if (!n.Rest()) return false;
  ir::Anchor k_const;
  if (attr) k_const = n.Const(ir::ScalarTensor(static_cast<int32_t>(k)), "k");
  n.Create("TopKV2", 2, 2);
  n.ConnectInOrder(attr ? 1 : 2);
  if (attr) n.Connect(1, k_const);
  return true;
}

Status ExportTopK(NodeExporter& n, bool narrow_indices) {
  if (!n.has(0) || !n.has(1)) return n.Fail("it needs an input and k");
  IntList k;
  bool constant = n.ConstInts(1, &k) && k.size() == 1;
  std::string_view x = n.In(0), k_name;
  if (n.opset() >= 10) {
    const ir::Shape& shape = n.desc(1).shape;
    if (shape.unknown_rank() ? n.CameFrom("TopK") : shape.rank() == 1) {
      k_name = n.InInt64(1);
    } else if (constant) {
      k_name = n.NewConst("k", Int64List(k));
    } else {
      std::string_view scalar = n.InInt64(1), one = n.NewConst("k_shape", Int64List({1}));
      k_name = n.Temp("k");
      n.BeginHelper("k", "Reshape", {scalar, one}, k_name);
      n.End();
    }
  } else if (!constant) {
    return n.Fail("before opset 10 its k must be a constant");
  }
  std::string_view values = n.Out(0), indices = n.Out(1), wide = narrow_indices ? n.Temp("indices_int64") : indices;
  std::string_view inputs[] = {x, k_name}, outputs[] = {values, wide};
  n.Begin("TopK", inputs, outputs);
  if (n.opset() < 10) n.WriteInt("k", k[0]);
  if (n.opset() >= 11) {
    GE_RETURN_IF_ERROR(n.WriteRules(TopKRules()));
  } else {
    GE_RETURN_IF_ERROR(n.WriteRules({TopKRules()[0]}));
  }
  n.End();
  if (narrow_indices) {
    n.BeginHelper("indices", "Cast", {wide}, indices);
    n.WriteInt("to", 6);
    n.End();
  }
  return Status::Ok();
}

Status ExportTopKV2(NodeExporter& n) {
  return ExportTopK(n, n.Int("indices_dtype", 3) != static_cast<int64_t>(ir::DataType::kInt64));
}

int64_t TopKOpset(const ir::Node& node, int64_t opset) {
  const bool* largest = node.attr<bool>(ir::Symbol("largest"));
  const bool* sorted = node.attr<bool>(ir::Symbol("sorted"));
  if ((largest != nullptr && !*largest) || (sorted != nullptr && !*sorted)) opset = std::max<int64_t>(opset, 11);
  if (node.num_inputs() < 2 || !node.input(1)) return opset;
  if (node.input(1).node->const_value() == nullptr) opset = std::max<int64_t>(opset, 10);
  return opset;
}

}  // namespace

void AddIndexing(MappingTable& table) {
  table.Import("Slice", 1, ImportSliceAttrs, 10);
  table.ImportRow({"Slice", "StridedSliceV2", 10, "012de"});
  auto slice = [](NodeExporter& n) { return WriteSlice(n, 3, 4); };
  table.Export("StridedSliceV2", {.since = 1, .fn = slice, .opset = SliceOpset});
  table.Export("StridedSlice", 10, [](NodeExporter& n) { return WriteSlice(n, kNone, 3); });
  table.Export("Slice", 1, ExportSliceBySize);
  table.Import("Gather", 1, ImportGather);
  table.Export("GatherV2", 1, ExportGatherV2);
  table.Export("Gather", 1, ExportGather);
  table.Row({"GatherElements", "GatherElements", 11, "01", {{"axis", "dim", AttrForm::kInt, int64_t{0}}}});
  gather_nd_row = table.ExportRow({"GatherND", "GatherNd", 11, "01"});
  table.Import("GatherND", 11, ImportGatherNd);
  std::vector<AttrRule> scatter{{"axis", "axis", AttrForm::kInt, int64_t{0}},
                                {"reduction", "reduction", AttrForm::kString, std::string("none")}};
  scatter_row = table.ImportRow({"ScatterElements", "ScatterElements", 11, "012", scatter});
  OpRow old_scatter{"Scatter", "ScatterElements", 9, "012", scatter};
  old_scatter.until = 11;
  table.ImportRow(old_scatter);
  table.Export("ScatterElements", {.since = 9, .fn = ExportScatter, .opset = ScatterOpset});
  scatter_nd_row = table.ExportRow({"ScatterND", "TensorScatterUpdate", 11, "012"});
  table.Import("ScatterND", 11, ImportScatterNd);
  table.Import("TopK", 1, ImportTopK);
  table.Export("TopKV2", {.since = 1, .fn = ExportTopKV2, .opset = TopKOpset, .typed_as = "TopK"});
  auto top_k = [](NodeExporter& n) { return ExportTopK(n, true); };
  table.Export("TopK", {.since = 1, .fn = top_k, .opset = TopKOpset, .typed_as = "TopK"});
}

}  // namespace ge::formats::onnx
