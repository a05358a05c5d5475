#include "abi3_bridge/custom_op_native/runtime_attrs.h"

#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"
#include "custom_op/precise_float.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

const ir::AttrValue& At(const PyRuntimeAttrs& attrs, size_t index) {
  if (!attrs.lease->valid) RaiseExpired("attributes");
  if (index >= attrs.node->attrs.size()) {
    RaiseRuntimeError(StrCat("attribute ", index, " of node '", attrs.node->name, "' cannot be read: operator '",
                             attrs.node->type.view(), "' has ", attrs.node->attrs.size(), " attribute(s)"));
  }
  const ir::AttrValue* value = attrs.node->attrs[index];
  if (value == nullptr) {
    RaiseRuntimeError(StrCat("attribute '", attrs.node->def->attrs()[index].name.view(), "' of node '", attrs.node->name,
                             "' is required and not set"));
  }
  return *value;
}

template <typename T>
const T& Read(const PyRuntimeAttrs& attrs, size_t index, const char* kind) {
  if (const T* value = std::get_if<T>(&At(attrs, index))) return *value;
  RaiseRuntimeError(StrCat("attribute '", attrs.node->def->attrs()[index].name.view(), "' of node '", attrs.node->name,
                           "' is no ", kind));
}

template <typename T, typename Fn>
nb::list ListOf(const std::vector<T>& values, Fn convert) {
  nb::list out;
  for (size_t i = 0; i < values.size(); ++i) out.append(convert(values[i]));
  return out;
}

nb::object IntList(const std::vector<int64_t>& values) {
  return ListOf(values, [](int64_t v) { return nb::int_(v); });
}

nb::object TensorAttr(const PyRuntimeAttrs& attrs, size_t index) {
  const ir::TensorPtr& value = Read<ir::TensorPtr>(attrs, index, "tensor");
  if (value == nullptr) RaiseRuntimeError(StrCat("attribute ", index, " of node '", attrs.node->name, "' has no tensor"));
  return nb::cast(PyRuntimeTensor(custom_op::ConstTensor(value), attrs.lease), nb::rv_policy::move);
}

}  // namespace

nb::object NewRuntimeAttrs(const custom_op::NodeInfo& node, const LeasePtr& lease) {
  if (node.def == nullptr) {
    RaiseRuntimeError(StrCat("attributes of node '", node.name, "' cannot be read: operator '", node.type.view(),
                             "' has no prototype; declare it with register_op"));
  }
  return nb::cast(PyRuntimeAttrs{&node, lease}, nb::rv_policy::move);
}

void BindRuntimeAttrs(nb::module_& m) {
  using A = PyRuntimeAttrs;
  nb::class_<A>(m, "RuntimeAttrs", "Attributes of the callback's node, by their place in the prototype.")
      .def("get_attr_num",
           [](const A& a) {
             if (!a.lease->valid) RaiseExpired("attributes");
             return a.node->attrs.size();
           })
      .def("get_int", [](const A& a, size_t i) { return Read<int64_t>(a, i, "int"); }, "index"_a)
      .def("get_float",
           [](const A& a, size_t i) {
             const float value = Read<float>(a, i, "float");
             return custom_op::PreciseFloat(*a.node, i, value);
           },
           "index"_a)
      .def("get_bool", [](const A& a, size_t i) { return Read<bool>(a, i, "bool"); }, "index"_a)
      .def("get_str", [](const A& a, size_t i) { return NewText(Read<std::string>(a, i, "string")); }, "index"_a)
      .def("get_data_type", [](const A& a, size_t i) { return Member(Read<ir::DataType>(a, i, "data type")); }, "index"_a)
      .def("get_tensor", &TensorAttr, "index"_a)
      .def("get_list_int", [](const A& a, size_t i) { return IntList(Read<std::vector<int64_t>>(a, i, "list of ints")); },
           "index"_a)
      .def("get_list_float",
           [](const A& a, size_t i) {
             const auto& values = Read<std::vector<float>>(a, i, "list of floats");
             nb::list out;
             for (double v : custom_op::PreciseFloats(*a.node, i, values)) out.append(nb::float_(v));
             return out;
           },
           "index"_a)
      .def("get_list_bool",
           [](const A& a, size_t i) {
             nb::list out;
             for (bool v : Read<std::vector<bool>>(a, i, "list of bools")) out.append(nb::bool_(v));
             return out;
           },
           "index"_a)
      .def("get_list_str",
           [](const A& a, size_t i) {
             return ListOf(Read<std::vector<std::string>>(a, i, "list of strings"),
                           [](const std::string& v) { return NewText(v); });
           },
           "index"_a)
      .def("get_list_data_type",
           [](const A& a, size_t i) {
             return ListOf(Read<std::vector<ir::DataType>>(a, i, "list of data types"),
                           [](ir::DataType v) { return Member(v); });
           },
           "index"_a)
      .def("get_list_list_int",
           [](const A& a, size_t i) {
             return ListOf(Read<std::vector<std::vector<int64_t>>>(a, i, "list of lists of ints"), IntList);
           },
           "index"_a);
}

}  // namespace ge::bridge
