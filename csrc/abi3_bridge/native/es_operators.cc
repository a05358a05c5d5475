// What Python needs to offer the operators of the registry as functions of ge.es.<group>.
#include <algorithm>
#include <iterator>

#include "abi3_bridge/native/attr_value.h"
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_operator.h"

namespace ge::bridge {
namespace {

using ops::AttrType;
using ops::IoKind;

const char* Name(IoKind kind) {
  return kind == IoKind::kRequired ? "required" : kind == IoKind::kOptional ? "optional" : "dynamic";
}

nb::list Describe(const std::vector<ops::IoDef>& ios) {
  nb::list out;
  for (const ops::IoDef& io : ios) {
    nb::list dtypes;
    for (int i = 0; i < static_cast<int>(ir::DataType::kMax); ++i) {
      auto type = static_cast<ir::DataType>(i);
      if (!io.dtypes.any() && io.dtypes.Contains(type)) dtypes.append(NewText(ir::Name(type)));
    }
    out.append(nb::make_tuple(NewText(io.name.view()), Name(io.kind), dtypes));
  }
  return out;
}

// Operators that another group than the one that defines them declares too.
struct Also {
  std::string_view group, type;
};
constexpr Also kAlso[] = {
    {"cv", "Resize"},       {"math", "InplaceAdd"}, {"math", "InplaceSub"}, {"nn", "Adds"},
    {"nn", "ROIPooling"},   {"nn", "ResizeNearestNeighborV2"},              {"nn", "Rsqrt"},
    {"nn", "TopK"},
    // Passes written for CANN import this one from there, although no group declares it.
    {"math", "MatMul"},
};

bool OfferedBy(const ops::OpDef& def, std::string_view group) {
  if (group == "all" || def.es_group() == group) return true;
  return std::any_of(std::begin(kAlso), std::end(kAlso),
                     [&](const Also& also) { return also.group == group && also.type == def.type().view(); });
}

nb::dict Describe(const Operator& op) {
  nb::dict out;
  out["type"] = NewText(op.type());
  out["group"] = NewText(op.def->es_group());
  out["inputs"] = Describe(op.def->inputs());
  out["outputs"] = Describe(op.def->outputs());
  nb::list attrs;
  for (const ops::AttrDef* a : op.attrs) {
    nb::object value = a->required ? nb::none() : DefaultToPython(a->default_value);
    attrs.append(nb::make_tuple(NewText(a->name.view()), NameOf(a->type), a->required, value));
  }
  out["attrs"] = attrs;
  nb::list subgraphs;
  for (const ops::SubgraphDef& s : op.def->subgraphs()) {
    subgraphs.append(nb::make_tuple(NewText(s.name.view()), s.kind == ops::SubgraphKind::kDynamic));
  }
  out["subgraphs"] = subgraphs;
  return out;
}

}  // namespace

const char* NameOf(AttrType type) {
  switch (type) {
    case AttrType::kInt: return "int";
    case AttrType::kFloat: return "float";
    case AttrType::kBool: return "bool";
    case AttrType::kString: return "str";
    case AttrType::kType: return "DataType";
    case AttrType::kTensor: return "Tensor";
    case AttrType::kListInt: return "List[int]";
    case AttrType::kListFloat: return "List[float]";
    case AttrType::kListBool: return "List[bool]";
    case AttrType::kListString: return "List[str]";
    case AttrType::kListType: return "List[DataType]";
    case AttrType::kListListInt: return "List[List[int]]";
  }
  return "object";
}

bool AttrTypeOfName(std::string_view name, AttrType* out) {
  for (int i = 0; i <= static_cast<int>(AttrType::kListListInt); ++i) {
    *out = static_cast<AttrType>(i);
    if (name == NameOf(*out)) return true;
  }
  return false;
}

Operator::Operator(const ops::OpDef* d) : def(d) {
  for (bool required : {true, false}) {
    for (const ops::AttrDef& a : d->attrs()) {
      if (a.required == required) attrs.push_back(&a);
    }
  }
  bool all_optional = true;
  for (const ops::IoDef& io : d->inputs()) {
    all_optional &= io.kind == IoKind::kOptional;
    num_dynamic_inputs += io.kind == IoKind::kDynamic;
  }
  for (const ops::IoDef& io : d->outputs()) num_dynamic_outputs += io.kind == IoKind::kDynamic;
  tensor_like = d->inputs().size() > 1 || all_optional;
}

void BindEsOperators(nb::module_& m) {
  nb::class_<Operator>(m, "EsOperator", "What an operator function of ge.es calls.")
      .def("describe", [](const Operator& op) { return Describe(op); },
           "Inputs, outputs, attributes (required ones first) and subgraphs.")
      .def("offered_by", [](const Operator& op, nb::str group) { return OfferedBy(*op.def, Text(group)); })
      .def_rw("output_class", &Operator::output_class);

  m.def(
      "es_operator",
      [](nb::str type) -> nb::object {
        const ops::OpDef* def = ops::FindOp(ir::Symbol(Text(type)));
        return def ? nb::cast(Operator(def)) : nb::none();
      },
      "The operator of that type, or None.");
  m.def(
      "es_operator_names",
      [](nb::str group) {
        std::string_view wanted = Text(group);
        nb::list out;
        for (const ops::OpDef* def : ops::AllOps()) {
          if (OfferedBy(*def, wanted)) out.append(NewText(def->type().view()));
        }
        return out;
      },
      "Types of the operators a group offers, sorted; 'all' offers every one.");
  m.def(
      "es_call",
      [](const Operator& op, nb::handle inputs, nb::handle attrs) { return CallOperator(op, inputs, attrs, {}, {}, {}); },
      "Makes a node: a tuple of its inputs, a tuple of its attributes in the order of describe().");
  m.def(
      "es_call_full",
      [](const Operator& op, nb::handle inputs, nb::handle attrs, nb::handle builder, nb::handle counts,
         nb::handle subgraphs) { return CallOperator(op, inputs, attrs, builder, counts, subgraphs); },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
      "The same with a builder or None, the counts of dynamic outputs and the subgraphs.");
}

}  // namespace ge::bridge
