// Descriptions of tensors, and tensors.
#include "base/strings.h"
#include "formats/air/encoder.h"
#include "formats/air/fields.h"
#include "formats/air/names.h"
#include "formats/air/string_tensor.h"
#include "formats/air/type_numbers.h"

namespace ge::formats::air {
namespace {

// From here on a reference is cheaper than a copy.
constexpr size_t kReferred = 4096;
bool HasNames(const ir::Shape& shape) {
  for (ir::Dim d : shape.dims()) {
    if (ir::IsSymbolic(d)) return true;
  }
  return false;
}

}  // namespace

void Encoder::Shape(const ir::Shape& shape) {
  auto mark = out_.Begin(DescField::kShape, 0);
  Packed(ShapeField::kDim, shape.ApiDims());
  out_.End(mark);
}

void Encoder::DimNames(ir::Symbol name, const ir::Shape& shape) {
  if (!HasNames(shape)) return;
  std::vector<std::string> names;
  for (ir::Dim d : shape.dims()) names.emplace_back(ir::DimName(d));
  Attr(DescField::kAttr, name.view(), std::move(names));
}

void Encoder::Layout(const ir::TensorDesc& desc, const ir::AttrMap* attrs) {
  const DescNames& names = DescAttrs();
  int64_t number = static_cast<int64_t>(desc.format);
  std::string layout(LayoutName(desc.format));
  // A sub-format came with the file; it holds as long as the format is the same.
  const int64_t* kept = attrs != nullptr ? attrs->Get<int64_t>(names.format_for_int) : nullptr;
  if (kept != nullptr && (*kept & 0xFF) == number) {
    number = *kept;
    if (int64_t sub = (number >> 8) & 0xFFFF; sub != 0) layout += StrCat(":", sub);
  }
  out_.Bytes(DescField::kLayout, layout);
  Attr(DescField::kAttr, names.format_for_int.view(), number);
  Attr(DescField::kAttr, names.origin_format.view(), std::string(LayoutName(desc.origin_format)));
  Attr(DescField::kAttr, names.origin_format_for_int.view(), static_cast<int64_t>(desc.origin_format));
}

void Encoder::Desc(uint32_t field, const ir::TensorDesc& desc, const ir::AttrMap* attrs, std::string_view tensor_name,
                   bool declared, int64_t weight_size, uint64_t weight_offset) {
  const DescNames& names = DescAttrs();
  auto mark = out_.Begin(field, 0x80);
  if (uint32_t type = ToProtoType(desc.dtype); type != 0) out_.Int(DescField::kDtype, type);
  Shape(desc.shape);
  Layout(desc, attrs);
  Attr(DescField::kAttr, names.origin_shape_initialized.view(), true);
  Attr(DescField::kAttr, names.origin_shape.view(), desc.OriginShape().ApiDims());
  DimNames(names.dim_names, desc.shape);
  if (desc.origin_shape != nullptr) DimNames(names.origin_dim_names, *desc.origin_shape);
  if (!tensor_name.empty()) Attr(DescField::kAttr, names.tensor_name.view(), std::string(tensor_name));
  if (declared) Attr(DescField::kAttr, names.declared.view(), true);
  const ir::Bytes* fields = nullptr;
  const ir::Bytes* groups = nullptr;
  if (attrs != nullptr) {
    fields = attrs->Get<ir::Bytes>(names.fields);
    groups = attrs->Get<ir::Bytes>(NodeAttrs().attr_groups);
    for (const ir::AttrMap::Entry& e : *attrs) {
      bool done = e.first == names.format_for_int || (fields != nullptr && e.first == names.fields) ||
                  (groups != nullptr && e.first == NodeAttrs().attr_groups);
      if (!done) Attr(DescField::kAttr, e.first.view(), e.second);
    }
  }
  if (groups != nullptr) out_.Bytes(DescField::kAttrGroups, groups->data);
  if (weight_size >= 0) {
    out_.Int(DescField::kSize, weight_size);
    out_.Int(DescField::kWeightSize, weight_size);
    if (weight_offset > 0) out_.Int(DescField::kDataOffset, static_cast<int64_t>(weight_offset));
  }
  if (fields != nullptr) out_.Raw(fields->data);
  out_.End(mark);
}

void Encoder::Tensor(uint32_t field, const ir::Tensor& tensor, bool is_weight) {
  std::span<const uint8_t> bytes = tensor.data.bytes();
  bool elsewhere = is_weight && options_.place_weight != nullptr && !bytes.empty();
  auto mark = out_.Begin(field, 0x80 + (elsewhere ? 0 : bytes.size()));
  if (elsewhere) {
    Desc(TensorField::kDesc, tensor.desc, nullptr, {}, false, static_cast<int64_t>(bytes.size()),
         options_.place_weight(bytes));
  } else {
    Desc(TensorField::kDesc, tensor.desc, nullptr);
  }
  if (options_.tensor_data && !elsewhere) {
    if (!tensor.strings.empty()) {
      out_.Bytes(TensorField::kData, PackStrings(tensor.strings));
    } else if (bytes.size() >= kReferred) {
      out_.Ref(TensorField::kData, bytes.data(), bytes.size());
    } else if (!bytes.empty()) {
      out_.Bytes(TensorField::kData, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  out_.End(mark);
}

}  // namespace ge::formats::air
