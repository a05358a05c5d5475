#include "abi3_bridge/native/tensor.h"

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/raw_handle.h"
#include "abi3_bridge/native/small_float.h"
#include "abi3_bridge/native/tensor_array.h"
#include "abi3_bridge/native/tensor_elements.h"
#include "abi3_bridge/native/tensor_make.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using ir::DataType;

// `failed` is what could not be done.
const ir::TensorPtr& Held(const PyTensor& self, std::string_view failed) {
  if (self.tensor == nullptr) {
    RaiseRuntimeError(StrCat(failed, ": tensor handle has expired: it was taken away; make a new Tensor"));
  }
  return self.tensor;
}

const ir::TensorDesc& Desc(const PyTensor& self) { return Held(self, "Failed to read Tensor")->desc; }

nb::object Data(const PyTensor& self) { return NestedElements(*Held(self, "Failed to get Tensor data")); }

nb::object AsNumpy(const PyTensor& self, nb::handle dtype, nb::handle copy) {
  nb::object array = NumpyOf(Held(self, "Failed to get Tensor data"));
  if (!dtype.is_none()) {
    nb::object same = array.attr("dtype").attr("__eq__")(dtype);
    if (same.ptr() != Py_True) {
      if (copy.ptr() == Py_False) RaiseValueError("a Tensor of another element type cannot be converted without a copy");
      return array.attr("astype")(dtype);
    }
  }
  return copy.ptr() == Py_True ? nb::object(array.attr("copy")()) : array;
}

// A relabelled copy: tensors are shared with graphs and never changed in place. The bytes are not copied.
template <typename Fn>
void Relabel(PyTensor& self, Fn change) {
  auto copy = std::make_shared<ir::Tensor>(*self.tensor);
  change(copy->desc);
  self.tensor = std::move(copy);
}

PyTensor& SetFormat(PyTensor& self, nb::handle format) {
  ir::Format f;
  if (!ReadFormat(format, &f)) RaiseTypeError("Format must be a Format");
  Held(self, StrCat("Failed to set format ", static_cast<int>(f)));
  Relabel(self, [f](ir::TensorDesc& d) { d.format = f; });
  return self;
}

PyTensor& SetDataType(PyTensor& self, nb::handle data_type) {
  DataType type;
  if (!ReadDataType(data_type, &type)) RaiseTypeError("Data_type must be a DataType");
  Held(self, StrCat("Failed to set datatype ", static_cast<int>(type)));
  Relabel(self, [type](ir::TensorDesc& d) { d.dtype = type; });
  return self;
}

nb::object ToString(const PyTensor& self) {
  const ir::TensorDesc& d = Desc(self);
  constexpr std::string_view kIndent = "        ";
  return NewText(StrCat("\n", kIndent, "Tensor format is ", static_cast<int>(d.format), ",\n", kIndent, "data_type is ",
                        static_cast<int>(d.dtype), ",\n", kIndent, "shape is ", Shown(NewShape(d.shape)), ",\n", kIndent,
                        "data is ", Shown(Data(self)), "\n", kIndent));
}

nb::object Repr(const PyTensor& self) {
  if (self.tensor == nullptr) return NewText(StrCat("<ge.graph.Tensor, ", kExpired, ">"));
  const ir::TensorDesc& d = self.tensor->desc;
  return NewText(StrCat("<ge.graph.Tensor, shape ", d.shape.ToString(), ", ", ir::Name(d.dtype), ">"));
}

void TakeForAttr(PyTensor& self, nb::handle builder) {
  if (self.owner.is_valid()) {
    RaiseRuntimeError(StrCat("Tensor already has an new owner builder :", Shown(self.owner.attr("name")),
                             ", cannot transfer ownership again"));
  }
  Held(self, "Failed to hand Tensor over");
  self.owner = nb::borrow(builder);
  self.owns = false;
}

nb::object HandleOf(const PyTensor& self) {
  if (self.tensor == nullptr) return nb::none();
  return NewRawHandle(NewTensor(self.tensor), self.tensor.get());
}

void SetHandle(PyTensor& self, nb::handle handle) {
  self.tensor = PyObject_IsTrue(handle.ptr()) == 1 ? TargetOrRaise<PyTensor>(handle, "Tensor").tensor : nullptr;
}

[[noreturn]] void NoCopy(const char* what) { RaiseRuntimeError(StrCat("Tensor does not support ", what)); }

void BindPrivate(nb::class_<PyTensor>& c) {
  c.def_prop_rw("_handle", &HandleOf, &SetHandle, nb::for_setter(nb::arg("handle").none()))
      .def_prop_rw(
          "_owns_handle", [](const PyTensor& t) { return t.owns; }, [](PyTensor& t, bool owns) { t.owns = owns; })
      .def_prop_ro("_owner", [](const PyTensor& t) { return t.owner.is_valid() ? t.owner : nb::none(); })
      .def_static(
          "_create_from",
          [](nb::handle handle) { return NewTensor(TargetOrRaise<PyTensor>(handle, "Tensor").tensor); },
          nb::arg("handle").none())
      .def("_transfer_ownership_when_pass_as_attr", &TakeForAttr, "new_owner"_a);
}

}  // namespace

nb::object NewTensor(ir::TensorPtr tensor) { return nb::cast(PyTensor{std::move(tensor)}); }

void RaiseNoDevice() {
  RaiseRuntimeError("failed to move a tensor to the device: there is no device runtime in this process; keep it in "
                    "PLACEMENT_HOST");
}

void BindTensor(nb::module_& m) {
  auto format = [](const PyTensor& t) { return Member(Desc(t).format); };
  auto data_type = [](const PyTensor& t) { return Member(Desc(t).dtype); };
  auto shape = [](const PyTensor& t) { return NewShape(Desc(t).shape); };
  auto placement = [](const PyTensor& t) { return Desc(t), PlacementMember(t.placement); };

  nb::class_<PyTensor> c(
      m, "Tensor", nb::is_weak_referenceable(),
      "A tensor value: shape, layout, element type and elements.\n\n"
      "Made of a (nested) list, of an array (NumPy, DLPack, buffer protocol), of a file of raw elements, or empty. Without\n"
      "`shape` that of the list or array is taken; a flat list of one element is a scalar. An array also brings its element\n"
      "type, and a contiguous one is not copied: the tensor shows later changes of it, so leave it alone afterwards.\n"
      "`numpy.asarray(tensor)` is a read-only view of the tensor's own memory.\n\n"
      "Raises:\n"
      "    TypeError: an argument of another type.\n"
      "    RuntimeError: both data and file, a number of elements that is not that of the shape, a file too short.");
  c.def("__init__", &InitTensor, "data"_a = nb::none(), "file_path"_a = nb::none(), "data_type"_a.none() = Absent(),
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
      .def("get_tensor_desc", [](const PyTensor& t) { return Desc(t); })
      .def("set_format", &SetFormat, "format"_a.none(), nb::rv_policy::reference)
      .def("set_data_type", &SetDataType, "data_type"_a.none(), nb::rv_policy::reference,
           "Relabels the elements; their bytes stay.")
      .def("to_device", [](PyTensor& t) { return Desc(t), RaiseNoDevice(); })
      .def("to_host",
           [](PyTensor& t) {
             Desc(t);
             RaiseValueError("to_host() only supports device tensors");
           })
      .def("__array__", &AsNumpy, "dtype"_a = nb::none(), "copy"_a = nb::none(),
           "numpy.asarray(tensor): a read-only view, unless NumPy lacks the element type.")
      .def(
          "__dlpack__",
          [](const PyTensor& t, nb::kwargs options) {
            return nb::object(DlpackOf(Held(t, "Failed to get Tensor data")).attr("__dlpack__")(**options));
          },
          "options"_a)
      .def("__dlpack_device__",
           [](const PyTensor& t) { return DlpackOf(Held(t, "Failed to get Tensor data")).attr("__dlpack_device__")(); })
      .def("__repr__", &Repr)
      .def("__str__", &ToString)
      .def("__copy__", [](const PyTensor&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const PyTensor&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
  BindPrivate(c);

  // ge.graph._numeric.
  m.def("float_to_fp16_bits", [](double value) { return EncodeSmallFloat(*SmallFloatOf(DataType::kFloat16), value); });
}

}  // namespace ge::bridge
