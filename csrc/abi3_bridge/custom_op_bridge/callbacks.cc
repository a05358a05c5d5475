#include "abi3_bridge/custom_op_bridge/callbacks.h"

#include <atomic>
#include <memory>

#include "abi3_bridge/custom_op_bridge/ir_meta.h"
#include "abi3_bridge/custom_op_bridge/python_side.h"
#include "abi3_bridge/custom_op_bridge/report.h"
#include "abi3_bridge/lease.h"
#include "abi3_bridge/native/convert.h"
#include "base/strings.h"
#include "graph/ge_error_codes.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;
namespace {

// One Python instance: its id, and the prototype as it was when the instance was made. Used with the GIL held.
struct Holder {
  nb::object instance_id;
  nb::object ir_meta;
};

std::string_view View(const custom_op::PythonCustomOpStringView& text) { return {text.data, text.size}; }

bool IsText(const custom_op::PythonCustomOpStringView& text) { return text.data != nullptr && text.size != 0; }

void* CreateHolder(const custom_op::PythonCustomOpAdapterDescriptorView* d) {
  if (d == nullptr || !IsText(d->op_type) || !IsText(d->impl_descriptor_key)) return nullptr;
  nb::gil_scoped_acquire gil;
  if (!gil.is_valid()) return nullptr;
  return Guarded<void*>(nullptr, [&]() -> void* {
    static std::atomic<uint64_t> instances{0};
    PythonSide& python = PythonSide::Get();
    const std::string_view key = View(d->impl_descriptor_key);
    auto holder = std::make_unique<Holder>();
    holder->instance_id = bridge::NewText(StrCat(key, "#", ++instances));
    holder->ir_meta = IrMeta(View(d->op_type));
    python.create_holder(holder->instance_id, bridge::NewText(key));
    return holder.release();
  });
}

void DestroyHolder(void* p) {
  if (p == nullptr) return;
  auto* holder = static_cast<Holder*>(p);
  nb::gil_scoped_acquire gil;
  // Without an interpreter the references are gone with it; releasing them would touch freed memory.
  if (!gil.is_valid()) {
    static_cast<void>(holder->instance_id.release());
    static_cast<void>(holder->ir_meta.release());
    delete holder;
    return;
  }
  if (PythonSide* python = PythonSide::Known()) {
    Guarded<int>(0, [&] {
      python->destroy_holder(holder->instance_id);
      return 0;
    });
  }
  delete holder;
}

// Calls function(instance_id, ir_meta, context); the context is of no use afterwards.
template <typename PyContext, typename Context>
uint32_t Call(const void* holder, Context* context, nb::object PythonSide::*function) {
  if (holder == nullptr || context == nullptr) return GRAPH_FAILED;
  nb::gil_scoped_acquire gil;
  if (!gil.is_valid()) return GRAPH_FAILED;
  return Guarded<uint32_t>(GRAPH_FAILED, [&]() -> uint32_t {
    const auto& h = *static_cast<const Holder*>(holder);
    auto lease = std::make_shared<bridge::Lease>();
    struct End {
      bridge::Lease& lease;
      ~End() { lease.valid = false; }
    } end{*lease};
    nb::object ctx = nb::cast(PyContext{context, lease}, nb::rv_policy::move);
    nb::object result = (PythonSide::Get().*function)(h.instance_id, h.ir_meta, ctx);
    if (result.is_none() || result.ptr() == Py_True) return GRAPH_SUCCESS;
    return GRAPH_FAILED;
  });
}

uint32_t Execute(const void* holder, custom_op::EagerContext* context) {
  return Call<bridge::PyEagerContext>(holder, context, &PythonSide::call_execute);
}

uint32_t DeclareLaunchArgs(const void* holder, custom_op::AnnotatedContext* context) {
  return Call<bridge::PyAnnotatedContext>(holder, context, &PythonSide::call_declare);
}

}  // namespace

const custom_op::PythonCustomOpAdapterCallbacks& Callbacks() {
  static constexpr custom_op::PythonCustomOpAdapterCallbacks callbacks = {&CreateHolder, &DestroyHolder, &Execute,
                                                                          &DeclareLaunchArgs};
  return callbacks;
}

}  // namespace ge::custom_op_bridge
