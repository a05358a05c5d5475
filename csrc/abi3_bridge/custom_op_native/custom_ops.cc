// Loading and unloading of the process's custom operators.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "adapters/custom_op_loader.h"
#include "custom_op/factory.h"
#include "custom_op/prototype.h"
#include "ops/op_def.h"

namespace ge::bridge {

void BindCustomOps(nb::module_& m) {
  m.def("load_custom_ops",
        [] {
          Status status;
          {
            nb::gil_scoped_release release;
            status = adapters::CustomOpLoader::Get().LoadPythonCustomOps();
          }
          RaiseIfError(status, "CustomOpError");
        },
        "Takes up what this process has registered and what ASCEND_CUSTOM_OPP_PATH names.");
  m.def("unload_custom_ops", [] {
    nb::gil_scoped_release release;
    adapters::CustomOpLoader::Get().Shutdown();
  });
  m.def("registry_version", &ops::RegistryVersion, "Grows whenever the core's operators change.");
  m.def("has_implementation", [](nb::handle op_type) {
    return CustomOpFactory::IsExistOp(TextOrRaise(op_type, "op_type must be a string"));
  });
  m.def("has_prototype", [](nb::handle op_type) {
    return custom_op::FindPrototype(TextOrRaise(op_type, "op_type must be a string")) != nullptr;
  });
}

}  // namespace ge::bridge
