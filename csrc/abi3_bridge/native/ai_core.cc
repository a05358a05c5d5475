// What GeUtils.check_node_support_on_aicore asks of the core.
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "ops/op_def.h"

namespace ge::bridge {
namespace {

// (name, kind, type, format, number) for each slot in use, kind as operator information files write it.
nb::object Slot(std::string_view name, ops::IoKind kind, const ir::TensorDesc& desc) {
  const char* kinds[] = {"required", "optional", "dynamic"};
  return nb::make_tuple(NewText(name), nb::str(kinds[static_cast<int>(kind)]), Member(desc.dtype), Member(desc.format));
}

const ops::OpDef& DefOrRaise(const ir::Node& n) {
  const ops::OpDef* def = ops::FindOp(n.type());
  if (def == nullptr) {
    RaiseRuntimeError(StrCat("operator type '", n.type().view(), "' of node '", n.name(), "' is not registered"));
  }
  return *def;
}

// IR input (or output) number of each connected slot, with the desc it has.
template <typename Visit>
void VisitInputs(const ir::Node& n, const ops::OpDef& def, Visit visit) {
  for (size_t i = 0; i < def.inputs().size(); ++i) {
    ops::SlotRange range = ops::InputSlots(n, def, i);
    for (uint32_t slot = range.first; slot < range.first + range.count && slot < n.num_inputs(); ++slot) {
      if (n.input(slot)) visit(def.inputs()[i], n.input_desc(slot));
    }
  }
}

// Outputs follow the definition one to one, until a dynamic one takes what is left over.
template <typename Visit>
void VisitOutputs(const ir::Node& n, const ops::OpDef& def, Visit visit) {
  if (def.outputs().empty()) return;
  size_t spare = n.num_outputs() > def.outputs().size() ? n.num_outputs() - def.outputs().size() : 0;
  size_t io = 0;
  for (uint32_t slot = 0; slot < n.num_outputs() && io < def.outputs().size(); ++slot) {
    visit(def.outputs()[io], n.output_desc(slot));
    if (def.outputs()[io].kind == ops::IoKind::kDynamic && spare > 0) {
      --spare;
    } else {
      ++io;
    }
  }
}

nb::object NodeSlots(nb::handle node) {
  ir::Node* n = NodeOrRaise(node, "node must be a Node");
  const ops::OpDef& def = DefOrRaise(*n);
  std::vector<std::tuple<std::string_view, ops::IoKind, ir::TensorDesc>> found[2];
  VisitInputs(*n, def, [&](const ops::IoDef& io, const ir::TensorDesc& d) {
    found[0].emplace_back(io.name.view(), io.kind, d);
  });
  VisitOutputs(*n, def, [&](const ops::IoDef& io, const ir::TensorDesc& d) {
    found[1].emplace_back(io.name.view(), io.kind, d);
  });
  nb::list lists[2];
  for (int side = 0; side < 2; ++side) {
    for (const auto& [name, kind, desc] : found[side]) lists[side].append(Slot(name, kind, desc));
  }
  return nb::make_tuple(lists[0], lists[1]);
}

// "" if the registry knows the operator and takes all types of the node, else why not.
std::string RegistryObjection(const ir::Node& n) {
  const ops::OpDef* def = ops::FindOp(n.type());
  if (def == nullptr) return StrCat("operator type '", n.type().view(), "' is not registered");
  std::string objection;
  auto look = [&](const char* side) {
    return [&objection, side](const ops::IoDef& io, const ir::TensorDesc& d) {
      if (!objection.empty() || d.dtype == ir::DataType::kUndefined || io.dtypes.Contains(d.dtype)) return;
      objection = StrCat(side, " '", io.name.view(), "' does not take ", ir::Name(d.dtype));
    };
  };
  VisitInputs(n, *def, look("input"));
  VisitOutputs(n, *def, look("output"));
  return objection;
}

}  // namespace

void BindAiCore(nb::module_& m) {
  m.def("node_slots", &NodeSlots, nb::arg("node").none(),
        "([(name, kind, type, format), ...] of the connected inputs, the same of the outputs), by the operator's\n"
        "definition; RuntimeError if there is none.");
  m.def(
      "registry_objection",
      [](nb::handle node) { return NewText(RegistryObjection(*NodeOrRaise(node, "node must be a Node"))); },
      nb::arg("node").none(), "Why the operator registry does not take a node; '' if it does.");
}

}  // namespace ge::bridge
