// Attribute values, descs and tensors.
#include "base/strings.h"
#include "formats/air/decoder.h"
#include "formats/air/fields.h"
#include "formats/air/malformed.h"
#include "formats/air/names.h"
#include "formats/air/string_tensor.h"
#include "formats/air/type_numbers.h"

namespace ge::formats::air {

using wire::Field;
using wire::Reader;
using wire::WireType;

namespace {

// Deeper nesting is no model but an attack on the stack; protobuf libraries stop at about the same depth.
constexpr int kMaxDepth = 100;
// Look-up in a node's attributes is linear.
constexpr size_t kMaxAttrs = 4096;
// Dims of a tensor.
constexpr size_t kMaxRank = 1024;

Status CheckDepth(int depth) {
  if (depth <= kMaxDepth) return Status::Ok();
  return Malformed(StrCat("expected messages nested at most ", kMaxDepth, " deep, found deeper ones"));
}

Status ReadShape(std::string_view proto, ir::Shape* out) {
  std::vector<int64_t> dims;
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.number == ShapeField::kDim && !wire::AppendVarints(f, &dims)) return Malformed("a shape holds no numbers");
  }
  if (!reader.ok()) return Malformed("a shape", reader);
  if (dims.size() > kMaxRank) {
    return Malformed(StrCat("expected a shape of at most ", kMaxRank, " dims, found ", dims.size()));
  }
  for (int64_t d : dims) {
    bool unknown_rank = d == ir::kUnknownRankDim && dims.size() == 1;
    if (d < ir::kUnknownDim && !unknown_rank) {
      return Malformed(StrCat("expected dims of 0 or more, -1 or a single -2 in a shape, found ", d));
    }
  }
  *out = ir::Shape(dims);
  return Status::Ok();
}

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

// The dims named `names` get these names.
void NameDims(const std::vector<std::string>& names, ir::Shape* shape) {
  if (names.size() != shape->rank()) return;
  for (size_t i = 0; i < names.size(); ++i) {
    if ((*shape)[i] == ir::kUnknownDim && !names[i].empty()) shape->Set(i, ir::SymbolicDim(names[i]));
  }
}

}  // namespace

// ---- values ---------------------------------------------------------------------------------------------------------

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
      return Malformed(StrCat("node '", p.node->name(), "' of a graph that is an attribute has subgraphs; expected none"));
    }
  }
  GE_RETURN_IF_ERROR(Connect(&g));
  *out = std::move(g.graph);
  return Status::Ok();
}

// ---- descs and tensors ----------------------------------------------------------------------------------------------

Status Decoder::DescPtr(std::string_view proto, int depth, ir::TensorDescPtr* out) {
  DecodedDesc d;
  GE_RETURN_IF_ERROR(Desc(proto, depth, &d));
  *out = std::make_shared<const ir::TensorDesc>(std::move(d.desc));
  return Status::Ok();
}

Status Decoder::Desc(std::string_view proto, int depth, DecodedDesc* out) {
  GE_RETURN_IF_ERROR(CheckDepth(depth));
  std::string fields;
  out->desc.shape = ir::Shape();
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    out->given = true;
    bool ok = true;
    switch (f.number) {
      case DescField::kDtype: {
        auto type = f.type == WireType::kVarint ? FromProtoType(f.value) : std::nullopt;
        if (!type) return Malformed(StrCat("expected the number of a data type, found ", f.Int()));
        out->desc.dtype = *type;
        break;
      }
      case DescField::kShape:
        ok = f.type == WireType::kBytes;
        if (ok) GE_RETURN_IF_ERROR(ReadShape(f.bytes, &out->desc.shape));
        break;
      case DescField::kLayout: {
        if (f.bytes.empty()) break;
        auto format = FromLayoutName(f.bytes);
        if (!format) return Malformed(StrCat("expected the name of a layout, found '", f.bytes, "'"));
        out->desc.format = out->desc.origin_format = *format;
        break;
      }
      case DescField::kAttr: ok = f.type == WireType::kBytes;
        if (ok) GE_RETURN_IF_ERROR(MapEntry(f.bytes, depth + 1, &out->attrs));
        break;
      case DescField::kAttrGroups: out->attrs.Set(NodeAttrs().attr_groups, ir::Bytes{std::string(f.bytes)}); break;
      case DescField::kWeightSize: out->weight_size = f.Int(); break;
      case DescField::kDataOffset: out->data_offset = f.Int(); break;
      // Follow from type and shape.
      case DescField::kSize:
      case DescField::kHasOutAttr:
      case DescField::kRealDimCnt: break;
      default: fields.append(f.raw);
    }
    if (!ok) return Malformed(StrCat("field ", f.number, " of a tensor description is of another kind"));
  }
  if (!reader.ok()) return Malformed("a tensor description", reader);
  if (!fields.empty()) out->attrs.Set(DescAttrs().fields, ir::Bytes{std::move(fields)});
  return TakeDescAttrs(out);
}

Status Decoder::TakeDescAttrs(DecodedDesc* out) {
  const DescNames& names = DescAttrs();
  ir::AttrMap& attrs = out->attrs;
  if (attrs.empty()) return Status::Ok();
  auto format_of = [](int64_t number, ir::Format* format) {
    auto known = FromLayoutNumber(number);
    if (!known) return Malformed(StrCat("expected the number of a layout, found ", number));
    *format = *known;
    return Status::Ok();
  };
  if (const int64_t* number = attrs.Get<int64_t>(names.format_for_int)) {
    bool plain = *number == (*number & 0xFF);
    GE_RETURN_IF_ERROR(format_of(*number, &out->desc.format));
    if (plain) attrs.Erase(names.format_for_int);
  }
  if (const auto* name = attrs.Get<std::string>(names.origin_format)) {
    auto format = FromLayoutName(*name);
    if (!format) return Malformed(StrCat("expected the name of a layout as origin_format, found '", *name, "'"));
    out->desc.origin_format = *format;
    attrs.Erase(names.origin_format);
  }
  if (const int64_t* number = attrs.Get<int64_t>(names.origin_format_for_int)) {
    GE_RETURN_IF_ERROR(format_of(*number, &out->desc.origin_format));
    attrs.Erase(names.origin_format_for_int);
  }
  if (const auto* dims = attrs.Get<std::vector<std::string>>(names.dim_names)) {
    NameDims(*dims, &out->desc.shape);
    attrs.Erase(names.dim_names);
  }
  if (const auto* dims = attrs.Get<std::vector<int64_t>>(names.origin_shape)) {
    if (dims->size() > kMaxRank) return Malformed(StrCat("origin_shape has ", dims->size(), " dims"));
    ir::Shape origin(*dims);
    // Numbers as low as those that stand for names would become some name.
    for (int64_t d : *dims) {
      if (d < ir::kUnknownRankDim) return Malformed(StrCat("expected dims of -2 or more in origin_shape, found ", d));
    }
    if (origin != ir::Shape(out->desc.shape.ApiDims())) {
      if (const auto* named = attrs.Get<std::vector<std::string>>(names.origin_dim_names)) NameDims(*named, &origin);
      out->desc.origin_shape = std::make_shared<const ir::Shape>(std::move(origin));
    }
    attrs.Erase(names.origin_shape);
  }
  attrs.Erase(names.origin_dim_names);
  attrs.Erase(names.origin_shape_initialized);
  if (const auto* name = attrs.Get<std::string>(names.tensor_name)) {
    out->tensor_name = *name;
    attrs.Erase(names.tensor_name);
  }
  if (const bool* declared = attrs.Get<bool>(names.declared)) {
    out->declared = *declared;
    attrs.Erase(names.declared);
  }
  if (const int64_t* merged = attrs.Get<int64_t>(ir::Symbol("merged_offset"))) out->merged_offset = *merged;
  return Status::Ok();
}

Status Decoder::Tensor(std::string_view proto, int depth, ir::TensorPtr* out) {
  GE_RETURN_IF_ERROR(CheckDepth(depth));
  DecodedDesc desc;
  std::string_view data;
  auto tensor = std::make_shared<ir::Tensor>();
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(TensorField::kDesc)) {
      desc = DecodedDesc();
      GE_RETURN_IF_ERROR(Desc(f.bytes, depth + 1, &desc));
    }
    if (f.bytes_of(TensorField::kData)) data = f.bytes;
  }
  if (!reader.ok()) return Malformed("a tensor", reader);
  tensor->desc = desc.desc;
  GE_RETURN_IF_ERROR(TensorData(desc, data, tensor.get()));
  *out = std::move(tensor);
  return Status::Ok();
}

Status Decoder::TensorData(const DecodedDesc& desc, std::string_view inline_data, ir::Tensor* out) {
  std::string_view data = inline_data;
  if (data.empty() && desc.weight_size != 0 && !weights_.empty()) {
    int64_t offset = desc.merged_offset >= 0 ? desc.merged_offset : desc.data_offset;
    auto limit = static_cast<int64_t>(weights_.size());
    if (offset < 0 || desc.weight_size < 0 || offset > limit || desc.weight_size > limit - offset) {
      return Malformed(StrCat("a tensor claims ", desc.weight_size, " bytes from ", offset, " on, expected a place in the ",
                              limit, " bytes of weights in the file"));
    }
    data = weights_.substr(static_cast<size_t>(offset), static_cast<size_t>(desc.weight_size));
  }
  if (data.empty()) return Status::Ok();
  int64_t count = out->desc.shape.NumElements();
  if (out->desc.dtype == ir::DataType::kString) {
    if (auto strings = UnpackStrings(data, count)) {
      out->strings = std::move(*strings);
      return Status::Ok();
    }
  }
  int bits = ir::BitWidth(out->desc.dtype);
  bool countable = count >= 0 && count <= INT64_MAX / 128;
  bool fits = countable ? ir::ByteSize(out->desc.dtype, count) == static_cast<int64_t>(data.size())
                        : !out->desc.shape.IsStatic();
  if (bits > 0 && !fits) {
    return Malformed(StrCat("a tensor of shape ", out->desc.shape.ToString(), " and type ", ir::Name(out->desc.dtype),
                            " has ", data.size(), " bytes, expected ",
                            countable ? StrCat(ir::ByteSize(out->desc.dtype, count)) : std::string("many more")));
  }
  out->data = ir::Buffer(owner_, reinterpret_cast<const uint8_t*>(data.data()), data.size());
  return Status::Ok();
}

}  // namespace ge::formats::air
