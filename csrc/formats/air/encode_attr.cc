// Attribute values.
#include <type_traits>

#include "base/strings.h"
#include "formats/air/encoder.h"
#include "formats/air/fields.h"
#include "formats/air/names.h"

namespace ge::formats::air {
namespace {

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
    status = Status::Error(StrCat("graph '", v->name(),
                                  "', the value of an attribute, has subgraphs of its own; expected "
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
