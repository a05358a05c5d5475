#include "abi3_bridge/native/tensor.h"

#include <fstream>
#include <iterator>

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/half.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using ir::DataType;

constexpr int kHost = 0;
constexpr int kDevice = 1;

template <typename T>
void Append(std::vector<uint8_t>* out, T value) {
  const auto* p = reinterpret_cast<const uint8_t*>(&value);
  out->insert(out->end(), p, p + sizeof value);
}

double NumberOrRaise(nb::handle h) {
  double v = PyFloat_AsDouble(h.ptr());
  if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
  return v;
}

// int(x) for whatever Python object x is, wrapped to 64 bits.
int64_t WholeOrRaise(nb::handle h) {
  if (IsInt(h)) return WrappedInt(h);
  nb::object whole = nb::steal(PyNumber_Long(h.ptr()));
  if (!whole.is_valid()) nb::raise_python_error();
  return WrappedInt(whole);
}

[[noreturn]] void RaiseNotCreated(std::string_view why) { RaiseRuntimeError(StrCat("Failed to create Tensor: ", why)); }

bool Creatable(DataType t) {
  switch (t) {
    case DataType::kFloat:
    case DataType::kFloat16:
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kUint32:
    case DataType::kUint64:
    case DataType::kBool:
      return true;
    default:
      return false;
  }
}

std::vector<uint8_t> BytesOfList(nb::handle list, DataType type) {
  auto n = static_cast<size_t>(PyList_Size(list.ptr()));
  bool all_bool = true;
  for (size_t i = 0; i < n && all_bool; ++i) all_bool = IsBool(PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i)));
  std::vector<uint8_t> out;
  out.reserve(n * 8);
  for (size_t i = 0; i < n; ++i) {
    nb::handle item = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
    if (all_bool && type == DataType::kBool) {
      Append<uint8_t>(&out, item.ptr() == Py_True);
      continue;
    }
    switch (type) {
      case DataType::kInt8:
      case DataType::kUint8: Append(&out, static_cast<uint8_t>(WholeOrRaise(item))); break;
      case DataType::kInt16:
      case DataType::kUint16: Append(&out, static_cast<uint16_t>(WholeOrRaise(item))); break;
      case DataType::kInt32:
      case DataType::kUint32: Append(&out, static_cast<uint32_t>(WholeOrRaise(item))); break;
      case DataType::kInt64:
      case DataType::kUint64: Append(&out, WholeOrRaise(item)); break;
      case DataType::kFloat: Append(&out, static_cast<float>(NumberOrRaise(item))); break;
      case DataType::kFloat16: Append(&out, HalfFromDouble(NumberOrRaise(item))); break;
      default:
        RaiseNotCreated(StrCat("expected bool elements for data type '", ir::Name(type), "', found '", Shown(item),
                               "'; give True and False only"));
    }
  }
  return out;
}

std::vector<uint8_t> BytesOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) RaiseNotCreated(StrCat("file '", path, "' cannot be read; check the path"));
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

void Init(PyTensor* self, nb::handle data, nb::handle file_path, nb::handle data_type, nb::handle format,
          nb::handle shape, nb::handle placement) {
  ir::Shape dims = ShapeOrRaise(shape, "Shape must be a list of integers");
  int place = kHost;
  if (!IsAbsent(placement) && !ReadPlacement(placement, &place)) RaiseTypeError("Placement must be a Placement");
  if (!data.is_none() && !file_path.is_none()) {
    RaiseRuntimeError("Tensor should be created either by data or by file");
  }
  auto tensor = std::make_shared<ir::Tensor>();
  tensor->desc = ir::TensorDesc({}, DataType::kFloat);
  if (!data.is_none() || !file_path.is_none()) {
    DataType type = DataType::kFloat;
    ir::Format layout = ir::Format::kND;
    if (!data.is_none() && !IsList(data)) RaiseTypeError("data should be List");
    if (!IsAbsent(data_type) && !ReadDataType(data_type, &type)) RaiseTypeError("Data_type must be a DataType");
    if (!IsAbsent(format) && !ReadFormat(format, &layout)) RaiseTypeError("Format must be a Format");
    if (!data.is_none() && type == DataType::kDouble) {
      RaiseRuntimeError("DT_DOUBLE is not supported in python Tensor constructor");
    }
    if (!Creatable(type)) RaiseNotCreated(StrCat("data type '", ir::Name(type), "' cannot be made from Python values"));
    bool from_file = data.is_none();
    if (from_file && !IsText(file_path)) RaiseTypeError("file_path must be a string");
    std::vector<uint8_t> bytes = from_file ? BytesOfFile(std::string(Text(file_path))) : BytesOfList(data, type);
    int64_t elements = dims.NumElements();
    if (elements < 0) RaiseNotCreated(StrCat("expected a shape of known sizes, found '", dims.ToString(), "'"));
    auto wanted = static_cast<size_t>(ir::ByteSize(type, elements));
    if (from_file && (bytes.empty() || bytes.size() < wanted)) {
      RaiseNotCreated(StrCat("expected ", wanted, " bytes in file '", Text(file_path), "', found ", bytes.size()));
    }
    // The GE API takes as many elements as the shape has, whatever was given; what is missing reads as zero.
    bytes.resize(wanted);
    tensor->desc = ir::TensorDesc(std::move(dims), type, layout);
    tensor->data = ir::Buffer::Of(std::move(bytes));
  }
  new (self) PyTensor{std::move(tensor), kHost, {}};
  self->placement = place;
}

nb::object Element(const ir::Tensor& t, size_t i) {
  switch (t.desc.dtype) {
    case DataType::kFloat: return nb::float_(t.At<float>(i));
    case DataType::kDouble: return nb::float_(t.At<double>(i));
    case DataType::kFloat16: return nb::float_(FloatFromHalf(t.At<uint16_t>(i)));
    case DataType::kBf16: return nb::float_(FloatFromBf16(t.At<uint16_t>(i)));
    case DataType::kInt8: return nb::int_(t.At<int8_t>(i));
    case DataType::kUint8: return nb::int_(t.At<uint8_t>(i));
    case DataType::kInt16: return nb::int_(t.At<int16_t>(i));
    case DataType::kUint16: return nb::int_(t.At<uint16_t>(i));
    case DataType::kInt32: return nb::int_(t.At<int32_t>(i));
    case DataType::kUint32: return nb::int_(t.At<uint32_t>(i));
    case DataType::kInt64: return nb::int_(t.At<int64_t>(i));
    case DataType::kUint64: return nb::int_(t.At<uint64_t>(i));
    case DataType::kBool: return nb::bool_(t.At<uint8_t>(i) != 0);
    case DataType::kString: return NewText(t.strings[i]);
    default:
      RaiseRuntimeError(StrCat("Failed to get Tensor data: elements of data type '", ir::Name(t.desc.dtype),
                               "' have no Python form"));
  }
}

nb::object Nested(const ir::Tensor& t, size_t dim, size_t* next) {
  if (dim == t.desc.shape.rank()) return Element(t, (*next)++);
  nb::list out;
  for (int64_t i = 0; i < t.desc.shape[dim]; ++i) out.append(Nested(t, dim + 1, next));
  return out;
}

nb::object Data(const PyTensor& self) {
  const ir::Tensor& t = *self.tensor;
  int64_t elements = t.desc.shape.NumElements();
  if (t.desc.dtype == DataType::kString) {
    if (elements != static_cast<int64_t>(t.strings.size())) elements = -1;
  } else if (elements >= 0 && t.data.size() == 0) {
    return nb::list();  // a Tensor() without a value
  } else if (elements >= 0 && static_cast<int64_t>(t.data.size()) < ir::ByteSize(t.desc.dtype, elements)) {
    elements = -1;
  }
  if (elements < 0) {
    RaiseRuntimeError(StrCat("Failed to get Tensor data: ", t.data.size(), " bytes do not fill shape '",
                             t.desc.shape.ToString(), "' of data type '", ir::Name(t.desc.dtype), "'"));
  }
  size_t next = 0;
  return Nested(t, 0, &next);
}

// The elements as a NumPy array of its own; for types that NumPy lacks, of the raw integers.
nb::object Array(const PyTensor& self, nb::handle dtype) {
  const ir::Tensor& t = *self.tensor;
  const char* code = nullptr;
  switch (t.desc.dtype) {
    case DataType::kFloat: code = "<f4"; break;
    case DataType::kDouble: code = "<f8"; break;
    case DataType::kFloat16: code = "<f2"; break;
    case DataType::kInt8: code = "<i1"; break;
    case DataType::kInt16: code = "<i2"; break;
    case DataType::kInt32: code = "<i4"; break;
    case DataType::kInt64: code = "<i8"; break;
    case DataType::kUint8: code = "<u1"; break;
    case DataType::kBf16:
    case DataType::kUint16: code = "<u2"; break;
    case DataType::kUint32: code = "<u4"; break;
    case DataType::kUint64: code = "<u8"; break;
    case DataType::kBool: code = "?"; break;
    default: RaiseTypeError(StrCat("a Tensor of data type '", ir::Name(t.desc.dtype), "' has no NumPy form"));
  }
  int64_t elements = t.desc.shape.NumElements();
  if (elements < 0 || static_cast<int64_t>(t.data.size()) < ir::ByteSize(t.desc.dtype, elements)) {
    RaiseValueError(StrCat("a Tensor of ", t.data.size(), " bytes does not fill shape '", t.desc.shape.ToString(), "'"));
  }
  nb::bytes raw(t.data.data(), static_cast<size_t>(ir::ByteSize(t.desc.dtype, elements)));
  nb::object flat = nb::module_::import_("numpy").attr("frombuffer")(raw, code);
  nb::object array = flat.attr("reshape")(NewShape(t.desc.shape));
  return dtype.is_none() ? nb::object(array.attr("copy")()) : nb::object(array.attr("astype")(dtype));
}

// A relabelled copy: tensors are shared with graphs and never changed in place. The bytes are not copied.
template <typename Fn>
void Relabel(PyTensor& self, Fn change) {
  auto copy = std::make_shared<ir::Tensor>(*self.tensor);
  change(copy->desc);
  self.tensor = std::move(copy);
}

nb::object ToString(const PyTensor& self) {
  const ir::TensorDesc& d = self.tensor->desc;
  constexpr std::string_view kIndent = "        ";
  return NewText(StrCat("\n", kIndent, "Tensor format is ", static_cast<int>(d.format), ",\n", kIndent, "data_type is ",
                static_cast<int>(d.dtype), ",\n", kIndent, "shape is ", Shown(NewShape(d.shape)), ",\n", kIndent,
                "data is ", Shown(Data(self)), "\n", kIndent));
}

void TakeForAttr(PyTensor& self, nb::handle builder) {
  if (self.owner.is_valid()) {
    RaiseRuntimeError(StrCat("Tensor already has an new owner builder :", Shown(self.owner.attr("name")),
                             ", cannot transfer ownership again"));
  }
  self.owner = nb::borrow(builder);
}

[[noreturn]] void NoCopy(const char* what) { RaiseRuntimeError(StrCat("Tensor does not support ", what)); }

}  // namespace

nb::object NewTensor(ir::TensorPtr tensor) { return nb::cast(PyTensor{std::move(tensor), kHost, {}}); }

void BindTensor(nb::module_& m) {
  auto format = [](const PyTensor& t) { return Member(t.tensor->desc.format); };
  auto data_type = [](const PyTensor& t) { return Member(t.tensor->desc.dtype); };
  auto shape = [](const PyTensor& t) { return NewShape(t.tensor->desc.shape); };
  auto placement = [](const PyTensor& t) { return PlacementMember(t.placement); };

  nb::class_<PyTensor>(m, "Tensor", "A tensor value: shape, layout, element type and elements.")
      .def("__init__", &Init, "data"_a = nb::none(), "file_path"_a = nb::none(), "data_type"_a.none() = Absent(),
           "format"_a.none() = Absent(), "shape"_a = nb::none(), "placement"_a.none() = Absent(),
           nb::sig("def __init__(self, data: Optional[list] = None, file_path: Optional[str] = None, "
                   "data_type: Optional[DataType] = DataType.DT_FLOAT, format: Optional[Format] = Format.FORMAT_ND, "
                   "shape: Optional[List[int]] = None, placement: Optional[Placement] = Placement.PLACEMENT_HOST) "
                   "-> None"))
      .def_prop_ro("format", format)
      .def_prop_ro("data_type", data_type)
      .def_prop_ro("shape", shape)
      .def_prop_ro("data", &Data)
      .def_prop_ro("placement", placement)
      .def("get_format", format)
      .def("get_data_type", data_type)
      .def("get_shape", shape)
      .def("get_data", &Data, "Elements as nested lists that follow the shape; a scalar is one number.")
      .def("get_placement", placement)
      .def("get_tensor_desc", [](const PyTensor& t) { return t.tensor->desc; })
      .def(
          "set_format",
          [](PyTensor& t, nb::handle h) -> PyTensor& {
            ir::Format f;
            if (!ReadFormat(h, &f)) RaiseTypeError("Format must be a Format");
            Relabel(t, [f](ir::TensorDesc& d) { d.format = f; });
            return t;
          },
          nb::arg("format").none(), nb::rv_policy::reference)
      .def(
          "set_data_type",
          [](PyTensor& t, nb::handle h) -> PyTensor& {
            DataType type;
            if (!ReadDataType(h, &type)) RaiseTypeError("Data_type must be a DataType");
            Relabel(t, [type](ir::TensorDesc& d) { d.dtype = type; });
            return t;
          },
          nb::arg("data_type").none(), nb::rv_policy::reference)
      .def(
          "to_device",
          [](PyTensor& t) -> PyTensor& {
            if (t.placement != kHost) RaiseValueError("to_device() only supports host tensors");
            t.placement = kDevice;
            return t;
          },
          nb::rv_policy::reference)
      .def(
          "to_host",
          [](PyTensor& t) -> PyTensor& {
            if (t.placement != kDevice) RaiseValueError("to_host() only supports device tensors");
            t.placement = kHost;
            return t;
          },
          nb::rv_policy::reference)
      .def("_transfer_ownership_when_pass_as_attr", &TakeForAttr, "new_owner"_a)
      .def_prop_ro("_owns_handle", [](const PyTensor& t) { return !t.owner.is_valid(); })
      .def_prop_ro("_owner", [](const PyTensor& t) { return t.owner.is_valid() ? t.owner : nb::none(); })
      .def(
          "__array__", [](const PyTensor& t, nb::handle dtype, nb::handle) { return Array(t, dtype); },
          "dtype"_a = nb::none(), "copy"_a = nb::none(), "numpy.asarray(tensor)")
      .def("__str__", &ToString)
      .def("__copy__", [](const PyTensor&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const PyTensor&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
}

}  // namespace ge::bridge
