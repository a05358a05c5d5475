// CustomNode: runs one node of a custom operator on arrays; what ge.custom_op's executor is made of.
#include "abi3_bridge/custom_op_native/bind.h"
#include "abi3_bridge/custom_op_native/host_array.h"
#include "abi3_bridge/custom_op_native/runtime_values.h"
#include "custom_op/single_node.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

// The file of an operator's implementation, or of its prototype; empty if nobody has registered either.
std::string SourceOf(std::string_view op_type) {
  static LazyAttr source_of("ge.custom_op._bridge", "source_of_op");
  return std::string(Text(nb::object(source_of.get()(NewText(op_type)))));
}

class CustomNode {
 public:
  CustomNode(const ir::Node& node, std::string_view name) : node_(node, name, SourceOf(node.type().view())) {}

  nb::list Run(nb::list inputs, bool check) {
    std::vector<gert::Tensor> tensors = Tensors(inputs);
    if (check) Foresee(tensors);
    gert::EagerOpExecutionContext context(node_.info(), std::move(tensors));
    RaiseIfError(node_.Execute(context), "CustomOpError");
    nb::list outputs;
    for (uint32_t i = 0; i < node_.info().num_outputs; ++i) {
      if (check) CheckOutput(i, *context.OutputTensor(i));
      outputs.append(ArrayOver(*context.OutputTensor(i)));
    }
    return outputs;
  }

  // Runs the operator `times` times on inputs that were taken over once; outputs are dropped.
  void Dispatch(nb::list inputs, uint32_t times) {
    const std::vector<gert::Tensor> tensors = Tensors(inputs);
    for (uint32_t i = 0; i < times; ++i) {
      gert::EagerOpExecutionContext context(node_.info(), tensors);
      RaiseIfError(node_.Execute(context), "CustomOpError");
    }
  }

  nb::list Infer(nb::list inputs) {
    RaiseIfError(node_.Infer(Tensors(inputs)), "CustomOpError");
    nb::list descs;
    for (uint32_t i = 0; i < node_.node().num_outputs(); ++i) {
      descs.append(NewRuntimeDesc(node_.node().output_desc(i)));
    }
    return descs;
  }

  const custom_op::NodeInfo& info() const { return node_.info(); }
  uint32_t num_input_slots() const { return node_.node().num_inputs(); }

 private:
  // The arrays, given by slot of the node, None where nothing is connected.
  std::vector<gert::Tensor> Tensors(nb::list inputs) {
    const custom_op::NodeInfo& info = node_.info();
    const size_t slots = node_.node().num_inputs();
    if (nb::len(inputs) != slots) {
      RaiseValueError(StrCat("node '", info.name, "' has ", slots, " input slot(s), found ", nb::len(inputs), " array(s)"));
    }
    std::vector<gert::Tensor> tensors;
    tensors.reserve(info.num_inputs);
    for (uint32_t i = 0; i < info.num_inputs; ++i) {
      nb::handle array = PyList_GetItem(inputs.ptr(), static_cast<Py_ssize_t>(info.input_slots[i]));
      if (array.is_none())
        RaiseValueError(StrCat("input ", info.input_slots[i], " of node '", info.name, "' is connected, found None"));
      // What the operator may change is a copy: other readers of the tensor see the old one.
      const bool mutates = node_.Mutates(i);
      nb::object own = mutates ? nb::object(array.attr("copy")()) : nb::borrow(array);
      tensors.push_back(TensorOver(own, mutates, StrCat("input ", info.input_slots[i], " of node '", info.name, "'")));
    }
    return tensors;
  }

  // Asks the prototype once for inputs of the same shapes and types.
  void Foresee(const std::vector<gert::Tensor>& tensors) {
    auto same = [](const Signature& a, const gert::Tensor& b) {
      return a.dtype == b.dtype && std::equal(a.dims.begin(), a.dims.end(), b.shape.storage.dims().begin(),
                                              b.shape.storage.dims().end());
    };
    if (foreseen_ && std::equal(signature_.begin(), signature_.end(), tensors.begin(), tensors.end(), same)) return;
    foreseen_ = false;
    RaiseIfError(node_.Infer(tensors), "CustomOpError");
    signature_.clear();
    for (const gert::Tensor& t : tensors)
      signature_.push_back({t.dtype, {t.shape.storage.dims().begin(), t.shape.storage.dims().end()}});
    foreseen_ = true;
  }

  void CheckOutput(uint32_t i, const gert::Tensor& found) {
    const ir::TensorDesc& expected = node_.node().output_desc(i);
    const std::span<const int64_t> dims = found.shape.storage.dims();
    const bool type_fits = expected.dtype == ir::DataType::kUndefined || expected.dtype == found.dtype;
    bool shape_fits = expected.shape.unknown_rank();
    if (!shape_fits && expected.shape.rank() == dims.size()) {
      shape_fits = true;
      for (size_t d = 0; d < dims.size(); ++d) shape_fits &= expected.shape[d] < 0 || expected.shape[d] == dims[d];
    }
    if (type_fits && shape_fits) return;
    RaiseIfError(node_.Error(StrCat("gave output ", i, " as '", ir::Name(found.dtype), ir::Shape(dims).ToString(),
                                    "', expected '", ir::Name(expected.dtype), expected.shape.ToString(),
                                    "' by its prototype's function; correct one of the two")),
                 "CustomOpError");
  }

  struct Signature {
    ir::DataType dtype;
    std::vector<int64_t> dims;
  };
  custom_op::SingleNode node_;
  std::vector<Signature> signature_;
  bool foreseen_ = false;
};

}  // namespace

void BindCustomNode(nb::module_& m) {
  nb::class_<CustomNode>(m, "CustomNode", "A copy of a node of a custom operator that runs on arrays.")
      .def("__init__",
           [](CustomNode* self, nb::handle node, nb::handle name) {
             const ir::Node& original = *NodeOrRaise(node, "node must be a ge.graph.Node");
             const std::string_view called =
                 name.is_none() ? original.name() : TextOrRaise(name, "name must be a string or None");
             new (self) CustomNode(original, called);
           },
           "node"_a, "name"_a.none() = nb::none(), "Args:\n    node: is copied.\n    name: for messages, if not the node's.")
      .def_prop_ro("num_input_slots", [](const CustomNode& n) { return n.num_input_slots(); })
      .def_prop_ro("name", [](const CustomNode& n) { return NewText(n.info().name); })
      .def_prop_ro("type", [](const CustomNode& n) { return NewText(n.info().type); })
      .def("run", &CustomNode::Run, "inputs"_a, "check"_a = true,
           "Runs the operator's implementation.\n\nArgs:\n    inputs: an array per input slot of the node, None where nothing "
           "is connected.\n    check: compare the outputs with what the prototype's function foretells.\n\nReturns:\n    An "
           "array per output.\n\nRaises:\n    ge.error.CustomOpError: the operator failed, or its outputs are not as "
           "foretold.")
      .def("dispatch", &CustomNode::Dispatch, "inputs"_a, "times"_a,
           "Runs the implementation again and again on the same inputs, for benchmarks.")
      .def("infer", &CustomNode::Infer, "inputs"_a, "A TensorDesc per output, as the prototype's function says.");
}

}  // namespace ge::bridge
