// ge.runtime.Tensor: a tensor of a callback, and its memory as a NumPy array.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/host_array.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

nb::object PlacementOf(const gert::Tensor& tensor) {
  static LazyAttr placements("ge.runtime", "TensorPlacement");
  return placements.get()(static_cast<int>(tensor.placement));
}

// The protocol of NumPy: numpy.asarray(tensor).
nb::object AsArray(const PyRuntimeTensor& tensor, nb::handle dtype, nb::handle copy) {
  nb::object array = ArrayOver(tensor.get());
  if (!dtype.is_none()) array = array.attr("astype")(dtype, "copy"_a = false);
  if (copy.ptr() == Py_True) array = array.attr("copy")();
  return array;
}

}  // namespace

void BindRuntimeTensor(nb::module_& m) {
  nb::class_<PyRuntimeTensor>(m, "Tensor", "An input, output or attribute of a callback; usable while the callback runs.")
      .def_prop_ro("addr", [](const PyRuntimeTensor& t) { return reinterpret_cast<uintptr_t>(t.get().addr); },
                   "Address of the first byte.")
      .def_prop_ro("size", [](const PyRuntimeTensor& t) { return t.get().size; }, "Bytes of the memory.")
      .def_prop_ro("shape_size", [](const PyRuntimeTensor& t) { return t.get().shape.storage.NumElements(); },
                   "Elements of the storage shape.")
      .def_prop_ro("shape", [](const PyRuntimeTensor& t) { return Lend(&t.get().shape, t.lease()); })
      .def_prop_ro("storage_shape", [](const PyRuntimeTensor& t) { return Lend(&t.get().shape.storage, t.lease()); })
      .def_prop_ro("origin_shape", [](const PyRuntimeTensor& t) { return Lend(&t.get().shape.origin, t.lease()); })
      .def_prop_ro("format", [](const PyRuntimeTensor& t) { return Lend(&t.get().format, t.lease()); })
      .def_prop_ro("storage_format", [](const PyRuntimeTensor& t) { return Member(t.get().format.storage); })
      .def_prop_ro("origin_format", [](const PyRuntimeTensor& t) { return Member(t.get().format.origin); })
      .def_prop_ro("expand_dims_type",
                   [](const PyRuntimeTensor& t) { return Lend(&t.get().format.expand_dims, t.lease()); })
      .def_prop_ro("data_type", [](const PyRuntimeTensor& t) { return Member(t.get().dtype); })
      .def_prop_ro("placement", [](const PyRuntimeTensor& t) { return PlacementOf(t.get()); })
      .def("numpy", [](const PyRuntimeTensor& t) { return ArrayOver(t.get()); },
           "The memory as a NumPy array of the storage shape, without a copy; read-only unless the operator may change it.\n\n"
           "Beyond GE's API, which has device memory here.\n\n"
           "Raises:\n    TypeError: NumPy has no such data type.\n    RuntimeError: the callback has ended.")
      .def("__array__", &AsArray, "dtype"_a.none() = nb::none(), "copy"_a.none() = nb::none());
}

}  // namespace ge::bridge
