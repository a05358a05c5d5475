#include "abi3_bridge/custom_op_bridge/infer_meta.h"

#include <nanobind/nanobind.h>

#include <stdexcept>

#include "abi3_bridge/custom_op_bridge/meta_values.h"
#include "abi3_bridge/custom_op_bridge/python_side.h"
#include "abi3_bridge/custom_op_bridge/report.h"
#include "abi3_bridge/lease.h"
#include "abi3_bridge/native/convert.h"
#include "base/strings.h"
#include "custom_op/node_info.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;
namespace {

// An entry per input of the prototype: a desc, None for an optional one that is absent, a list for a dynamic one.
nb::list InputsOf(const ops::InferContext& context) {
  nb::list inputs;
  const std::vector<ops::IoDef>& defs = context.def().inputs();
  for (size_t i = 0; i < defs.size(); ++i) {
    if (defs[i].kind == ops::IoKind::kDynamic) {
      nb::list elements;
      for (size_t k = 0; k < context.count(i); ++k) elements.append(bridge::NewRuntimeDesc(context.input(i, k)));
      inputs.append(elements);
    } else if (defs[i].kind == ops::IoKind::kOptional && !context.has_input(i)) {
      inputs.append(nb::none());
    } else {
      inputs.append(bridge::NewRuntimeDesc(context.input(i)));
    }
  }
  return inputs;
}

ir::Shape ShapeOf(const gert::Shape& shape, size_t slot, const custom_op::NodeInfo& node) {
  const std::span<const int64_t> dims = shape.dims();
  const bool unknown_rank = dims.size() == 1 && dims[0] == ir::kUnknownRankDim;
  for (int64_t dim : dims) {
    if (dim >= ir::kUnknownDim || unknown_rank) continue;
    throw std::runtime_error(StrCat("output ", slot, " of node '", node.name, "' was given the dim ", dim,
                                    "; a dim that is not known is -1, a shape of unknown rank [-2]"));
  }
  return bridge::ShapeOf(std::vector<int64_t>(dims.begin(), dims.end()));
}

// What the function answered, an entry per IR output, by slot.
std::vector<bridge::RuntimeDesc> DescsOf(nb::handle answer, const custom_op::NodeInfo& node) {
  std::vector<bridge::RuntimeDesc> descs;
  size_t index = 0;
  for (nb::handle output : answer) {
    if (!bridge::IsList(output)) {
      descs.push_back(nb::inst_ptr<bridge::PyRuntimeDesc>(output)->get());
    } else {
      const size_t expected = node.outputs[index].count;
      if (nb::len(output) != expected) {
        throw std::runtime_error(StrCat("dynamic output '", node.def->outputs()[index].name.view(), "' of node '", node.name,
                                        "' has ", expected, " element(s), the function returned ", nb::len(output)));
      }
      for (nb::handle element : nb::borrow<nb::list>(output))
        descs.push_back(nb::inst_ptr<bridge::PyRuntimeDesc>(element)->get());
    }
    ++index;
  }
  return descs;
}

}  // namespace

Result<bool> InferMeta(const custom_op::Prototype& prototype, ops::InferContext& context) {
  nb::gil_scoped_acquire gil;
  if (!gil.is_valid() || PythonSide::Known() == nullptr) return false;
  enum class Outcome { kTold, kNothing, kFailed };
  const Outcome outcome = Guarded<Outcome>(Outcome::kFailed, [&] {
    const custom_op::NodeInfo node = custom_op::NodeInfo::Of(*context.node());
    nb::object answer = PythonSide::Get().call_infer_meta(bridge::NewText(prototype.descriptor_key), InputsOf(context),
                                                          AttrsByName(node));
    if (answer.is_none()) return Outcome::kNothing;
    const std::vector<bridge::RuntimeDesc> descs = DescsOf(answer, node);
    for (size_t slot = 0; slot < descs.size() && slot < context.num_outputs(); ++slot) {
      context.SetOutput(slot, ShapeOf(descs[slot].shape.origin, slot, node), descs[slot].dtype);
      if (descs[slot].has_format) context.SetFormat(slot, descs[slot].format);
    }
    return Outcome::kTold;
  });
  if (outcome != Outcome::kFailed) return outcome == Outcome::kTold;
  const std::string why = custom_op::TakeCallbackError();
  const std::string in = Guarded<std::string>({}, [&] {
    nb::object file = PythonSide::Get().source_of(bridge::NewText(prototype.descriptor_key));
    return bridge::Text(file).empty() ? std::string() : StrCat(" in '", bridge::Text(file), "'");
  });
  return Status::Error(StrCat("cannot infer the outputs of node '", context.node()->name(), "' (custom operator '",
                              prototype.op_type, "'", in, "): ", why));
}

}  // namespace ge::custom_op_bridge
