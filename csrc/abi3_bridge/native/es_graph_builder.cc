// ge.es.GraphBuilder.
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_builder.h"
#include "abi3_bridge/native/es_scopes.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using Self = nb::pointer_and_handle<Builder>;
using ir::DataType;

nb::object MadeBy(const Self& self, ir::Node* node) {
  self.p->ApplyScopes(node);
  return NewHolder(self.h, self.p, {node, 0});
}

TensorHolder& HolderOrRaise(nb::handle h, const char* type_error) {
  TensorHolder* holder = HolderOf(h);
  if (holder == nullptr) RaiseTypeError(type_error);
  return *holder;
}
constexpr const char* kTensor = "Tensor must be a TensorHolder";

// ---- inputs ---------------------------------------------------------------------------------------------------------

ir::TensorDesc ScalarFloatDesc() { return ir::TensorDesc({}, DataType::kFloat); }

nb::object CreateInput(Self self, nb::handle index) {
  self.p->RequireOpen("create input");
  int64_t i = IntOrRaise(index, "Input index must be an integer");
  return MadeBy(self, self.p->AddInput(i, ir::Common().Data, {}, ScalarFloatDesc()));
}

nb::object CreateInputWith(Self self, nb::handle index, nb::handle name, nb::handle type_str, nb::handle data_type,
                           nb::handle format, nb::handle shape) {
  self.p->RequireOpen("create input");
  int64_t i = IntOrRaise(index, "Input index must be an integer");
  ir::TensorDesc desc = ScalarFloatDesc();
  desc.shape = ShapeOrRaise(shape, "Shape must be a list of integers");
  std::string_view text = name.is_none() ? std::string_view() : TextOrRaise(name, "Input name must be a string");
  ir::Symbol type = ir::Common().Data;
  if (!IsAbsent(type_str)) {
    nb::object value = type_str.attr("value");
    type = ir::Symbol(TextOrRaise(value, "type_str must be an InputType"));
  }
  if (!IsAbsent(data_type) && !ReadDataType(data_type, &desc.dtype)) {
    Raise(PyExc_AttributeError, StrCat("data_type must be a DataType, found '", Shown(data_type), "'"));
  }
  if (!IsAbsent(format) && !ReadFormat(format, &desc.format)) {
    Raise(PyExc_AttributeError, StrCat("format must be a Format, found '", Shown(format), "'"));
  }
  desc.origin_format = desc.format;
  return MadeBy(self, self.p->AddInput(i, type, text, std::move(desc)));
}

nb::object CreateInputs(Self self, nb::handle num, nb::handle start_index) {
  self.p->RequireOpen("create inputs");
  if (!IsInt(num) || WrappedInt(num) <= 0) RaiseTypeError("Number of inputs must be a positive integer");
  if (!IsInt(start_index) || WrappedInt(start_index) < 0) {
    RaiseTypeError("Start index must be a non-negative integer");
  }
  nb::list out;
  int64_t start = WrappedInt(start_index);
  for (int64_t i = start; i < start + WrappedInt(num); ++i) {
    out.append(MadeBy(self, self.p->AddInput(i, ir::Common().Data, {}, ScalarFloatDesc())));
  }
  return out;
}

// ---- constants ------------------------------------------------------------------------------------------------------

constexpr const char* kInteger = "Value must be an integer";

nb::object MakeConst(const Self& self, ir::TensorPtr tensor) {
  return MadeBy(self, self.p->AddConst(std::move(tensor)));
}

template <typename T>
ir::TensorPtr OneNumber(DataType type, T value) {
  if constexpr (std::is_same_v<T, float>) {
    return FloatScalar(value);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return Int64Scalar(value);
  } else {
    return ir::MakeTensor<T>(type, {}, std::span(&value, 1));
  }
}

// One number with the range checks of the unsigned kinds.
template <typename T>
T ScalarOrRaise(nb::handle value) {
  if constexpr (std::is_same_v<T, float>) {
    if (!IsFloat(value) && !IsInt(value)) RaiseTypeError("Value must be a float");
    double v = PyFloat_AsDouble(value.ptr());
    if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
    return static_cast<float>(v);
  } else {
    if (!IsInt(value)) RaiseTypeError(kInteger);
    if constexpr (std::is_unsigned_v<T>) {
      nb::object zero = nb::int_(0);
      bool negative = PyObject_RichCompareBool(value.ptr(), zero.ptr(), Py_LT) == 1;
      if constexpr (sizeof(T) == 8) {
        if (negative) RaiseValueError("Value must be non-negative for uint64");
      } else {
        nb::object most = nb::int_(std::numeric_limits<T>::max());
        if (negative || PyObject_RichCompareBool(value.ptr(), most.ptr(), Py_GT) == 1) {
          RaiseValueError(StrCat("Value must be in range 0 to ", int64_t{std::numeric_limits<T>::max()},
                                 " for uint32, found ", Shown(value)));
        }
      }
    }
    return static_cast<T>(WrappedInt(value));
  }
}

template <typename T>
T ElementOrRaise(nb::handle value, const char* type_error) {
  if constexpr (std::is_same_v<T, float>) {
    if (!IsFloat(value) && !IsInt(value)) RaiseTypeError(type_error);
    double v = PyFloat_AsDouble(value.ptr());
    if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
    return static_cast<float>(v);
  } else {
    return static_cast<T>(IntOrRaise(value, type_error));
  }
}

// Whether the product of the dims is `size`; a product past 64 bits is none.
bool HasSize(const std::vector<int64_t>& dims, size_t size) {
  int64_t product = 1;
  for (int64_t d : dims) {
    if (d < 0 || __builtin_mul_overflow(product, d, &product)) return false;
  }
  return product == static_cast<int64_t>(size);
}

template <typename T, DataType kType>
nb::object CreateConst(Self self, nb::handle value, nb::handle shape) {
  self.p->RequireOpen("create constant");
  constexpr const char* kBadValue = std::is_same_v<T, float> ? "Value must be a float or list of floats"
                                                             : "Value must be an integer or list of integers";
  std::vector<T> values;
  std::vector<int64_t> dims;
  bool scalar = !IsList(value);
  // Not the list itself: what converts its items may change it.
  nb::object items = scalar ? nb::object() : nb::steal(PyList_AsTuple(value.ptr()));
  if (!scalar) {
    Py_ssize_t n = PyTuple_Size(items.ptr());
    for (Py_ssize_t i = 0; i < n; ++i) {
      values.push_back(ElementOrRaise<T>(PyTuple_GetItem(items.ptr(), i), kBadValue));
    }
    dims.push_back(n);
  } else {
    values.push_back(ElementOrRaise<T>(value, kBadValue));
  }
  if (!shape.is_none() && !ReadInts(shape, &dims)) RaiseTypeError("Shape must be a list of integers");
  if (dims.empty() && values.size() == 1) {
    nb::object only = scalar ? nb::borrow(value) : nb::borrow(PyTuple_GetItem(items.ptr(), 0));
    return MakeConst(self, OneNumber<T>(kType, ScalarOrRaise<T>(only)));
  }
  if (!HasSize(dims, values.size())) {
    RaiseValueError(StrCat("Value count (", values.size(), ") doesn't match shape [", Join(dims, ", "), "]"));
  }
  return MakeConst(self, ir::MakeTensor<T>(kType, ShapeOf(dims), std::span<const T>(values)));
}

template <typename T, DataType kType>
nb::object CreateScalar(Self self, nb::handle value) {
  self.p->RequireOpen("create scalar");
  return MakeConst(self, OneNumber<T>(kType, ScalarOrRaise<T>(value)));
}

nb::object CreateVector(Self self, nb::handle value) {
  self.p->RequireOpen("create vector");
  std::vector<int64_t> values;
  if (!ReadInts(value, &values)) RaiseTypeError("Value must be a list of integers");
  auto n = static_cast<int64_t>(values.size());
  return MakeConst(self, ir::MakeTensor<int64_t>(DataType::kInt64, {n}, std::span<const int64_t>(values)));
}

nb::object CreateVariable(Self self, nb::handle index, nb::handle name) {
  self.p->RequireOpen("create variable");
  int64_t i = IntOrRaise(index, "Index must be an integer");
  return MadeBy(self, self.p->AddVariable(i, TextOrRaise(name, "Name must be a string")));
}

// ---- attributes -----------------------------------------------------------------------------------------------------

constexpr const char* kAttrName = "Attribute name must be a string";

struct AsInt {
  static ir::AttrValue Read(nb::handle v) { return IntOrRaise(v, kInteger); }
};
struct AsText {
  static ir::AttrValue Read(nb::handle v) { return std::string(TextOrRaise(v, "Value must be a string")); }
};
struct AsBool {
  static ir::AttrValue Read(nb::handle v) {
    if (!IsBool(v)) RaiseTypeError("Value must be a boolean");
    return v.ptr() == Py_True;
  }
};

ir::Symbol NameOrRaise(nb::handle attr_name) {
  std::string_view name = TextOrRaise(attr_name, kAttrName);
  if (name.empty()) RaiseRuntimeError("failed to set an attribute: the name is empty");
  return ir::Symbol(name);
}

template <typename As>
void SetGraphAttr(Builder& self, nb::handle attr_name, nb::handle value) {
  self.RequireOpen("set graph attribute");
  TextOrRaise(attr_name, kAttrName);
  ir::AttrValue v = As::Read(value);
  self.graph()->SetGraphAttr(NameOrRaise(attr_name), std::move(v));
}

template <typename As>
void SetTensorAttr(Builder& self, nb::handle tensor, nb::handle attr_name, nb::handle value) {
  self.RequireOpen("set tensor attribute");
  ir::Anchor a = HolderOrRaise(tensor, kTensor).anchor;
  TextOrRaise(attr_name, kAttrName);
  ir::AttrValue v = As::Read(value);
  if (a.node->graph() == nullptr || a.index >= a.node->num_outputs()) {
    RaiseRuntimeError(StrCat("failed to set a tensor attribute: node '", a.node->name(), "' has no such output"));
  }
  a.node->graph()->SetOutputAttr(a.node, a.index, NameOrRaise(attr_name), std::move(v));
}

template <typename As>
void SetNodeAttr(Builder& self, nb::handle tensor, nb::handle attr_name, nb::handle value) {
  self.RequireOpen("set node attribute");
  ir::Node* node = HolderOrRaise(tensor, kTensor).anchor.node;
  TextOrRaise(attr_name, kAttrName);
  ir::AttrValue v = As::Read(value);
  if (node->graph() == nullptr) RaiseRuntimeError("failed to set a node attribute: the node was removed");
  node->graph()->SetAttr(node, NameOrRaise(attr_name), std::move(v));
}

// ---- outputs and the end --------------------------------------------------------------------------------------------

void SetGraphOutput(Builder& self, nb::handle tensor, nb::handle output_index) {
  self.RequireOpen("set graph output");
  TensorHolder& holder = HolderOrRaise(tensor, kTensor);
  int64_t index = IntOrRaise(output_index, "Output index must be an integer");
  // The tensor's own builder gets the output, whichever was asked.
  holder.builder->RequireOpen("set graph output");
  holder.builder->SetOutput(holder.anchor, index);
}

void AddControlDependency(Builder& self, nb::handle dst_tensor, nb::handle src_tensors) {
  self.RequireOpen("add control dependency");
  ir::Node* dst = HolderOrRaise(dst_tensor, "Destination tensor must be a TensorHolder").anchor.node;
  if (!IsList(src_tensors)) RaiseTypeError("Source tensors must be a list of TensorHolder objects");
  std::vector<ir::Node*> sources;
  for (Py_ssize_t i = 0; i < PyList_Size(src_tensors.ptr()); ++i) {
    nb::handle item = PyList_GetItem(src_tensors.ptr(), i);
    sources.push_back(HolderOrRaise(item, "All source tensors must be TensorHolder objects").anchor.node);
  }
  for (ir::Node* src : sources) {
    if (dst->graph() == nullptr || src->graph() != dst->graph() || src == dst) {
      RaiseRuntimeError(StrCat("failed to make node '", dst->name(), "' depend on '", src->name(),
                               "': expected another node of the same graph"));
    }
  }
  for (ir::Node* src : sources) dst->graph()->AddControlEdge(src, dst);
}

nb::object BuildAndReset(Builder& self, nb::handle outputs) {
  self.RequireOpen("build_and_reset");
  std::vector<ir::Anchor> anchors;
  if (!outputs.is_none()) {
    if (!IsList(outputs)) RaiseTypeError("Outputs must be a list");
    Py_ssize_t n = PyList_Size(outputs.ptr());
    anchors.reserve(static_cast<size_t>(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
      nb::handle item = PyList_GetItem(outputs.ptr(), i);
      const TensorHolder& holder = HolderOrRaise(item, "All outputs must be TensorHolder objects");
      if (holder.builder != &self) {
        RaiseRuntimeError(StrCat("failed to build graph '", self.name(), "': output ", i, " ('",
                                 holder.anchor.node->name(), "') was made by another GraphBuilder"));
      }
      anchors.push_back(holder.anchor);
    }
  }
  self.Build(anchors);
  return NewGraph(self.graph());
}

nb::object Repr(const Builder& self) {
  std::string state = self.built() ? "built" : Counted(self.graph()->num_nodes(), "node");
  return NewText(StrCat("<ge.es.GraphBuilder '", self.name(), "', ", state, ">"));
}

[[noreturn]] void NoCopy(const char* what) { RaiseRuntimeError(StrCat("GraphBuilder does not support ", what)); }

void BindConstants(nb::class_<Builder>& c) {
  c.def("create_const_int64", &CreateConst<int64_t, DataType::kInt64>, nb::arg("value").none(),
        "shape"_a = nb::none())
      .def("create_const_int32", &CreateConst<int32_t, DataType::kInt32>, nb::arg("value").none(),
           "shape"_a = nb::none())
      .def("create_const_uint64", &CreateConst<uint64_t, DataType::kUint64>, nb::arg("value").none(),
           "shape"_a = nb::none())
      .def("create_const_uint32", &CreateConst<uint32_t, DataType::kUint32>, nb::arg("value").none(),
           "shape"_a = nb::none())
      .def("create_const_float", &CreateConst<float, DataType::kFloat>, nb::arg("value").none(),
           "shape"_a = nb::none())
      .def("create_vector_int64", &CreateVector, nb::arg("value").none())
      .def("create_scalar_int64", &CreateScalar<int64_t, DataType::kInt64>, nb::arg("value").none())
      .def("create_scalar_int32", &CreateScalar<int32_t, DataType::kInt32>, nb::arg("value").none())
      .def("create_scalar_uint64", &CreateScalar<uint64_t, DataType::kUint64>, nb::arg("value").none())
      .def("create_scalar_uint32", &CreateScalar<uint32_t, DataType::kUint32>, nb::arg("value").none())
      .def("create_scalar_float", &CreateScalar<float, DataType::kFloat>, nb::arg("value").none())
      .def("create_variable", &CreateVariable, nb::arg("index").none(), nb::arg("name").none());
}

void BindBuilderAttrs(nb::class_<Builder>& c) {
  auto name = [] { return nb::arg("attr_name").none(); };
  auto value = [] { return nb::arg("value").none(); };
  auto tensor = [] { return nb::arg("tensor").none(); };
  c.def("set_graph_attr_int64", &SetGraphAttr<AsInt>, name(), value())
      .def("set_graph_attr_string", &SetGraphAttr<AsText>, name(), value())
      .def("set_graph_attr_bool", &SetGraphAttr<AsBool>, name(), value())
      .def("set_tensor_attr_int64", &SetTensorAttr<AsInt>, tensor(), name(), value())
      .def("set_tensor_attr_string", &SetTensorAttr<AsText>, tensor(), name(), value())
      .def("set_tensor_attr_bool", &SetTensorAttr<AsBool>, tensor(), name(), value())
      .def("set_node_attr_int64", &SetNodeAttr<AsInt>, tensor(), name(), value())
      .def("set_node_attr_string", &SetNodeAttr<AsText>, tensor(), name(), value())
      .def("set_node_attr_bool", &SetNodeAttr<AsBool>, tensor(), name(), value());
}

}  // namespace

void BindEsGraphBuilder(nb::module_& m) {
  nb::class_<Builder> c(m, "GraphBuilder", "Builds one graph out of inputs, constants and operators.");
  c.def(
       "__init__",
       [](Builder* self, nb::handle name) {
         std::string_view text = name.is_none() ? "" : TextOrRaise(name, "Graph name must be a string");
         new (self) Builder(text.empty() ? "graph" : text);
       },
       "name"_a = nb::none())
      .def_prop_ro("name", [](const Builder& self) { return NewText(self.name()); })
      // The short form first: patterns and replacements call it for every input.
      .def("create_input", &CreateInput, nb::arg("index").none())
      .def("create_input", &CreateInputWith, nb::arg("index").none(), nb::kw_only(), "name"_a = nb::none(),
           "type_str"_a.none() = Absent(), "data_type"_a.none() = Absent(), "format"_a.none() = Absent(),
           "shape"_a = nb::none(),
           nb::sig("def create_input(self, index: int, *, name: Optional[str] = None, type_str: InputType = "
                   "InputType.DATA, data_type: DataType = DataType.DT_FLOAT, format: Format = Format.FORMAT_ND, "
                   "shape: Optional[List[int]] = None) -> TensorHolder"))
      .def("create_inputs", &CreateInputs, nb::arg("num").none(), nb::arg("start_index").none() = 0)
      .def("set_graph_output", &SetGraphOutput, nb::arg("tensor").none(), nb::arg("output_index").none())
      .def("add_control_dependency", &AddControlDependency, nb::arg("dst_tensor").none(),
           nb::arg("src_tensors").none())
      .def("build_and_reset", &BuildAndReset, "outputs"_a = nb::none(),
           "Ends construction and returns the graph. `outputs`: its outputs in order.")
      .def(
          "_constant",
          [](Self self, nb::handle value) {
            self.p->RequireOpen("create constant");
            return NewHolder(self.h, self.p, ConstantOf(value, *self.p));
          },
          "value"_a, "A number or nested list of numbers as a constant.")
      .def("_apply_scope_infos_to_node",
           [](Builder& self, nb::handle tensor) {
             ir::Node* node = HolderOrRaise(tensor, kTensor).anchor.node;
             if (node->graph() != nullptr) self.ApplyScopes(node);
             return nb::borrow(tensor);
           })
      .def_prop_ro("_is_built", &Builder::built)
      .def_prop_ro("_handle", [](const Builder& self) { return reinterpret_cast<uintptr_t>(&self); })
      .def("__repr__", &Repr)
      .def("__copy__", [](const Builder&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const Builder&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
  BindConstants(c);
  BindBuilderAttrs(c);
  BindEsScopes(m);
}

}  // namespace ge::bridge
