// Attribute values, descs and tensors.
#include <type_traits>

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
// Guess of the length of a short message: one byte.
constexpr uint64_t kShort = 0;

constexpr uint32_t KindOf(const std::string*) { return ListKind::kString; }
constexpr uint32_t KindOf(const int64_t*) { return ListKind::kInt; }
constexpr uint32_t KindOf(const float*) { return ListKind::kFloat; }
constexpr uint32_t KindOf(const bool*) { return ListKind::kBool; }
constexpr uint32_t KindOf(const ir::Bytes*) { return ListKind::kBytes; }
constexpr uint32_t KindOf(const ir::TensorDescPtr*) { return ListKind::kTensorDesc; }
constexpr uint32_t KindOf(const ir::TensorPtr*) { return ListKind::kTensor; }
constexpr uint32_t KindOf(const ir::GraphPtr*) { return ListKind::kGraph; }
constexpr uint32_t KindOf(const ir::NamedAttrsPtr*) { return ListKind::kNamedAttrs; }
constexpr uint32_t KindOf(const ir::DataType*) { return ListKind::kDataType; }

// A null pointer says nothing; the attribute is left out like one without a value.
template <typename T>
bool IsSet(const T&) {
  return true;
}
bool IsSet(const std::monostate&) { return false; }
template <typename T>
bool IsSet(const std::shared_ptr<T>& p) {
  return p != nullptr;
}

bool HasNames(const ir::Shape& shape) {
  for (ir::Dim d : shape.dims()) {
    if (ir::IsSymbolic(d)) return true;
  }
  return false;
}

}  // namespace

void Encoder::Packed(uint32_t field, const std::vector<int64_t>& values) {
  if (values.empty()) return;
  auto mark = out_.Begin(field, values.size());
  for (int64_t v : values) out_.Varint(static_cast<uint64_t>(v));
  out_.End(mark);
}

void Encoder::Packed(uint32_t field, const std::vector<float>& values) {
  if (values.empty()) return;
  out_.Bytes(field, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

// ---- values ---------------------------------------------------------------------------------------------------------

void Encoder::Item(const std::string& v, bool list) { out_.Bytes(list ? +ListField::kS : +AttrField::kS, v); }
void Encoder::Item(float v, bool list) { out_.Float(list ? +ListField::kF : +AttrField::kF, v); }
void Encoder::Item(bool v, bool list) { out_.Int(list ? +ListField::kB : +AttrField::kB, v ? 1 : 0); }
void Encoder::Item(int64_t v, bool list) { out_.Int(list ? +ListField::kI : +AttrField::kI, v); }
void Encoder::Item(ir::DataType v, bool list) {
  out_.Int(list ? +ListField::kDt : +AttrField::kDt, static_cast<int64_t>(v));
}
void Encoder::Item(const ir::Bytes& v, bool list) { out_.Bytes(list ? +ListField::kBt : +AttrField::kBt, v.data); }
void Encoder::Item(const ir::TensorDescPtr& v, bool list) {
  Desc(list ? +ListField::kTd : +AttrField::kTd, v ? *v : ir::TensorDesc(), nullptr);
}
void Encoder::Item(const ir::TensorPtr& v, bool list) {
  Tensor(list ? +ListField::kT : +AttrField::kT, v ? *v : ir::Tensor(), false);
}
void Encoder::Item(const ir::GraphPtr& v, bool list) {
  uint32_t field = list ? +ListField::kG : +AttrField::kG;
  if (v == nullptr) return out_.Bytes(field, {});
  Status status;
  if (!v->subgraphs().empty() && !options_.for_people) {
    status = Status::Error(StrCat("graph '", v->name(), "', the value of an attribute, has subgraphs of its own; expected "
                                  "none, since a file keeps subgraphs for nodes of the model only"));
  } else {
    status = Graph(field, *v);
  }
  if (status_.ok()) status_ = status;
}
void Encoder::Item(const ir::NamedAttrsPtr& v, bool list) {
  uint32_t field = list ? +ListField::kNa : +AttrField::kFunc;
  if (v == nullptr) return out_.Bytes(field, {});
  if (!list && v->size() == 1) {
    if (const ir::Bytes* text = v->Get<ir::Bytes>(NodeAttrs().expression)) {
      return out_.Bytes(AttrField::kExpression, text->data);
    }
  }
  Named(field, *v);
}

void Encoder::Named(uint32_t field, const ir::AttrMap& attrs) {
  auto mark = out_.Begin(field, kShort);
  const ir::Symbol name = NodeAttrs().named_attrs_name;
  const auto* text = attrs.Get<std::string>(name);
  if (text != nullptr) out_.Bytes(NamedAttrsField::kName, *text);
  for (const ir::AttrMap::Entry& e : attrs) {
    if (text == nullptr || e.first != name) Attr(NamedAttrsField::kAttr, e.first.view(), e.second);
  }
  out_.End(mark);
}

template <typename T>
void Encoder::List(const std::vector<T>& values) {
  auto mark = out_.Begin(AttrField::kList, values.size());
  if constexpr (std::is_same_v<T, int64_t>) {
    Packed(ListField::kI, values);
  } else if constexpr (std::is_same_v<T, float>) {
    Packed(ListField::kF, values);
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, ir::DataType>) {
    std::vector<int64_t> numbers;
    for (T v : values) numbers.push_back(static_cast<int64_t>(v));
    Packed(std::is_same_v<T, bool> ? +ListField::kB : +ListField::kDt, numbers);
  } else {
    for (const T& v : values) Item(v, true);
  }
  out_.Int(ListField::kValType, KindOf(static_cast<const T*>(nullptr)));
  out_.End(mark);
}

template <typename T>
void Encoder::ListOfLists(const std::vector<std::vector<T>>& lists) {
  constexpr bool kInts = std::is_same_v<T, int64_t>;
  auto mark = out_.Begin(kInts ? +AttrField::kListListInt : +AttrField::kListListFloat, kShort);
  for (const std::vector<T>& list : lists) {
    auto inner = out_.Begin(NestedListField::kList, kShort);
    Packed(NestedListField::kItem, list);
    out_.End(inner);
  }
  out_.End(mark);
}

void Encoder::Value(const ir::AttrValue& value) {
  std::visit(
      [this](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::vector<std::vector<int64_t>>> ||
                      std::is_same_v<T, std::vector<std::vector<float>>>) {
          ListOfLists(v);
        } else if constexpr (requires { typename T::value_type; v.size(); } && !std::is_same_v<T, std::string>) {
          List(v);
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          Item(v, false);
        }
      },
      value);
}

void Encoder::Attr(uint32_t field, std::string_view name, const ir::AttrValue& value) {
  if (!std::visit([](const auto& v) { return IsSet(v); }, value)) return;
  auto mark = out_.Begin(field, kShort);
  out_.Bytes(MapField::kKey, name);
  auto inner = out_.Begin(MapField::kValue, kShort);
  Value(value);
  out_.End(inner);
  out_.End(mark);
}

void Encoder::Attrs(uint32_t field, const ir::AttrMap& attrs) {
  for (const ir::AttrMap::Entry& e : attrs) Attr(field, e.first.view(), e.second);
}

// ---- descs and tensors ----------------------------------------------------------------------------------------------

void Encoder::Shape(const ir::Shape& shape) {
  auto mark = out_.Begin(DescField::kShape, kShort);
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

// The index metadata has no kind: readers drop it again, and know it by its name.
void Encoder::IndexList(ir::Symbol key, const std::vector<std::string>& names) {
  auto mark = out_.Begin(OpField::kAttr, kShort);
  out_.Bytes(MapField::kKey, key.view());
  auto value = out_.Begin(MapField::kValue, kShort);
  auto list = out_.Begin(AttrField::kList, kShort);
  for (const std::string& n : names) out_.Bytes(ListField::kS, n);
  out_.End(list);
  out_.End(value);
  out_.End(mark);
}

void Encoder::IndexList(ir::Symbol key, const std::vector<int64_t>& numbers) {
  auto mark = out_.Begin(OpField::kAttr, kShort);
  out_.Bytes(MapField::kKey, key.view());
  auto value = out_.Begin(MapField::kValue, kShort);
  auto list = out_.Begin(AttrField::kList, kShort);
  Packed(ListField::kI, numbers);
  out_.End(list);
  out_.End(value);
  out_.End(mark);
}

}  // namespace ge::formats::air
