// The one symbol of this library.
#include <nanobind/nanobind.h>

#include "abi3_bridge/bridge/bootstrap.h"
#include "abi3_bridge/bridge/error_report.h"
#include "abi3_bridge/bridge/python_side.h"
#include "abi3_bridge/bridge/registration.h"
#include "base/export.h"
#include "loader/bridge_abi.h"

namespace ge::bridge {
namespace {

void Reset() {
  nanobind::gil_scoped_acquire gil;
  if (!gil.is_valid()) return;
  Guarded<int>(nullptr, "reset", 0, [] {
    PythonSide::Get().reset();
    return 0;
  });
}

void Shutdown() {
  Reset();
  nanobind::gil_scoped_acquire gil;
  if (gil.is_valid()) PythonSide::Forget();
}

}  // namespace
}  // namespace ge::bridge

extern "C" GE_API const ge_python_bridge* ge_python_pass_bridge() {
  static constexpr ge_python_bridge table = {
      sizeof(ge_python_bridge),    GE_BRIDGE_ABI_VERSION, &ge::bridge::SetArtifacts,
      &ge::bridge::RegisterPasses, &ge::bridge::Reset,    &ge::bridge::Shutdown,
  };
  return &table;
}
