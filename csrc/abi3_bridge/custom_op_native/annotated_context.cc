// ge.custom_op.AnnotatedArgsContext and what launches are declared with.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/runtime_attrs.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using C = PyAnnotatedContext;
using Workspace = gert::AnnotatedArgsContext::Workspace;

struct PyWorkspace {
  Workspace workspace;
  LeasePtr lease;
};

struct PyKernelArgs {
  gert::KernelArgs args;
  gert::AnnotatedArgsContext* context = nullptr;
  LeasePtr lease;
  bool consumed = false;
};

struct PyLaunchInfo {
  std::string kernel_name;
  std::string kernel_bin;
  uint32_t block_dim = 0;
  uint32_t stream_id = 0;
};

gert::AnnotatedArgsContext& Live(const C& c) {
  if (c.context == nullptr || !c.lease->valid) RaiseExpired("launch declaration context");
  return *c.context;
}

const Workspace& Live(const PyWorkspace& w) {
  if (!w.lease->valid) RaiseExpired("workspace");
  return w.workspace;
}

gert::KernelArgs& Live(PyKernelArgs& a) {
  if (!a.lease->valid) RaiseExpired("kernel args");
  if (a.consumed) RaiseRuntimeError("kernel args were used for a launch already; make others with create_kernel_args");
  return a.args;
}

nb::object TensorOrRaise(const C& c, gert::Tensor* tensor, const char* what, size_t index) {
  if (tensor != nullptr) return Lend(tensor, c.lease);
  RaiseRuntimeError(StrCat("node '", c.context->node().name, "' has no ", what, " ", index));
}

uint32_t CountOrRaise(const C& c, const custom_op::Instances* instances, const char* what, size_t index) {
  if (instances == nullptr) TensorOrRaise(c, nullptr, what, index);
  return instances->count;
}

size_t IndexOrRaise(size_t index, size_t count, const char* what) {
  if (index >= count)
    Raise(PyExc_IndexError, StrCat("instance index ", index, " is out of range: the node has ", count, " ", what));
  return index;
}

uint64_t AddressOf(const PyRuntimeTensor& tensor) { return reinterpret_cast<uintptr_t>(tensor.get().addr); }

uint64_t ScalarOrRaise(nb::handle h) {
  const unsigned long long value = IsInt(h) && !IsBool(h) ? PyLong_AsUnsignedLongLong(h.ptr()) : 0;
  if (!IsInt(h) || IsBool(h) || PyErr_Occurred()) {
    PyErr_Clear();
    RaiseTypeError(StrCat("a scalar must be an int from 0 to 2**64 - 1, found ", Shown(h)));
  }
  return value;
}

void AddLaunch(const C& c, const PyLaunchInfo& info, PyKernelArgs& args) {
  gert::AnnotatedArgsContext& context = Live(c);
  if (info.stream_id != context.stream_id()) {
    RaiseValueError(StrCat("stream_id ", info.stream_id, " is not that of the node, ", context.stream_id(),
                           "; take it from get_stream_id()"));
  }
  gert::KernelLaunch launch{info.kernel_name, info.kernel_bin, info.block_dim, info.stream_id, {}};
  launch.args = std::move(Live(args));
  args.consumed = true;
  const Status status = context.AddLaunch(std::move(launch));
  if (!status.ok()) RaiseRuntimeError(status.message());
}

void BindKernelArgs(nb::module_& m) {
  nb::class_<PyWorkspace>(m, "WorkspaceAddr", "A planned workspace of a node.")
      .def_prop_ro("index", [](const PyWorkspace& w) { return Live(w).index; })
      .def_prop_ro("addr", [](const PyWorkspace& w) { return Live(w).addr; });

  nb::class_<PyKernelArgs>(m, "AnnotatedKernelArgs", "Arguments of a kernel in their order, 8 bytes each.")
      .def("append_input",
           [](PyKernelArgs& a, size_t index, const PyRuntimeTensor& tensor) {
             gert::KernelArgs& args = Live(a);
             args.push_back({gert::KernelArgKind::kInput, IndexOrRaise(index, a.context->num_inputs(), "input(s)"),
                             AddressOf(tensor)});
           },
           "instance_index"_a, "tensor"_a)
      .def("append_output",
           [](PyKernelArgs& a, size_t index, const PyRuntimeTensor& tensor) {
             gert::KernelArgs& args = Live(a);
             args.push_back({gert::KernelArgKind::kOutput, IndexOrRaise(index, a.context->num_outputs(), "output(s)"),
                             AddressOf(tensor)});
           },
           "instance_index"_a, "tensor"_a)
      .def("append_workspace",
           [](PyKernelArgs& a, const PyWorkspace& workspace) {
             const Workspace& w = Live(workspace);
             if (workspace.lease != a.lease) RaiseRuntimeError("the workspace belongs to another callback");
             Live(a).push_back({gert::KernelArgKind::kWorkspace, w.index, w.addr});
           },
           "workspace"_a)
      .def("append_scalar",
           [](PyKernelArgs& a, nb::handle value) {
             gert::KernelArgs& args = Live(a);
             args.push_back({gert::KernelArgKind::kScalar, 0, ScalarOrRaise(value)});
           },
           "value"_a);

  nb::class_<PyLaunchInfo>(m, "AnnotatedKernelLaunchInfo",
                           "Which kernel is launched, and how.\n\nRaises:\n    ValueError: the name or the binary is empty, "
                           "or block_dim is 0.")
      .def("__init__",
           [](PyLaunchInfo* self, nb::handle kernel_name, nb::bytes binary, uint32_t block_dim, uint32_t stream_id) {
             const std::string_view name = TextOrRaise(kernel_name, "kernel_name must be a string");
             if (name.empty()) RaiseValueError("kernel_name must not be empty");
             if (binary.size() == 0) RaiseValueError("kernel_bin must not be empty");
             if (block_dim == 0) RaiseValueError("block_dim must be 1 or more, found 0");
             new (self) PyLaunchInfo{std::string(name), std::string(binary.c_str(), binary.size()), block_dim, stream_id};
           },
           nb::kw_only(), "kernel_name"_a, "kernel_bin"_a, "block_dim"_a, "stream_id"_a);
}

}  // namespace

void BindAnnotatedContext(nb::module_& m) {
  BindKernelArgs(m);
  m.def("_borrow_annotated_args_context",
        [](uintptr_t handle) {
          if (handle == 0) RaiseValueError("ctx_handle must be the address of a context, found 0");
          auto* context = reinterpret_cast<gert::AnnotatedArgsContext*>(handle);
          return nb::cast(C{context, std::make_shared<Lease>()}, nb::rv_policy::move);
        },
        "ctx_handle"_a);
  nb::class_<C>(m, "AnnotatedArgsContext",
                "What `declare_launch_args` works with. Every use after the callback has ended raises RuntimeError.")
      .def("malloc_workspace",
           [](const C& c, size_t size) {
             gert::AnnotatedArgsContext& context = Live(c);
             if (size == 0) RaiseValueError("size of a workspace must be 1 or more, found 0");
             ge::Result<Workspace> made = context.MallocWorkspace(size);
             if (!made.ok()) RaiseRuntimeError(made.status().message());
             return nb::cast(PyWorkspace{made.value(), c.lease}, nb::rv_policy::move);
           },
           "size"_a)
      .def("get_stream_id", [](const C& c) { return Live(c).stream_id(); })
      .def("create_kernel_args",
           [](const C& c) { return nb::cast(PyKernelArgs{{}, &Live(c), c.lease, false}, nb::rv_policy::move); })
      .def("add_launch", &AddLaunch, "launch_info"_a, "args"_a,
           "Declares a launch; `args` can be used once.\n\nRaises:\n    ValueError: the stream is another one.\n    "
           "RuntimeError: the args were used already, or there are none.")
      .def("_get_required_input_tensor",
           [](const C& c, size_t i) { return TensorOrRaise(c, Live(c).IrInputTensor(i), "input of the prototype", i); })
      .def("_get_optional_input_tensor",
           [](const C& c, size_t i) -> nb::object {
             gert::Tensor* tensor = Live(c).IrInputTensor(i);
             return tensor == nullptr ? nb::none() : Lend(tensor, c.lease);
           })
      .def("_get_dynamic_input_num",
           [](const C& c, size_t i) { return CountOrRaise(c, Live(c).InputInstances(i), "input of the prototype", i); })
      .def("_get_dynamic_input_tensor",
           [](const C& c, size_t i, size_t k) {
             return TensorOrRaise(c, Live(c).IrInputTensor(i, k), "element of that dynamic input", k);
           })
      .def("_get_required_output_tensor",
           [](const C& c, size_t i) { return TensorOrRaise(c, Live(c).IrOutputTensor(i), "output of the prototype", i); })
      .def("_get_dynamic_output_num",
           [](const C& c, size_t i) { return CountOrRaise(c, Live(c).OutputInstances(i), "output of the prototype", i); })
      .def("_get_dynamic_output_tensor",
           [](const C& c, size_t i, size_t k) {
             return TensorOrRaise(c, Live(c).IrOutputTensor(i, k), "element of that dynamic output", k);
           })
      .def("_get_attrs", [](const C& c) { return NewRuntimeAttrs(Live(c).node(), c.lease); })
      .def("_invalidate", [](const C& c) { c.lease->valid = false; });
}

}  // namespace ge::bridge
