#include "formats/onnx/attr_forms.h"

#include <optional>

#include "base/json.h"
#include "base/strings.h"
#include "formats/onnx/dtype_map.h"

namespace ge::formats::onnx {
namespace {

// Whole numbers up to here are the same as float.
constexpr int64_t kExactInFloat = 1 << 24;

// Batch and channel come before the spatial dims.
bool StartsWith(const std::vector<int64_t>& v, int64_t batch_and_channel) {
  return v.size() >= 2 && v[0] == batch_and_channel && v[1] == batch_and_channel;
}

}  // namespace

AttrKind OnnxKindOf(AttrForm form) {
  switch (form) {
    case AttrForm::kInt: case AttrForm::kBool: case AttrForm::kInvertedBool: case AttrForm::kType:
    case AttrForm::kDataType: case AttrForm::kSingleInList: case AttrForm::kWholeFloat:
      return AttrKind::kInt;
    case AttrForm::kFloat: return AttrKind::kFloat;
    case AttrForm::kString: case AttrForm::kIntLists: return AttrKind::kString;
    case AttrForm::kTensor: return AttrKind::kTensor;
    case AttrForm::kInts: case AttrForm::kBools: case AttrForm::kDataTypes: case AttrForm::kSpatial: case AttrForm::kSpatialZeros: case AttrForm::kPads:
      return AttrKind::kInts;
    case AttrForm::kFloats: return AttrKind::kFloats;
    case AttrForm::kStrings: return AttrKind::kStrings;
  }
  return AttrKind::kUndefined;
}

bool IntFromOnnx(AttrForm form, int64_t value, ir::AttrValue* out) {
  switch (form) {
    case AttrForm::kInt: *out = value; return true;
    case AttrForm::kBool: case AttrForm::kInvertedBool:
      *out = (value != 0) == (form == AttrForm::kBool);
      return value == 0 || value == 1;
    case AttrForm::kType: case AttrForm::kDataType: {
      ir::DataType type = FromOnnxType(value);
      if (type == ir::DataType::kUndefined) return false;
      if (form == AttrForm::kType) {
        *out = static_cast<int64_t>(type);
      } else {
        *out = type;
      }
      return true;
    }
    case AttrForm::kSingleInList: *out = std::vector<int64_t>{value}; return true;
    case AttrForm::kWholeFloat:
      *out = static_cast<float>(value);
      return value >= -kExactInFloat && value <= kExactInFloat;
    default: return false;
  }
}

bool IntsFromOnnx(AttrForm form, std::vector<int64_t> values, ir::AttrValue* out) {
  switch (form) {
    case AttrForm::kInts: break;
    case AttrForm::kBools: {
      std::vector<bool> bools;
      for (int64_t v : values) {
        if (v != 0 && v != 1) return false;
        bools.push_back(v == 1);
      }
      *out = std::move(bools);
      return true;
    }
    case AttrForm::kDataTypes: {
      std::vector<ir::DataType> types;
      for (int64_t v : values) {
        types.push_back(FromOnnxType(v));
        if (types.back() == ir::DataType::kUndefined) return false;
      }
      *out = std::move(types);
      return true;
    }
    case AttrForm::kSpatial: values.insert(values.begin(), {1, 1}); break;
    case AttrForm::kSpatialZeros: values.insert(values.begin(), {0, 0}); break;
    case AttrForm::kPads: {
      if (values.size() % 2 != 0) return false;
      size_t n = values.size() / 2;
      std::vector<int64_t> pairs(values.size());
      for (size_t i = 0; i < n; ++i) {
        pairs[2 * i] = values[i];
        pairs[2 * i + 1] = values[n + i];
      }
      values = std::move(pairs);
      break;
    }
    default: return false;
  }
  *out = std::move(values);
  return true;
}

bool IntToOnnx(AttrForm form, const ir::AttrValue& value, int64_t* out) {
  switch (form) {
    case AttrForm::kInt:
      if (const auto* i = std::get_if<int64_t>(&value)) return *out = *i, true;
      return false;
    case AttrForm::kBool: case AttrForm::kInvertedBool:
      if (const auto* b = std::get_if<bool>(&value)) return *out = *b == (form == AttrForm::kBool) ? 1 : 0, true;
      return false;
    case AttrForm::kType: case AttrForm::kDataType: {
      ir::DataType type = ir::DataType::kUndefined;
      if (const auto* i = std::get_if<int64_t>(&value)) {
        if (*i < 0 || *i >= static_cast<int64_t>(ir::DataType::kMax)) return false;
        type = static_cast<ir::DataType>(*i);
      } else if (const auto* t = std::get_if<ir::DataType>(&value)) {
        type = *t;
      }
      *out = ToOnnxType(type);
      return *out != 0;
    }
    case AttrForm::kWholeFloat:
      if (const auto* f = std::get_if<float>(&value); f != nullptr && *f >= -kExactInFloat && *f <= kExactInFloat) {
        *out = static_cast<int64_t>(*f);
        return static_cast<float>(*out) == *f;
      }
      return false;
    case AttrForm::kSingleInList:
      if (const auto* list = std::get_if<std::vector<int64_t>>(&value); list != nullptr && list->size() == 1) {
        return *out = (*list)[0], true;
      }
      return false;
    default: return false;
  }
}

bool IntsToOnnx(AttrForm form, const ir::AttrValue& value, std::vector<int64_t>* out) {
  if (const auto* bools = std::get_if<std::vector<bool>>(&value)) {
    out->assign(bools->begin(), bools->end());
    return form == AttrForm::kBools;
  }
  if (const auto* types = std::get_if<std::vector<ir::DataType>>(&value)) {
    for (ir::DataType type : *types) {
      out->push_back(ToOnnxType(type));
      if (out->back() == 0) return false;
    }
    return form == AttrForm::kDataTypes;
  }
  const auto* list = std::get_if<std::vector<int64_t>>(&value);
  if (list == nullptr) return false;
  switch (form) {
    case AttrForm::kInts: *out = *list; return true;
    case AttrForm::kSpatial: case AttrForm::kSpatialZeros:
      if (!StartsWith(*list, form == AttrForm::kSpatial ? 1 : 0)) return false;
      out->assign(list->begin() + 2, list->end());
      return true;
    case AttrForm::kPads: {
      if (list->size() % 2 != 0) return false;
      size_t n = list->size() / 2;
      out->resize(list->size());
      for (size_t i = 0; i < n; ++i) {
        (*out)[i] = (*list)[2 * i];
        (*out)[n + i] = (*list)[2 * i + 1];
      }
      return true;
    }
    default: return false;
  }
}

bool IntListsFromOnnx(std::string_view json, ir::AttrValue* out) {
  auto parsed = JsonValue::Parse(json);
  if (!parsed.ok() || parsed.value().kind() != JsonValue::Kind::kArray) return false;
  std::vector<std::vector<int64_t>> lists;
  for (const JsonValue& row : parsed.value().array()) {
    if (row.kind() != JsonValue::Kind::kArray) return false;
    std::vector<int64_t> ints;
    for (const JsonValue& item : row.array()) {
      const std::optional<int64_t> value = item.integer();
      if (!value) return false;
      ints.push_back(*value);
    }
    lists.push_back(std::move(ints));
  }
  *out = std::move(lists);
  return true;
}

std::string IntListsToOnnx(const std::vector<std::vector<int64_t>>& lists) {
  std::vector<std::string> rows;
  for (const std::vector<int64_t>& list : lists) {
    std::vector<std::string> items;
    for (int64_t v : list) items.push_back(std::to_string(v));
    rows.push_back(StrCat("[", Join(items, ","), "]"));
  }
  return StrCat("[", Join(rows, ","), "]");
}

ir::TensorPtr TensorFromValue(std::string_view name, const ir::AttrValue& value) {
  auto length = [](const auto& v) { return ir::Shape({static_cast<ir::Dim>(v.size())}); };
  if (const auto* f = std::get_if<float>(&value); f && name == "value_float") return ir::ScalarTensor(*f);
  if (const auto* i = std::get_if<int64_t>(&value); i && name == "value_int") return ir::ScalarTensor(*i);
  if (const auto* v = std::get_if<std::vector<float>>(&value); v && name == "value_floats") {
    return ir::MakeTensor<float>(ir::DataType::kFloat, length(*v), *v);
  }
  if (const auto* v = std::get_if<std::vector<int64_t>>(&value); v && name == "value_ints") {
    return ir::MakeTensor<int64_t>(ir::DataType::kInt64, length(*v), *v);
  }
  auto strings = [](ir::Shape shape, std::vector<std::string> values) {
    auto t = std::make_shared<ir::Tensor>();
    t->desc = ir::TensorDesc(std::move(shape), ir::DataType::kString);
    t->strings = std::move(values);
    return t;
  };
  if (const auto* s = std::get_if<std::string>(&value); s && name == "value_string") return strings({}, {*s});
  if (const auto* v = std::get_if<std::vector<std::string>>(&value); v && name == "value_strings") {
    return strings(length(*v), *v);
  }
  return nullptr;
}

ir::AttrValue ValueFromTensor(std::string_view name, const ir::Tensor& t) {
  size_t rank = t.desc.shape.rank();
  int64_t count = t.desc.shape.NumElements();
  auto is = [&](std::string_view wanted, ir::DataType type, size_t wanted_rank, size_t width) {
    return name == wanted && t.desc.dtype == type && rank == wanted_rank &&
           t.data.size() == static_cast<size_t>(count) * width;
  };
  if (is("value_float", ir::DataType::kFloat, 0, 4)) return t.At<float>(0);
  if (is("value_int", ir::DataType::kInt64, 0, 8)) return t.At<int64_t>(0);
  if (is("value_floats", ir::DataType::kFloat, 1, 4)) {
    std::vector<float> v(static_cast<size_t>(count));
    for (size_t i = 0; i < v.size(); ++i) v[i] = t.At<float>(i);
    return v;
  }
  if (is("value_ints", ir::DataType::kInt64, 1, 8)) {
    std::vector<int64_t> v(static_cast<size_t>(count));
    for (size_t i = 0; i < v.size(); ++i) v[i] = t.At<int64_t>(i);
    return v;
  }
  if (t.desc.dtype == ir::DataType::kString) {
    if (name == "value_string" && rank == 0 && t.strings.size() == 1) return t.strings[0];
    if (name == "value_strings" && rank == 1) return t.strings;
  }
  return {};
}

std::string TensorNameField(std::string_view name) {
  if (name.empty()) return {};
  std::string out(1, static_cast<char>(TensorField::kName << 3 | 2));
  size_t n = name.size();
  for (; n >= 0x80; n >>= 7) out.push_back(static_cast<char>(n | 0x80));
  out.push_back(static_cast<char>(n));
  return out.append(name);
}

}  // namespace ge::formats::onnx
