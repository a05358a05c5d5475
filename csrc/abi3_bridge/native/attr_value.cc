#include "abi3_bridge/native/attr_value.h"

#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/small_float.h"
#include "abi3_bridge/native/tensor.h"
#include "abi3_bridge/native/tensor_array.h"

namespace ge::bridge {
namespace {

[[noreturn]] void RaiseUnsupported(nb::handle value) {
  RaiseValueError(StrCat("Unsupported attribute type: ", Shown(value.type()), " for value: ", Shown(value)));
}

bool All(nb::handle list, bool (*is)(nb::handle)) {
  Py_ssize_t n = PyList_Size(list.ptr());
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!is(PyList_GetItem(list.ptr(), i))) return false;
  }
  return true;
}

template <typename T, typename Fn>
std::vector<T> Collect(nb::handle list, Fn convert) {
  Py_ssize_t n = PyList_Size(list.ptr());
  std::vector<T> out;
  out.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) out.push_back(convert(nb::handle(PyList_GetItem(list.ptr(), i))));
  return out;
}

ir::AttrValue ListFromPython(nb::handle value) {
  if (PyList_Size(value.ptr()) == 0) RaiseValueError("Empty list is not supported");
  if (All(value, IsFloat)) {
    return Collect<float>(value, [](nb::handle h) { return static_cast<float>(PyFloat_AsDouble(h.ptr())); });
  }
  if (All(value, IsBool)) return Collect<bool>(value, [](nb::handle h) { return h.ptr() == Py_True; });
  if (All(value, IsInt)) return Collect<int64_t>(value, WrappedInt);
  if (All(value, IsText)) return Collect<std::string>(value, [](nb::handle h) { return std::string(Text(h)); });
  RaiseUnsupported(value);
}

nb::object ToPython(const std::string& v) { return NewText(v); }
nb::object ToPython(float v) { return nb::float_(ShortDouble(v)); }
nb::object ToPython(bool v) { return nb::bool_(v); }
nb::object ToPython(int64_t v) { return nb::int_(v); }
nb::object ToPython(ir::DataType v) { return Member(v); }
nb::object ToPython(const ir::TensorPtr& v) { return NewTensor(v ? v : std::make_shared<const ir::Tensor>()); }
template <typename T>
nb::object ToPython(const std::vector<T>& values) {
  nb::list out;
  for (const auto& v : values) out.append(ToPython(static_cast<const T&>(v)));
  return out;
}

template <typename T, typename... Ts>
inline constexpr bool kOneOf = (std::is_same_v<T, Ts> || ...);

}  // namespace

ir::AttrValue AttrFromPython(nb::handle value) {
  if (IsText(value)) return std::string(Text(value));
  if (IsFloat(value)) return static_cast<float>(PyFloat_AsDouble(value.ptr()));
  if (IsBool(value)) return value.ptr() == Py_True;
  if (IsInt(value)) {
    ir::DataType type;
    if (ReadDataType(value, &type)) return type;
    return WrappedInt(value);
  }
  if (PyTensor* t = As<PyTensor>(value)) {
    if (t->tensor == nullptr) RaiseRuntimeError("tensor handle has expired: it was taken away; make a new Tensor");
    return OwnValue(t->tensor);
  }
  if (IsList(value)) return ListFromPython(value);
  RaiseUnsupported(value);
}

nb::object AttrToPython(const ir::AttrValue& value, std::string* problem) {
  return std::visit(
      [&](const auto& v) -> nb::object {
        using T = std::decay_t<decltype(v)>;
        constexpr bool kList = kOneOf<T, std::vector<std::string>, std::vector<float>, std::vector<bool>,
                                      std::vector<int64_t>, std::vector<ir::DataType>>;
        if constexpr (kList) {
          if (v.empty()) {
            *problem = "expected a value or a list with elements, found an empty list; treat it as absent";
            return {};
          }
        }
        if constexpr (std::is_same_v<T, std::vector<ir::DataType>>) {
          // The GE API gives the numbers of types in a list, not the members.
          nb::list out;
          for (ir::DataType t : v) out.append(nb::int_(static_cast<int>(t)));
          return out;
        } else if constexpr (kList || kOneOf<T, std::string, float, bool, int64_t, ir::DataType, ir::TensorPtr>) {
          return ToPython(v);
        } else {
          *problem = StrCat("expected a text, number, bool, data type, tensor or a list of texts, numbers or bools, "
                            "found a value of kind ", value.index(), "; it has no Python form");
          return {};
        }
      },
      value);
}

nb::object DefaultToPython(const ir::AttrValue& value) {
  return std::visit(
      [](const auto& v) -> nb::object {
        using T = std::decay_t<decltype(v)>;
        if constexpr (kOneOf<T, std::string, float, bool, int64_t, ir::DataType, ir::TensorPtr,
                             std::vector<std::string>, std::vector<float>, std::vector<bool>, std::vector<int64_t>,
                             std::vector<ir::DataType>, std::vector<std::vector<int64_t>>,
                             std::vector<std::vector<float>>>) {
          return ToPython(v);
        } else {
          return nb::none();
        }
      },
      value);
}

}  // namespace ge::bridge
