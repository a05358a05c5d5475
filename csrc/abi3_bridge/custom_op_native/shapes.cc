// ge.runtime.Shape and StorageShape.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

constexpr char kShapeError[] = "shape must be a Shape or a list of integers";

gert::Shape ShapeOfArgument(nb::handle h) {
  if (PyShape* shape = As<PyShape>(h)) return shape->get();
  return ShapeFromList(h, kShapeError);
}

size_t Checked(const gert::Shape& shape, size_t index) {
  if (index >= shape.dim_num())
    RaiseValueError(StrCat("index ", index, " is out of range: the shape has ", shape.dim_num(), " dims"));
  return index;
}

nb::list Dims(const gert::Shape& shape) {
  nb::list dims;
  for (int64_t dim : shape.dims()) dims.append(dim);
  return dims;
}

std::string Text(const gert::Shape& shape) { return Shown(Dims(shape)); }

}  // namespace

gert::Shape ShapeFromList(nb::handle list, const char* type_error) {
  // Exact lists of exact ints: True is no dim.
  if (!PyList_CheckExact(list.ptr())) RaiseTypeError(type_error);
  const Py_ssize_t n = PyList_Size(list.ptr());
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!PyLong_CheckExact(PyList_GetItem(list.ptr(), i))) RaiseTypeError(type_error);
  }
  if (!gert::Shape::Fits(static_cast<size_t>(n))) {
    RaiseValueError(StrCat("shape has ", n, " dims, more than the maximum dimension count ", gert::Shape::kMaxDims));
  }
  gert::Shape shape;
  for (Py_ssize_t i = 0; i < n; ++i) {
    const long long dim = PyLong_AsLongLong(PyList_GetItem(list.ptr(), i));
    if (dim == -1 && PyErr_Occurred()) nb::raise_python_error();
    shape.Append(dim);
  }
  return shape;
}

void BindShapes(nb::module_& m) {
  nb::class_<PyShape>(m, "Shape", "Dims of a tensor at run time, 25 at most; a part of a StorageShape.")
      .def_prop_ro("dims", [](const PyShape& s) { return Dims(s.get()); }, "The dims as a new list.")
      .def_prop_ro("dim_num", [](const PyShape& s) { return s.get().dim_num(); })
      .def_prop_ro("size", [](const PyShape& s) { return s.get().NumElements(); },
                   "Number of elements: 1 for a scalar, -1 if a dim is unknown.")
      .def("is_scalar", [](const PyShape& s) { return s.get().is_scalar(); })
      .def("get_dim", [](const PyShape& s, size_t i) { return s.get()[Checked(s.get(), i)]; }, "index"_a)
      .def("set_dim", [](const PyShape& s, size_t i, int64_t dim) { s.get().Set(Checked(s.get(), i), dim); }, "index"_a,
           "value"_a)
      .def("append_dim",
           [](nb::handle_t<PyShape> self, int64_t dim) {
             nb::inst_ptr<PyShape>(self)->get().Append(dim);
             return self;
           },
           "value"_a, "Returns the shape itself; without effect on a shape of 25 dims.")
      .def("set_scalar", [](const PyShape& s) { s.get().Clear(); })
      .def("__len__", [](const PyShape& s) { return s.get().dim_num(); })
      .def("__repr__", [](const PyShape& s) { return NewText(StrCat("Shape(", Text(s.get()), ")")); });

  nb::class_<PyStorageShape>(m, "StorageShape",
                             "Shape of a tensor as its creator means it (origin) and as it lies in memory (storage).")
      .def("__init__",
           [](PyStorageShape* self) { new (self) PyStorageShape(gert::StorageShape{}); })
      .def("__init__",
           [](PyStorageShape* self, nb::handle origin, nb::handle storage) {
             new (self) PyStorageShape(gert::StorageShape{ShapeOfArgument(origin), ShapeOfArgument(storage)});
           },
           "origin_shape"_a, "storage_shape"_a)
      .def_prop_ro("origin_shape", [](const PyStorageShape& s) { return Lend(&s.get().origin, s.lease()); })
      .def_prop_ro("storage_shape", [](const PyStorageShape& s) { return Lend(&s.get().storage, s.lease()); })
      .def("set_origin_shape", [](const PyStorageShape& s, nb::handle shape) { s.get().origin = ShapeOfArgument(shape); },
           "shape"_a)
      .def("set_storage_shape", [](const PyStorageShape& s, nb::handle shape) { s.get().storage = ShapeOfArgument(shape); },
           "shape"_a)
      .def("__repr__", [](const PyStorageShape& s) {
        return NewText(StrCat("StorageShape(", Text(s.get().origin), ", ", Text(s.get().storage), ")"));
      });
}

}  // namespace ge::bridge
