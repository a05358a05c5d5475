// ge.runtime.TensorDesc: shape, data type and layout without contents.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

gert::StorageShape ShapeArgument(nb::handle h) {
  if (h.is_none()) return {};
  if (PyStorageShape* shape = As<PyStorageShape>(h)) return shape->get();
  const gert::Shape shape = ShapeFromList(h, "shape must be a StorageShape, list of integers, or None");
  return {shape, shape};
}

ir::DataType TypeArgument(nb::handle h) {
  ir::DataType type = ir::DataType::kUndefined;
  if (!ReadDataType(h, &type)) RaiseTypeError(StrCat("data_type must be a DataType, found ", Shown(h.type())));
  if (type >= ir::DataType::kMax) RaiseValueError("data_type must be less than DataType.DT_MAX");
  return type;
}

void SetFormat(RuntimeDesc& desc, nb::handle h) {
  desc.has_format = !h.is_none();
  if (!desc.has_format) return;
  if (!ReadFormat(h, &desc.format)) RaiseTypeError(StrCat("format must be a Format or None, found ", Shown(h.type())));
}

nb::object Repr(const RuntimeDesc& desc) {
  nb::list dims;
  for (int64_t dim : desc.shape.origin.dims()) dims.append(dim);
  return NewText(StrCat("TensorDesc(", Shown(dims), ", ", ir::Name(desc.dtype), ")"));
}

}  // namespace

void BindRuntimeDesc(nb::module_& m) {
  nb::class_<PyRuntimeDesc>(
      m, "TensorDesc",
      "Shape, data type and layout of a tensor: what the function of `register_op` gets for an input and returns for an "
      "output.\n\nArgs:\n    shape: a StorageShape (copied), a list of ints for both its shapes (-1: unknown), or None (a "
      "scalar).\n    data_type: a DataType.\n    format: a Format; None leaves it to the node. Beyond GE's API.")
      .def("__init__",
           [](PyRuntimeDesc* self, nb::handle shape, nb::handle type, nb::handle format) {
             RuntimeDesc desc;
             desc.shape = ShapeArgument(shape);
             desc.dtype = TypeArgument(type);
             SetFormat(desc, format);
             new (self) PyRuntimeDesc(std::move(desc));
           },
           "shape"_a.none(), "data_type"_a, "format"_a.none() = nb::none())
      .def_prop_rw("shape", [](const PyRuntimeDesc& d) { return Lend(&d.get().shape, d.lease()); },
                   [](const PyRuntimeDesc& d, nb::handle shape) { d.get().shape = ShapeArgument(shape); },
                   nb::for_setter(nb::arg("shape").none()))
      .def_prop_rw("data_type", [](const PyRuntimeDesc& d) { return Member(d.get().dtype); },
                   [](const PyRuntimeDesc& d, nb::handle type) { d.get().dtype = TypeArgument(type); })
      .def_prop_rw("format",
                   [](const PyRuntimeDesc& d) { return d.get().has_format ? Member(d.get().format) : nb::none(); },
                   [](const PyRuntimeDesc& d, nb::handle format) { SetFormat(d.get(), format); },
                   nb::for_setter(nb::arg("format").none()))
      .def("__repr__", [](const PyRuntimeDesc& d) { return Repr(d.get()); });
}

}  // namespace ge::bridge
