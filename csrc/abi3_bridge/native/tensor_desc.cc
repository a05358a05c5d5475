#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/raw_handle.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using Desc = ir::TensorDesc;

ir::Format FormatOrRaise(nb::handle h) {
  ir::Format format;
  if (!ReadFormat(h, &format)) RaiseTypeError("Format must be a Format");
  return format;
}

ir::DataType DataTypeOrRaise(nb::handle h) {
  ir::DataType type;
  if (!ReadDataType(h, &type)) RaiseTypeError("Data type must be a DataType");
  return type;
}

void Init(Desc* self, nb::handle shape, nb::handle format, nb::handle data_type) {
  ir::Format f = ir::Format::kND;
  ir::DataType t = ir::DataType::kFloat;
  if (!IsAbsent(format)) f = FormatOrRaise(format);
  if (!IsAbsent(data_type)) t = DataTypeOrRaise(data_type);
  ir::Shape s = ShapeOrRaise(shape, "shape must be a list of integers");
  new (self) Desc(std::move(s), t, f);
  self->origin_format = ir::Format::kND;
  self->origin_shape = std::make_shared<const ir::Shape>();
}

// Origin and current values are set apart: an origin that still follows the current shape is fixed first.
void SetShape(Desc& self, nb::handle shape) {
  ir::Shape s = ShapeOrRaise(shape, "shape must be a list of integers");
  if (!self.origin_shape) self.origin_shape = std::make_shared<const ir::Shape>(self.shape);
  self.shape = std::move(s);
}

nb::object Repr(const Desc& self) {
  std::vector<int64_t> dims = self.shape.ApiDims();
  return NewText(StrCat("TensorDesc(shape=[", Join(dims, ", "), "], format=", static_cast<int>(self.format),
                        ", data_type=", static_cast<int>(self.dtype), ")"));
}

[[noreturn]] void NoCopy(const char* what) { RaiseRuntimeError(StrCat("TensorDesc does not support ", what)); }

}  // namespace

void BindTensorDesc(nb::module_& m) {
  auto shape = [](const Desc& d) { return NewShape(d.shape); };
  auto origin_shape = [](const Desc& d) { return NewShape(d.OriginShape()); };
  auto format = [](const Desc& d) { return Member(d.format); };
  auto origin_format = [](const Desc& d) { return Member(d.origin_format); };
  auto data_type = [](const Desc& d) { return Member(d.dtype); };

  nb::class_<Desc> c(m, "TensorDesc", nb::pooled(),
                     "Shape, layout and element type of a tensor, now and as they were in the source model.\n\n"
                     "A desc taken from a node or tensor is a snapshot: give it back with `Node.update_input_desc` or\n"
                     "`Node.update_output_desc` for changes to take effect.");
  c.def("__init__", &Init, nb::arg("shape") = nb::none(), "format"_a.none() = Absent(), "data_type"_a.none() = Absent(),
        nb::sig("def __init__(self, shape: Optional[List[int]] = None, format: Format = Format.FORMAT_ND, "
                "data_type: DataType = DataType.DT_FLOAT) -> None"));
  c.def_prop_ro("shape", shape)
      .def_prop_ro("origin_shape", origin_shape)
      .def_prop_ro("format", format)
      .def_prop_ro("origin_format", origin_format)
      .def_prop_ro("data_type", data_type)
      .def("get_shape", shape)
      .def("get_origin_shape", origin_shape)
      .def("get_format", format)
      .def("get_origin_format", origin_format)
      .def("get_data_type", data_type)
      .def(
          "set_shape", [](Desc& d, nb::handle s) -> Desc& { return SetShape(d, s), d; }, nb::arg("shape").none(),
          nb::rv_policy::reference)
      .def(
          "set_origin_shape",
          [](Desc& d, nb::handle s) -> Desc& {
            d.origin_shape = std::make_shared<const ir::Shape>(
                ShapeOrRaise(s, "origin shape must be a list of integers"));
            return d;
          },
          nb::arg("origin_shape").none(), nb::rv_policy::reference)
      .def(
          "set_format", [](Desc& d, nb::handle f) -> Desc& { return d.format = FormatOrRaise(f), d; },
          nb::arg("format").none(), nb::rv_policy::reference)
      .def(
          "set_origin_format", [](Desc& d, nb::handle f) -> Desc& { return d.origin_format = FormatOrRaise(f), d; },
          nb::arg("origin_format").none(), nb::rv_policy::reference)
      .def(
          "set_data_type", [](Desc& d, nb::handle t) -> Desc& { return d.dtype = DataTypeOrRaise(t), d; },
          nb::arg("data_type").none(), nb::rv_policy::reference)
      .def("__repr__", &Repr)
      .def_prop_ro("_handle", [](const Desc& d) { return NewRawHandle(nb::cast(d), &d); })
      .def_static(
          "_create_from", [](nb::handle handle) { return TargetOrRaise<Desc>(handle, "TensorDesc"); },
          nb::arg("handle").none())
      .def("__copy__", [](const Desc&) { NoCopy("copy"); })
      .def("__deepcopy__", [](const Desc&, nb::handle) { NoCopy("deepcopy"); }, nb::arg("memo").none());
}

}  // namespace ge::bridge
