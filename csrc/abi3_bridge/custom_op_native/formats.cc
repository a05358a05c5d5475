// ge.runtime.ExpandDimsType and StorageFormat.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

ir::Format FormatOrRaise(nb::handle h, const char* what) {
  ir::Format format = ir::Format::kND;
  if (!ReadFormat(h, &format)) RaiseTypeError(StrCat(what, " must be a Format, found ", Shown(h.type())));
  return format;
}

}  // namespace

void BindFormats(nb::module_& m) {
  nb::class_<PyExpandDimsType>(m, "ExpandDimsType", "Which dims of a storage shape were put in beside the origin's.")
      .def("__init__", [](PyExpandDimsType* self) { new (self) PyExpandDimsType(gert::ExpandDimsType()); })
      .def("__init__",
           [](PyExpandDimsType* self, nb::handle rule) {
             if (IsText(rule)) {
               new (self) PyExpandDimsType(gert::ExpandDimsType(Text(rule)));
             } else {
               new (self) PyExpandDimsType(gert::ExpandDimsType(IntOrRaise(rule, "rule must be a string or an integer")));
             }
           },
           "rule"_a)
      .def_prop_ro("full_size", [](const PyExpandDimsType& t) { return t.get().full_size(); })
      .def("is_expand_index", [](const PyExpandDimsType& t, uint64_t i) { return t.get().IsExpandIndex(i); }, "index"_a)
      .def("set_expand_index", [](const PyExpandDimsType& t, uint64_t i) { t.get().SetExpandIndex(i); }, "index"_a);

  nb::class_<PyStorageFormat>(m, "StorageFormat",
                              "Layout of a tensor as its creator means it (origin) and as it lies in memory (storage).")
      .def("__init__", [](PyStorageFormat* self) { new (self) PyStorageFormat(gert::StorageFormat{}); })
      .def("__init__",
           [](PyStorageFormat* self, nb::handle origin, nb::handle storage, const PyExpandDimsType& expand) {
             new (self) PyStorageFormat(gert::StorageFormat{FormatOrRaise(origin, "origin_format"),
                                                            FormatOrRaise(storage, "storage_format"), expand.get()});
           },
           "origin_format"_a, "storage_format"_a, "expand_dims_type"_a)
      .def_prop_ro("origin_format", [](const PyStorageFormat& f) { return Member(f.get().origin); })
      .def_prop_ro("storage_format", [](const PyStorageFormat& f) { return Member(f.get().storage); })
      .def_prop_ro("expand_dims_type", [](const PyStorageFormat& f) { return Lend(&f.get().expand_dims, f.lease()); })
      .def("set_origin_format",
           [](const PyStorageFormat& f, nb::handle format) { f.get().origin = FormatOrRaise(format, "format"); }, "format"_a)
      .def("set_storage_format",
           [](const PyStorageFormat& f, nb::handle format) { f.get().storage = FormatOrRaise(format, "format"); },
           "format"_a)
      .def("set_expand_dims_type",
           [](const PyStorageFormat& f, const PyExpandDimsType& type) { f.get().expand_dims = type.get(); },
           "expand_dims_type"_a)
      .def("__repr__", [](const PyStorageFormat& f) {
        return NewText(StrCat("StorageFormat(", ir::Name(f.get().origin), ", ", ir::Name(f.get().storage), ")"));
      });
}

}  // namespace ge::bridge
