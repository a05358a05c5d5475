// ge.custom_op.EagerOpExecutionContext.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/runtime_attrs.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using C = PyEagerContext;

gert::EagerOpExecutionContext& Live(const C& c) {
  if (c.context == nullptr || !c.lease->valid) RaiseExpired("execution context");
  return *c.context;
}

nb::object TensorOrRaise(const C& c, gert::Tensor* tensor, const char* what, size_t index) {
  if (tensor != nullptr) return Lend(tensor, c.lease);
  const custom_op::NodeInfo& node = c.context->node();
  RaiseRuntimeError(StrCat("node '", node.name, "' of type '", node.type.view(), "' has no ", what, " ", index));
}

template <typename T>
T ValueOf(ge::Result<T> result) {
  if (!result.ok()) RaiseRuntimeError(result.status().message());
  return result.value();
}

ir::DataType TypeArgument(nb::handle h) {
  ir::DataType type = ir::DataType::kUndefined;
  if (ReadDataType(h, &type)) return type;
  if (!IsInt(h) || IsBool(h)) RaiseTypeError(StrCat("dtype must be a DataType or an int, found ", Shown(h.type())));
  const int64_t number = WrappedInt(h);
  if (number < 0 || number >= static_cast<int64_t>(ir::DataType::kMax))
    RaiseValueError(StrCat("dtype ", number, " is no number of a DataType"));
  return static_cast<ir::DataType>(number);
}

}  // namespace

void BindEagerContext(nb::module_& m) {
  m.def("_borrow_eager_op_execution_context",
        [](uintptr_t handle) {
          if (handle == 0) RaiseValueError("ctx_handle must be the address of a context, found 0");
          auto* context = reinterpret_cast<gert::EagerOpExecutionContext*>(handle);
          return nb::cast(C{context, std::make_shared<Lease>()}, nb::rv_policy::move);
        },
        "ctx_handle"_a);
  nb::class_<C>(m, "EagerOpExecutionContext",
                "What `execute` works with. Every use after the callback has ended raises RuntimeError.")
      .def("get_input_num", [](const C& c) { return Live(c).num_inputs(); }, "Number of inputs that are there.")
      .def("get_input_tensor",
           [](const C& c, size_t i) { return TensorOrRaise(c, Live(c).InputTensor(i), "input", i); }, "index"_a,
           "The input at that place among those that are there.")
      .def("get_dynamic_input_num",
           [](const C& c, size_t i) {
             const custom_op::Instances* instances = Live(c).InputInstances(i);
             if (instances == nullptr) TensorOrRaise(c, nullptr, "input of the prototype", i);
             return instances->count;
           },
           "ir_index"_a)
      .def("get_attrs", [](const C& c) { return NewRuntimeAttrs(Live(c).node(), c.lease); })
      .def("get_required_input_tensor",
           [](const C& c, size_t i) { return TensorOrRaise(c, Live(c).IrInputTensor(i), "input of the prototype", i); },
           "ir_index"_a)
      .def("get_optional_input_tensor",
           [](const C& c, size_t i) -> nb::object {
             gert::Tensor* tensor = Live(c).IrInputTensor(i);
             return tensor == nullptr ? nb::none() : Lend(tensor, c.lease);
           },
           "ir_index"_a)
      .def("get_dynamic_input_tensor",
           [](const C& c, size_t i, size_t k) {
             return TensorOrRaise(c, Live(c).IrInputTensor(i, k), "element of that dynamic input", k);
           },
           "ir_index"_a, "relative_index"_a)
      .def("malloc_output_tensor",
           [](const C& c, size_t i, const PyStorageShape& shape, const PyStorageFormat& format, nb::handle dtype) {
             return Lend(ValueOf(Live(c).MallocOutputTensor(i, shape.get(), format.get(), TypeArgument(dtype))), c.lease);
           },
           "index"_a, "shape"_a, "format"_a, "dtype"_a, "Memory for an output.\n\nRaises:\n    RuntimeError: there is no "
           "such output, it is a mutated input, or its size is not known.")
      .def("make_output_ref_input",
           [](const C& c, size_t output, size_t input) {
             return Lend(ValueOf(Live(c).MakeOutputRefInput(output, input)), c.lease);
           },
           "output_index"_a, "input_index"_a, "Lets an output be the input that it was bound to with mutates_args.")
      .def("malloc_workspace",
           [](const C& c, size_t size) { return reinterpret_cast<uintptr_t>(ValueOf(Live(c).MallocWorkspace(size))); },
           "size"_a, "Address of memory that lasts as long as the callback.")
      .def("get_output_tensor",
           [](const C& c, size_t i) { return TensorOrRaise(c, Live(c).OutputTensor(i), "output", i); }, "index"_a)
      .def("get_stream", [](const C& c) { return reinterpret_cast<uintptr_t>(Live(c).stream()); },
           "0: the host executes at once.")
      .def("_invalidate", [](const C& c) { c.lease->valid = false; });
}

}  // namespace ge::bridge
