#include "loader/artifact_kind.h"

#include "base/strings.h"
#include "loader/bridge_abi.h"
#include "loader/custom_op_bridge_abi.h"

namespace ge::loader {
namespace {

Status CheckAbi(uint32_t found, uint32_t needed) {
  if (found == needed) return Status::Ok();
  return Status::Error(
      StrCat("it speaks ABI '", found, "', this library needs '", needed, "'; reinstall both from one wheel"));
}

Status EmptySlot() { return Status::Error("its table has an empty slot; reinstall both from one wheel"); }

Status CheckPassTable(const void* table) {
  const auto* bridge = static_cast<const ge_python_bridge*>(table);
  if (bridge == nullptr) return Status::Error("its entry function returned no table");
  GE_RETURN_IF_ERROR(CheckAbi(bridge->abi_version, GE_BRIDGE_ABI_VERSION));
  if (bridge->struct_size < sizeof(ge_python_bridge)) {
    return Status::Error(StrCat("its table has '", bridge->struct_size, "' bytes, this library needs '",
                                sizeof(ge_python_bridge), "'; reinstall both from one wheel"));
  }
  if (!bridge->set_artifacts || !bridge->register_passes || !bridge->reset || !bridge->shutdown) return EmptySlot();
  return Status::Ok();
}

Status CheckCustomOpTable(const void* table) {
  const auto* bridge = static_cast<const custom_op::PythonCustomOpBridgeApi*>(table);
  if (bridge == nullptr) return Status::Error("its entry function returned no table");
  GE_RETURN_IF_ERROR(CheckAbi(bridge->abi_version, GE_CUSTOM_OP_BRIDGE_ABI_VERSION));
  if (!bridge->set_artifact_config || !bridge->register_custom_ops || !bridge->reset_bridge_state ||
      !bridge->shutdown_bridge)
    return EmptySlot();
  return Status::Ok();
}

}  // namespace

const ArtifactKind& PassArtifacts() {
  static constexpr ArtifactKind kind = {"passes/python_pass_artifacts",
                                        "GE_PY_ARTIFACT_DIR",
                                        GE_BRIDGE_ABI_VERSION,
                                        GE_BRIDGE_ENTRY,
                                        &CheckPassTable,
                                        /*compiled_here=*/true,
                                        /*any_version_by_override=*/false};
  return kind;
}

const ArtifactKind& CustomOpArtifacts() {
  static constexpr ArtifactKind kind = {"custom_op/python_custom_op_artifacts",
                                        "GE_PY_CUSTOM_OP_ARTIFACT_DIR",
                                        GE_CUSTOM_OP_BRIDGE_ABI_VERSION,
                                        GE_CUSTOM_OP_BRIDGE_ENTRY,
                                        &CheckCustomOpTable,
                                        /*compiled_here=*/false,
                                        /*any_version_by_override=*/true};
  return kind;
}

}  // namespace ge::loader
