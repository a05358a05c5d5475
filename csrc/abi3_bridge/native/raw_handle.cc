#include "abi3_bridge/native/raw_handle.h"

#include "abi3_bridge/native/bind.h"

namespace ge::bridge {

void BindRawHandle(nb::module_& m) {
  nb::class_<RawHandle>(m, "_Handle", "An opaque handle; int() gives the address it stands for.")
      .def("__int__", [](const RawHandle& h) { return h.address; })
      .def("__index__", [](const RawHandle& h) { return h.address; })
      .def("__hash__", [](const RawHandle& h) { return static_cast<int64_t>(h.address >> 4); })
      .def("__eq__",
           [](const RawHandle& h, nb::handle other) {
             RawHandle* o = As<RawHandle>(other);
             return o != nullptr && o->address == h.address;
           },
           nb::arg("other").none());
}

}  // namespace ge::bridge
