// Attribute values.
#include "base/strings.h"
#include "formats/air/decoder.h"
#include "formats/air/fields.h"
#include "formats/air/malformed.h"
#include "formats/air/names.h"
#include "formats/air/type_numbers.h"

namespace ge::formats::air {

using wire::Field;
using wire::Reader;
using wire::WireType;

namespace {

// Look-up in a node's attributes is linear.
constexpr size_t kMaxAttrs = 4096;

Status ReadNested(std::string_view proto, bool floats, ir::AttrValue* out) {
  std::vector<std::vector<int64_t>> ints;
  std::vector<std::vector<float>> reals;
  Reader outer(proto);
  Field f;
  while (outer.Next(&f)) {
    if (!f.bytes_of(NestedListField::kList)) continue;
    std::vector<int64_t> int_list;
    std::vector<float> real_list;
    Reader inner(f.bytes);
    Field item;
    while (inner.Next(&item)) {
      if (item.number != NestedListField::kItem) continue;
      bool ok = floats ? wire::AppendFloats(item, &real_list) : wire::AppendVarints(item, &int_list);
      if (!ok) return Malformed("a list of lists holds something else than numbers");
    }
    if (!inner.ok()) return Malformed("a list of lists", inner);
    if (floats) {
      reals.push_back(std::move(real_list));
    } else {
      ints.push_back(std::move(int_list));
    }
  }
  if (!outer.ok()) return Malformed("a list of lists", outer);
  if (floats) {
    *out = std::move(reals);
  } else {
    *out = std::move(ints);
  }
  return Status::Ok();
}

Status ReadType(int64_t number, ir::DataType* out) {
  auto type = FromMemoryType(number);
  if (!type) return Malformed(StrCat("expected the number of a data type, found ", number));
  *out = *type;
  return Status::Ok();
}

}  // namespace

Status Decoder::MapEntry(std::string_view proto, int depth, ir::AttrMap* out) {
  std::string_view key, value;
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(MapField::kKey)) key = f.bytes;
    if (f.bytes_of(MapField::kValue)) value = f.bytes;
  }
  if (!reader.ok()) return Malformed("an attribute", reader);
  if (key.empty()) return Malformed("expected an attribute with a name, found one without");
  ir::AttrValue decoded;
  Status status = Value(value, depth + 1, &decoded);
  if (!status.ok()) return status.WithContext(StrCat("attribute '", key, "'"));
  if (std::holds_alternative<std::monostate>(decoded)) return Status::Ok();
  if (out->size() >= kMaxAttrs) return Malformed(StrCat("expected at most ", kMaxAttrs, " attributes, found more"));
  out->Set(ir::Symbol(key), std::move(decoded));
  return Status::Ok();
}

Status Decoder::Value(std::string_view proto, int depth, ir::AttrValue* out) {
  GE_RETURN_IF_ERROR(CheckDepth(depth));
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    // Of the members of a oneof the last one counts.
    if (f.type == WireType::kVarint) {
      if (f.number == AttrField::kI) *out = f.Int();
      if (f.number == AttrField::kB) *out = f.value != 0;
      if (f.number == AttrField::kDt) {
        ir::DataType type;
        GE_RETURN_IF_ERROR(ReadType(f.Int(), &type));
        *out = type;
      }
    } else if (f.is(AttrField::kF, WireType::kFixed32)) {
      *out = f.Float();
    } else if (f.type == WireType::kBytes) {
      switch (f.number) {
        case AttrField::kList: GE_RETURN_IF_ERROR(List(f.bytes, depth + 1, out)); break;
        case AttrField::kS: *out = std::string(f.bytes); break;
        case AttrField::kBt: *out = ir::Bytes{std::string(f.bytes)}; break;
        case AttrField::kListListInt: GE_RETURN_IF_ERROR(ReadNested(f.bytes, false, out)); break;
        case AttrField::kListListFloat: GE_RETURN_IF_ERROR(ReadNested(f.bytes, true, out)); break;
        case AttrField::kFunc: {
          ir::NamedAttrsPtr named;
          GE_RETURN_IF_ERROR(NamedAttrs(f.bytes, depth + 1, &named));
          *out = std::move(named);
          break;
        }
        case AttrField::kTd: {
          ir::TensorDescPtr desc;
          GE_RETURN_IF_ERROR(DescPtr(f.bytes, depth + 1, &desc));
          *out = std::move(desc);
          break;
        }
        case AttrField::kT: {
          ir::TensorPtr tensor;
          GE_RETURN_IF_ERROR(Tensor(f.bytes, depth + 1, &tensor));
          *out = std::move(tensor);
          break;
        }
        case AttrField::kG: {
          ir::GraphPtr graph;
          GE_RETURN_IF_ERROR(NestedGraph(f.bytes, depth + 1, &graph));
          *out = std::move(graph);
          break;
        }
        case AttrField::kExpression: {
          auto named = std::make_shared<ir::AttrMap>();
          named->Set(NodeAttrs().expression, ir::Bytes{std::string(f.bytes)});
          *out = ir::NamedAttrsPtr(std::move(named));
          break;
        }
        default: break;
      }
    }
  }
  return reader.ok() ? Status::Ok() : Malformed("a value", reader);
}

Status Decoder::List(std::string_view proto, int depth, ir::AttrValue* out) {
  GE_RETURN_IF_ERROR(CheckDepth(depth));
  std::vector<std::string> s;
  std::vector<ir::Bytes> bt;
  std::vector<int64_t> i, b, dt;
  std::vector<float> f32;
  std::vector<ir::TensorDescPtr> td;
  std::vector<ir::TensorPtr> t;
  std::vector<ir::GraphPtr> g;
  std::vector<ir::NamedAttrsPtr> na;
  uint64_t kind = ListKind::kNone;
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    bool ok = true;
    switch (f.number) {
      case ListField::kS: ok = f.type == WireType::kBytes; s.emplace_back(f.bytes); break;
      case ListField::kBt: ok = f.type == WireType::kBytes; bt.push_back({std::string(f.bytes)}); break;
      case ListField::kI: ok = wire::AppendVarints(f, &i); break;
      case ListField::kB: ok = wire::AppendVarints(f, &b); break;
      case ListField::kDt: ok = wire::AppendVarints(f, &dt); break;
      case ListField::kF: ok = wire::AppendFloats(f, &f32); break;
      case ListField::kTd: GE_RETURN_IF_ERROR(DescPtr(f.bytes, depth + 1, &td.emplace_back())); break;
      case ListField::kT: GE_RETURN_IF_ERROR(Tensor(f.bytes, depth + 1, &t.emplace_back())); break;
      case ListField::kG: GE_RETURN_IF_ERROR(NestedGraph(f.bytes, depth + 1, &g.emplace_back())); break;
      case ListField::kNa: GE_RETURN_IF_ERROR(NamedAttrs(f.bytes, depth + 1, &na.emplace_back())); break;
      case ListField::kValType: kind = f.value; break;
      default: break;
    }
    if (!ok) return Malformed(StrCat("items of a list in field ", f.number, " are of another kind"));
  }
  if (!reader.ok()) return Malformed("a list", reader);
  if (kind == ListKind::kNone) {
    // Index metadata, and lists of other writers: what is there tells the kind. An empty one has none.
    kind = !s.empty() ? +ListKind::kString : !i.empty() ? +ListKind::kInt : !f32.empty() ? +ListKind::kFloat
         : !b.empty() ? +ListKind::kBool : !bt.empty() ? +ListKind::kBytes : !td.empty() ? +ListKind::kTensorDesc
         : !t.empty() ? +ListKind::kTensor : !g.empty() ? +ListKind::kGraph : !na.empty() ? +ListKind::kNamedAttrs
         : !dt.empty() ? +ListKind::kDataType : +ListKind::kNone;
  }
  switch (kind) {
    case ListKind::kNone: *out = std::monostate(); break;
    case ListKind::kString: *out = std::move(s); break;
    case ListKind::kInt: *out = std::move(i); break;
    case ListKind::kFloat: *out = std::move(f32); break;
    case ListKind::kBool: *out = std::vector<bool>(b.begin(), b.end()); break;
    case ListKind::kBytes: *out = std::move(bt); break;
    case ListKind::kTensorDesc: *out = std::move(td); break;
    case ListKind::kTensor: *out = std::move(t); break;
    case ListKind::kGraph: *out = std::move(g); break;
    case ListKind::kNamedAttrs: *out = std::move(na); break;
    case ListKind::kDataType: {
      std::vector<ir::DataType> types(dt.size());
      for (size_t k = 0; k < dt.size(); ++k) GE_RETURN_IF_ERROR(ReadType(dt[k], &types[k]));
      *out = std::move(types);
      break;
    }
    default: return Malformed(StrCat("expected a list of kind 0 to 10, found kind ", static_cast<int64_t>(kind)));
  }
  return Status::Ok();
}

Status Decoder::NamedAttrs(std::string_view proto, int depth, ir::NamedAttrsPtr* out) {
  GE_RETURN_IF_ERROR(CheckDepth(depth));
  auto attrs = std::make_shared<ir::AttrMap>();
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(NamedAttrsField::kName) && !f.bytes.empty()) {
      attrs->Set(NodeAttrs().named_attrs_name, std::string(f.bytes));
    }
    if (f.bytes_of(NamedAttrsField::kAttr)) GE_RETURN_IF_ERROR(MapEntry(f.bytes, depth + 1, attrs.get()));
  }
  if (!reader.ok()) return Malformed("named attributes", reader);
  *out = std::move(attrs);
  return Status::Ok();
}

Status Decoder::NestedGraph(std::string_view proto, int depth, ir::GraphPtr* out) {
  GE_RETURN_IF_ERROR(CheckDepth(depth));
  GraphInProgress g;
  GE_RETURN_IF_ERROR(GraphDef(proto, depth + 1, &g));
  for (const Pending& p : g.nodes) {
    if (!p.subgraphs.empty()) {
      return Malformed(
          StrCat("node '", p.node->name(), "' of a graph that is an attribute has subgraphs; expected none"));
    }
  }
  GE_RETURN_IF_ERROR(Connect(&g));
  *out = std::move(g.graph);
  return Status::Ok();
}

}  // namespace ge::formats::air
