// Softmax, LogSoftmax, Hardmax. Before opset 13 they flatten to two dims at the axis, since then they work along it; both
// are the same for the last axis.
#include <algorithm>

#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

struct Kind {
  const char* onnx;
  const char* ge;
  const char* attr;
  bool list;  // whether GE's attribute is a list
};
constexpr Kind kKinds[] = {{"Softmax", "SoftmaxV2", "axes", true},
                           {"LogSoftmax", "LogSoftmaxV2", "axes", true},
                           {"Hardmax", "HardMax", "axis", false}};
// GE's mark for the flattening meaning.
constexpr const char* kFlattens = "need_fusion";

bool Import(NodeImporter& n, const Kind& kind) {
  bool flattens = n.opset() < 13, given = n.view().Find("axis") != nullptr;
  int64_t axis;
  if (!n.Arity(1, 1) || !n.Int("axis", flattens ? 1 : -1, &axis)) return false;
  if (kind.list) {
    n.Set(kind.attr, std::vector<int64_t>{axis});
  } else {
    n.Set(kind.attr, axis);
  }
  if (flattens) n.Set(kFlattens, int64_t{1});
  if (!n.Rest()) return false;
  if (!given) n.SetDefaulted(kind.attr);
  n.Create(kind.ge, 1, 1);
  n.ConnectInOrder(1);
  return true;
}

bool Flattens(const ir::Node& node) {
  const auto* mark = node.attr<int64_t>(ir::Symbol(kFlattens));
  return mark != nullptr && *mark == 1;
}

bool AxisOf(const ir::Node& node, const Kind& kind, int64_t* axis) {
  *axis = -1;
  const ir::AttrValue* value = node.attrs().Find(ir::Symbol(kind.attr));
  if (value == nullptr) return true;
  if (const auto* i = std::get_if<int64_t>(value)) return *axis = *i, true;
  const auto* list = std::get_if<std::vector<int64_t>>(value);
  if (list == nullptr || list->size() != 1) return false;
  return *axis = (*list)[0], true;
}

bool IsLast(const ir::Node& node, int64_t axis) {
  if (axis == -1) return true;
  const ir::Shape& shape = node.input_desc(0).shape;
  return !shape.unknown_rank() && axis == static_cast<int64_t>(shape.rank()) - 1;
}

Status Write(NodeExporter& n, const Kind& kind, int64_t axis, int64_t absent) {
  n.Begin(kind.onnx, {n.In(0)});
  if (axis != absent || !n.Defaulted(kind.attr)) n.WriteInt("axis", axis);
  n.End();
  return Status::Ok();
}

// Flatten at the axis, work along the second dim, and take back the shape.
Status WriteFlattened(NodeExporter& n, const Kind& kind, int64_t axis) {
  std::string_view x = n.In(0), shape = n.Temp("shape"), flat = n.Temp("flat"), result = n.Temp("result");
  n.BeginHelper("shape", "Shape", {x}, shape);
  n.End();
  n.BeginHelper("flatten", "Flatten", {x}, flat);
  n.WriteInt("axis", axis);
  n.End();
  n.BeginHelper("flat", kind.onnx, {flat}, result);
  n.WriteInt("axis", -1);
  n.End();
  n.Begin("Reshape", {result, shape});
  n.End();
  return Status::Ok();
}

Status Export(NodeExporter& n, const Kind& kind) {
  int64_t axis;
  if (!n.has(0)) return n.Fail("its input is not connected");
  if (!AxisOf(n.node(), kind, &axis)) return n.Fail("ONNX takes one axis");
  if (n.opset() < 13) {
    if (Flattens(n.node())) return Write(n, kind, axis, 1);
    const ir::Shape& shape = n.desc(0).shape;
    if (!IsLast(n.node(), axis)) return n.Fail("before opset 13 only the last axis is possible");
    // Before opset 11 axes are not negative.
    return Write(n, kind, axis < 0 && !shape.unknown_rank() ? static_cast<int64_t>(shape.rank()) - 1 : axis, 1);
  }
  if (!Flattens(n.node())) return Write(n, kind, axis, -1);
  return IsLast(n.node(), axis) ? Write(n, kind, -1, -1) : WriteFlattened(n, kind, axis);
}

int64_t Opset(const ir::Node& node, int64_t opset, const Kind& kind) {
  int64_t axis;
  if (opset >= 13 || Flattens(node) || !AxisOf(node, kind, &axis)) return opset;
  bool known = !node.input_desc(0).shape.unknown_rank();
  if (!IsLast(node, axis)) return 13;
  return axis < 0 && !known ? std::max<int64_t>(opset, 11) : opset;
}

template <size_t kIndex>
void AddKind(MappingTable& table) {
  table.Import(kKinds[kIndex].onnx, 1, [](NodeImporter& n) { return Import(n, kKinds[kIndex]); });
  auto fn = [](NodeExporter& n) { return Export(n, kKinds[kIndex]); };
  auto opset = [](const ir::Node& node, int64_t o) { return Opset(node, o, kKinds[kIndex]); };
  table.Export(kKinds[kIndex].ge, {.since = 1, .fn = fn, .opset = opset, .typed_as = kKinds[kIndex].onnx});
}

}  // namespace

void AddSoftmax(MappingTable& table) {
  AddKind<0>(table);
  AddKind<1>(table);
  AddKind<2>(table);
}

}  // namespace ge::formats::onnx
