// Descriptions of tensors, and tensors.
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

// Dims of a tensor.
constexpr size_t kMaxRank = 1024;

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

// The dims named `names` get these names.
void NameDims(const std::vector<std::string>& names, ir::Shape* shape) {
  if (names.size() != shape->rank()) return;
  for (size_t i = 0; i < names.size(); ++i) {
    if ((*shape)[i] == ir::kUnknownDim && !names[i].empty()) shape->Set(i, ir::SymbolicDim(names[i]));
  }
}

}  // namespace

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
      return Malformed(StrCat("a tensor claims ", desc.weight_size, " bytes from ", offset,
                              " on, expected a place in the ", limit, " bytes of weights in the file"));
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
