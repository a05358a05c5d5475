// ge.graph._attr._AttrValue: one attribute value with its kind.
#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/tensor.h"

namespace ge::bridge {
namespace {

struct PyAttrValue {
  ir::AttrValue value;
  nb::object cached = {};  // what the last get_value gave; invalid after a set
};

// Numbers of AttrValueType by alternative of ir::AttrValue.
constexpr int kKinds[] = {0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    11,   1001,
                          1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1011, 10,   12};
static_assert(std::size(kKinds) == std::variant_size_v<ir::AttrValue>);

nb::object Kind(const PyAttrValue& self) {
  static LazyAttr type("ge.graph.types", "AttrValueType");
  return type.get()(kKinds[self.value.index()]);
}

bool Store(PyAttrValue& self, ir::AttrValue value) {
  self.value = std::move(value);
  self.cached.reset();
  return true;
}

nb::object Value(PyAttrValue& self) {
  if (self.cached.is_valid()) return self.cached;
  std::string problem;
  nb::object value = AttrToPython(self.value, &problem);
  if (!value.is_valid()) RaiseRuntimeError(StrCat("failed to get an attribute value: ", problem));
  // A list is the caller's own to change, a tensor's handle to take.
  if (!IsList(value) && As<PyTensor>(value) == nullptr) self.cached = value;
  return value;
}

template <typename T>
nb::object Get(const PyAttrValue& self) {
  if (!std::holds_alternative<T>(self.value)) {
    RaiseRuntimeError(StrCat("failed to get an attribute value: expected another kind, found '", Shown(Kind(self)),
                             "' in it; look at value_type first"));
  }
  // Types of a list are members here, numbers in get_attr.
  return DefaultToPython(self.value);
}

[[noreturn]] void RaiseKind(const char* method, const char* wanted, nb::handle found) {
  RaiseTypeError(StrCat(method, " takes ", wanted, ", found ", Shown(found.type())));
}

bool IsNumber(nb::handle h) { return IsFloat(h) || IsInt(h); }
bool IsDataType(nb::handle h) {
  ir::DataType type;
  return ReadDataType(h, &type);
}
float FloatOf(nb::handle h) {
  double v = PyFloat_AsDouble(h.ptr());
  if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
  return static_cast<float>(v);
}
ir::DataType TypeOf(nb::handle h) {
  ir::DataType type = ir::DataType::kUndefined;
  ReadDataType(h, &type);
  return type;
}

// Setters: `is` says whether an object has the kind, `convert` makes the stored value of it.
template <typename T, typename Is, typename Convert>
void DefScalar(nb::class_<PyAttrValue>& c, const char* setter, const char* getter, const char* wanted, Is is,
               Convert convert) {
  c.def(
      setter,
      [=](PyAttrValue& self, nb::handle value) {
        if (!is(value)) RaiseKind(setter, wanted, value);
        return Store(self, T(convert(value)));
      },
      nb::arg("value").none());
  c.def(getter, &Get<T>);
}

template <typename T, typename Is, typename Convert>
void DefList(nb::class_<PyAttrValue>& c, const char* setter, const char* getter, const char* wanted, Is is,
             Convert convert) {
  c.def(
      setter,
      [=](PyAttrValue& self, nb::handle list) {
        if (!IsList(list)) RaiseKind(setter, wanted, list);
        // Not the list itself: what converts its items may change it.
        nb::object items = nb::steal(PyList_AsTuple(list.ptr()));
        Py_ssize_t n = PyTuple_Size(items.ptr());
        if (n == 0) RaiseValueError("Empty list is not supported");
        std::vector<T> values;
        for (Py_ssize_t i = 0; i < n; ++i) {
          nb::handle item = PyTuple_GetItem(items.ptr(), i);
          if (!is(item)) RaiseKind(setter, wanted, item);
          values.push_back(convert(item));
        }
        return Store(self, std::move(values));
      },
      nb::arg("value").none());
  c.def(getter, &Get<std::vector<T>>);
}

nb::object Repr(PyAttrValue& self) {
  std::string shown = "None";
  if (!std::holds_alternative<std::monostate>(self.value)) {
    nb::object value = Value(self);
    shown = IsText(value) ? StrCat("'", Shown(value), "'") : Shown(value);
  }
  std::string kind = Shown(nb::object(Kind(self).attr("name")));
  std::string lower;
  for (char ch : kind.substr(3)) lower.push_back(static_cast<char>(ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch));
  return NewText(StrCat("AttrValue(type: ", lower, ", value: ", shown, ")"));
}

[[noreturn]] void NoCopy(const char* what) { RaiseRuntimeError(StrCat("AttrValue does not support ", what)); }

}  // namespace

void BindAttrValue(nb::module_& m) {
  nb::class_<PyAttrValue> c(m, "_AttrValue", "One attribute value with its kind.");
  c.def("__init__", [](PyAttrValue* self) { new (self) PyAttrValue{}; });
  auto text = [](nb::handle h) { return std::string(Text(h)); };
  auto yes = [](nb::handle h) { return h.ptr() == Py_True; };
  DefScalar<std::string>(c, "set_string", "get_string", "a str", IsText, text);
  DefScalar<float>(c, "set_float", "get_float", "a float or an int", IsNumber, FloatOf);
  DefScalar<bool>(c, "set_bool", "get_bool", "a bool", IsBool, yes);
  DefScalar<int64_t>(c, "set_int", "get_int", "an int", IsInt, WrappedInt);
  DefScalar<ir::DataType>(c, "set_data_type", "get_data_type", "a DataType", IsDataType, TypeOf);
  DefScalar<ir::TensorPtr>(
      c, "set_tensor", "get_tensor", "a Tensor", [](nb::handle h) { return As<PyTensor>(h) != nullptr; },
      [](nb::handle h) { return std::get<ir::TensorPtr>(AttrFromPython(h)); });
  DefList<std::string>(c, "set_list_string", "get_list_string", "a list of str", IsText, text);
  DefList<float>(c, "set_list_float", "get_list_float", "a list of floats or ints", IsNumber, FloatOf);
  DefList<bool>(c, "set_list_bool", "get_list_bool", "a list of bool", IsBool, yes);
  DefList<int64_t>(c, "set_list_int", "get_list_int", "a list of int", IsInt, WrappedInt);
  DefList<ir::DataType>(c, "set_list_data_type", "get_list_data_type", "a list of DataType", IsDataType, TypeOf);
  c.def_prop_ro("value_type", &Kind)
      .def("get_value_type", &Kind)
      .def("get_value", &Value)
      .def("set_value", [](PyAttrValue& self, nb::handle value) { Store(self, AttrFromPython(value)); },
           nb::arg("value").none())
      .def_prop_ro("_av_ptr", [](const PyAttrValue& self) { return reinterpret_cast<uintptr_t>(&self.value); })
      .def_prop_ro("_value_type", &Kind)
      .def_prop_ro("_cached_value",
                   [](const PyAttrValue& self) { return self.cached.is_valid() ? self.cached : nb::none(); })
      .def("__str__", &Repr)
      .def("__repr__", &Repr)
      .def("__copy__", [](const PyAttrValue&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const PyAttrValue&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
}

}  // namespace ge::bridge
