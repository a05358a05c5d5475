#include "abi3_bridge/custom_op_bridge/ir_meta.h"

#include "abi3_bridge/native/convert.h"
#include "ops/op_def.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;
namespace {

// Outputs are required or dynamic: their dynamic kind has another number than that of inputs.
nb::list Ports(const std::vector<ops::IoDef>& ports, int dynamic) {
  nb::list out;
  for (const ops::IoDef& port : ports) {
    nb::dict d;
    d["name"] = bridge::NewText(port.name);
    d["kind"] = port.kind == ops::IoKind::kRequired ? 0 : port.kind == ops::IoKind::kOptional ? 1 : dynamic;
    out.append(d);
  }
  return out;
}

}  // namespace

const char* AttrTypeName(ops::AttrType type) {
  switch (type) {
    case ops::AttrType::kInt: return "VT_INT";
    case ops::AttrType::kFloat: return "VT_FLOAT";
    case ops::AttrType::kBool: return "VT_BOOL";
    case ops::AttrType::kString: return "VT_STRING";
    case ops::AttrType::kType: return "VT_DATA_TYPE";
    case ops::AttrType::kTensor: return "VT_TENSOR";
    case ops::AttrType::kListInt: return "VT_LIST_INT";
    case ops::AttrType::kListFloat: return "VT_LIST_FLOAT";
    case ops::AttrType::kListBool: return "VT_LIST_BOOL";
    case ops::AttrType::kListString: return "VT_LIST_STRING";
    case ops::AttrType::kListType: return "VT_LIST_DATA_TYPE";
    case ops::AttrType::kListListInt: return "VT_LIST_LIST_INT";
  }
  return "";
}

nb::object IrMeta(std::string_view op_type) {
  const ops::OpDef* def = ops::FindOp(ir::Symbol(op_type));
  if (def == nullptr) return nb::none();
  nb::list attrs;
  for (const ops::AttrDef& attr : def->attrs()) {
    nb::dict d;
    d["name"] = bridge::NewText(attr.name);
    d["type"] = AttrTypeName(attr.type);
    attrs.append(d);
  }
  nb::dict meta;
  meta["op_type"] = bridge::NewText(op_type);
  meta["inputs"] = Ports(def->inputs(), 2);
  meta["attrs"] = attrs;
  meta["outputs"] = Ports(def->outputs(), 1);
  return meta;
}

}  // namespace ge::custom_op_bridge
