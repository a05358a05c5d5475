#include <cmath>
#include <limits>
#include <set>

#include "base/strings.h"
#include "custom_op/prototype.h"
#include "custom_op/text_view.h"

namespace ge::custom_op {
namespace {

using DefaultView = PythonCustomOpAttrDefaultView;

// The kinds of the C ABI and those of definitions have the same numbers.
static_assert(static_cast<int>(ops::IoKind::kDynamic) == kPythonInputDynamic);
static_assert(static_cast<int>(ops::AttrType::kTensor) == kPythonAttrTensor);
static_assert(static_cast<int>(ops::AttrType::kListListInt) == kPythonAttrListListInt);

Status Unexpected(std::string_view what, std::string_view expected, int64_t found) {
  return Status::Error(StrCat(what, ": expected ", expected, ", found '", found, "'"));
}

Status CheckList(const void* data, size_t count, std::string_view what) {
  if (count == 0 || data != nullptr) return Status::Ok();
  return Status::Error(StrCat(what, ": expected a list of '", count, "', found a null pointer"));
}

Result<bool> ReadBool(uint8_t byte, std::string_view what) {
  if (byte > 1) return Unexpected(what, "0 or 1", byte);
  return byte != 0;
}

Result<double> ReadFloat(double value, std::string_view what) {
  if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max())
    return Status::Error(StrCat(what, ": expected a float of 32 bits, found '", value, "', which is beyond them"));
  return value;
}

Result<ir::DataType> ReadDataType(int32_t number, std::string_view what) {
  constexpr auto kMax = static_cast<int32_t>(ir::DataType::kMax);
  if (number < 0 || number >= kMax) return Unexpected(what, StrCat("a data type from 0 to ", kMax - 1), number);
  return static_cast<ir::DataType>(number);
}

Result<int64_t> ReadInt(int64_t value, std::string_view) { return value; }

Result<std::string> ReadText(PythonCustomOpStringView view, std::string_view what) {
  return CopyText(view, what, Emptiness::kAllowed);
}

Result<std::vector<int64_t>> ReadRow(PythonCustomOpInt64ArrayView row, std::string_view what) {
  GE_RETURN_IF_ERROR(CheckList(row.data, row.count, what));
  if (row.count == 0) return std::vector<int64_t>();
  return std::vector<int64_t>(row.data, row.data + row.count);
}

template <typename T>
Result<AttrDefault> One(Result<T> value) {
  if (!value.ok()) return value.status();
  return AttrDefault(std::move(value).value());
}

template <typename T, typename View>
Result<AttrDefault> Many(const View* items, size_t count, std::string_view what,
                         Result<T> (*read)(View, std::string_view)) {
  GE_RETURN_IF_ERROR(CheckList(items, count, what));
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) {
    GE_ASSIGN_OR_RETURN(T value, read(items[i], StrCat(what, "[", i, "]")));
    values.push_back(std::move(value));
  }
  return AttrDefault(std::move(values));
}

Result<AttrDefault> ReadDefault(ops::AttrType type, const DefaultView& view, std::string_view what) {
  using ops::AttrType;
  switch (type) {
    case AttrType::kInt: return One(ReadInt(view.int_value, what));
    case AttrType::kFloat: return One(ReadFloat(view.float_value, what));
    case AttrType::kBool: return One(ReadBool(view.bool_value, what));
    case AttrType::kString: return One(ReadText(view.string_value, what));
    case AttrType::kType: return One(ReadDataType(view.data_type_value, what));
    case AttrType::kTensor:
      return Status::Error(StrCat(what, ": a tensor attribute cannot have a default; make it required"));
    case AttrType::kListInt: return Many<int64_t>(view.list_int_values, view.count, what, &ReadInt);
    case AttrType::kListFloat: return Many<double>(view.list_float_values, view.count, what, &ReadFloat);
    case AttrType::kListBool: return Many<bool>(view.list_bool_values, view.count, what, &ReadBool);
    case AttrType::kListString: return Many<std::string>(view.list_string_values, view.count, what, &ReadText);
    case AttrType::kListType: return Many<ir::DataType>(view.list_data_type_values, view.count, what, &ReadDataType);
    case AttrType::kListListInt:
      return Many<std::vector<int64_t>>(view.list_list_int_values, view.count, what, &ReadRow);
  }
  return Unexpected(what, "a known kind of attribute", static_cast<int64_t>(type));
}

// Names of one list; those of inputs, attributes and outputs do not mix.
class Names {
 public:
  Result<std::string> Add(const PythonCustomOpStringView& view, std::string_view what) {
    GE_ASSIGN_OR_RETURN(std::string name, CopyText(view, StrCat("name of ", what)));
    if (!seen_.insert(name).second)
      return Status::Error(StrCat(what, ": its name '", name, "' is that of an earlier one"));
    return name;
  }

 private:
  std::set<std::string> seen_;
};

template <typename View>
Result<std::vector<PrototypeIo>> ReadIos(const View* views, size_t count, std::string_view what, bool outputs) {
  std::vector<PrototypeIo> ios;
  Names names;
  for (size_t i = 0; i < count; ++i) {
    const std::string at = StrCat(what, " ", i);
    PrototypeIo io;
    GE_ASSIGN_OR_RETURN(io.name, names.Add(views[i].name, at));
    const uint32_t kind = views[i].kind;
    if (outputs) {
      if (kind > kPythonOutputDynamic) return Unexpected(StrCat("kind of ", at), "0 or 1", kind);
      io.kind = kind == kPythonOutputDynamic ? ops::IoKind::kDynamic : ops::IoKind::kRequired;
    } else {
      if (kind > kPythonInputDynamic) return Unexpected(StrCat("kind of ", at), "0, 1 or 2", kind);
      io.kind = static_cast<ops::IoKind>(kind);
    }
    ios.push_back(std::move(io));
  }
  return ios;
}

Result<PrototypeAttr> ReadAttr(const PythonCustomOpProtoAttrView& view, Names& names, std::string_view at) {
  PrototypeAttr attr;
  GE_ASSIGN_OR_RETURN(attr.name, names.Add(view.name, at));
  const std::string what = StrCat("attribute '", attr.name, "'");
  GE_ASSIGN_OR_RETURN(const bool required, ReadBool(view.is_required, StrCat(what, ", is_required")));
  GE_ASSIGN_OR_RETURN(const bool has_value, ReadBool(view.default_value.has_value, StrCat(what, ", has_value")));
  if (view.kind > kPythonAttrListListInt) return Unexpected(StrCat("kind of ", what), "0 to 11", view.kind);
  attr.type = static_cast<ops::AttrType>(view.kind);
  if (required && has_value)
    return Status::Error(StrCat(what, ": it is required, so it cannot have a default, but has one"));
  if (!required && !has_value)
    return Status::Error(StrCat(what, ": it is optional, so it needs a default, found none"));
  if (required) return attr;
  GE_ASSIGN_OR_RETURN(attr.default_value, ReadDefault(attr.type, view.default_value, StrCat("default of ", what)));
  return attr;
}

Result<Prototype> Parse(const PythonCustomOpProtoDescriptorView& view) {
  GE_RETURN_IF_ERROR(CheckList(view.inputs, view.input_count, "inputs"));
  GE_RETURN_IF_ERROR(CheckList(view.attrs, view.attr_count, "attributes"));
  GE_RETURN_IF_ERROR(CheckList(view.outputs, view.output_count, "outputs"));
  Prototype prototype;
  GE_ASSIGN_OR_RETURN(prototype.descriptor_key, CopyText(view.descriptor_key, "descriptor key"));
  GE_ASSIGN_OR_RETURN(prototype.op_type, CopyText(view.op_type, "operator type"));
  GE_ASSIGN_OR_RETURN(prototype.inputs, ReadIos(view.inputs, view.input_count, "input", false));
  Names names;
  for (size_t i = 0; i < view.attr_count; ++i) {
    GE_ASSIGN_OR_RETURN(PrototypeAttr attr, ReadAttr(view.attrs[i], names, StrCat("attribute ", i)));
    prototype.attrs.push_back(std::move(attr));
  }
  GE_ASSIGN_OR_RETURN(prototype.outputs, ReadIos(view.outputs, view.output_count, "output", true));
  return prototype;
}

}  // namespace

Result<Prototype> ParsePrototype(const PythonCustomOpProtoDescriptorView& view) {
  Result<Prototype> prototype = Parse(view);
  if (prototype.ok()) return prototype;
  const Result<std::string> type = CopyText(view.op_type, "operator type");
  return prototype.status().WithContext(
      StrCat("prototype of custom operator '", type.ok() ? type.value() : "?", "' is not valid"));
}

}  // namespace ge::custom_op
