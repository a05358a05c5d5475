#include "formats/onnx/node_view.h"

#include "base/strings.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

using wire::Field;
using wire::Reader;

// Old writers leave the type out; the field that is there tells it.
AttrKind KindOf(uint32_t field) {
  switch (field) {
    case AttrField::kF: return AttrKind::kFloat;
    case AttrField::kI: return AttrKind::kInt;
    case AttrField::kS: return AttrKind::kString;
    case AttrField::kT: return AttrKind::kTensor;
    case AttrField::kG: return AttrKind::kGraph;
    case AttrField::kFloats: return AttrKind::kFloats;
    case AttrField::kInts: return AttrKind::kInts;
    case AttrField::kStrings: return AttrKind::kStrings;
    case AttrField::kTensors: return AttrKind::kTensors;
    case AttrField::kGraphs: return AttrKind::kGraphs;
    case AttrField::kTypeProto: return AttrKind::kTypeProto;
    case AttrField::kTypeProtos: return AttrKind::kTypeProtos;
    case AttrField::kSparseTensor: return AttrKind::kSparseTensor;
    case AttrField::kSparseTensors: return AttrKind::kSparseTensors;
    default: return AttrKind::kUndefined;
  }
}

}  // namespace

Result<AttrView> ParseAttr(std::string_view proto) {
  AttrView a;
  a.proto = proto;
  AttrKind seen = AttrKind::kUndefined;
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    switch (f.number) {
      case AttrField::kName: a.name = f.bytes; break;
      case AttrField::kType: a.kind = f.value <= 14 ? static_cast<AttrKind>(f.value) : AttrKind::kUndefined; break;
      case AttrField::kI: a.i = f.Int(); break;
      case AttrField::kF: a.f = f.Float(); break;
      case AttrField::kS: a.s = f.bytes; break;
      case AttrField::kT: a.t = f.bytes; break;
      case AttrField::kDocString:
        if (!f.bytes.empty()) a.plain = false;
        break;
      case AttrField::kFloats: case AttrField::kInts: case AttrField::kStrings: case AttrField::kTensors:
      case AttrField::kG: case AttrField::kGraphs: case AttrField::kTypeProto: case AttrField::kTypeProtos:
      case AttrField::kSparseTensor: case AttrField::kSparseTensors:
        break;
      default: a.plain = false;
    }
    if (AttrKind kind = KindOf(f.number); kind != AttrKind::kUndefined) seen = kind;
  }
  if (!reader.ok()) return Status::Error(StrCat("attribute '", a.name, "': ", reader.error()), "E13005");
  if (a.kind == AttrKind::kUndefined) a.kind = seen;
  return a;
}

bool AttrView::Ints(std::vector<int64_t>* out) const {
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.number == AttrField::kInts && !wire::AppendVarints(f, out)) return false;
  }
  return reader.ok();
}

bool AttrView::Floats(std::vector<float>* out) const {
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.number == AttrField::kFloats && !wire::AppendFloats(f, out)) return false;
  }
  return reader.ok();
}

bool AttrView::Strings(std::vector<std::string>* out) const {
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(AttrField::kStrings)) out->emplace_back(f.bytes);
  }
  return reader.ok();
}

bool AttrView::Tensors(std::vector<std::string_view>* out) const {
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(AttrField::kTensors)) out->push_back(f.bytes);
  }
  return reader.ok();
}

Status NodeView::Parse(std::string_view proto) {
  name = op_type = domain = {};
  inputs.clear();
  outputs.clear();
  attrs.clear();
  other_fields.clear();
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != wire::WireType::kBytes) {
      other_fields.append(f.raw);
      continue;
    }
    switch (f.number) {
      case NodeField::kInput: inputs.push_back(f.bytes); break;
      case NodeField::kOutput: outputs.push_back(f.bytes); break;
      case NodeField::kName: name = f.bytes; break;
      case NodeField::kOpType: op_type = f.bytes; break;
      case NodeField::kDomain: domain = f.bytes == "ai.onnx" ? std::string_view() : f.bytes; break;
      case NodeField::kAttribute: {
        GE_ASSIGN_OR_RETURN(AttrView attr, ParseAttr(f.bytes));
        attrs.push_back(attr);
        break;
      }
      default: other_fields.append(f.raw);
    }
  }
  if (!reader.ok()) return Status::Error(reader.error(), "E13005");
  return Status::Ok();
}

}  // namespace ge::formats::onnx
