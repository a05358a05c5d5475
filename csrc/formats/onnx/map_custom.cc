#include "formats/onnx/map_custom.h"

#include <algorithm>

#include "base/strings.h"
#include "custom_op/factory.h"
#include "custom_op/onnx_plugin.h"
#include "custom_op/prototype.h"
#include "formats/onnx/attr_forms.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"
#include "formats/onnx/private_attrs.h"
#include "ops/op_def.h"

namespace ge::formats::onnx {
namespace {

// Where a custom operator goes that no model gave a domain.
constexpr std::string_view kOwnDomain = "ge.custom";

const ops::OpDef* FindCustomDef(ir::Symbol type) {
  const ops::OpDef* def = ops::FindOp(type);
  return def != nullptr && def->es_group() == custom_op::kOpGroup ? def : nullptr;
}

AttrForm FormOf(ops::AttrType type) {
  switch (type) {
    case ops::AttrType::kInt: return AttrForm::kInt;
    case ops::AttrType::kFloat: return AttrForm::kFloat;
    case ops::AttrType::kBool: return AttrForm::kBool;
    case ops::AttrType::kString: return AttrForm::kString;
    case ops::AttrType::kType: return AttrForm::kDataType;
    case ops::AttrType::kTensor: return AttrForm::kTensor;
    case ops::AttrType::kListInt: return AttrForm::kInts;
    case ops::AttrType::kListFloat: return AttrForm::kFloats;
    case ops::AttrType::kListBool: return AttrForm::kBools;
    case ops::AttrType::kListString: return AttrForm::kStrings;
    case ops::AttrType::kListType: return AttrForm::kDataTypes;
    case ops::AttrType::kListListInt: return AttrForm::kIntLists;
  }
  return AttrForm::kInt;
}

std::string_view TypeName(ops::AttrType type) {
  switch (type) {
    case ops::AttrType::kInt: return "an int";
    case ops::AttrType::kFloat: return "a float";
    case ops::AttrType::kBool: return "a bool";
    case ops::AttrType::kString: return "a string";
    case ops::AttrType::kType: return "a DataType";
    case ops::AttrType::kTensor: return "a tensor";
    case ops::AttrType::kListInt: return "a list of ints";
    case ops::AttrType::kListFloat: return "a list of floats";
    case ops::AttrType::kListBool: return "a list of bools";
    case ops::AttrType::kListString: return "a list of strings";
    case ops::AttrType::kListType: return "a list of DataTypes";
    case ops::AttrType::kListListInt: return "a list of lists of ints";
  }
  return "a value";
}

std::string_view KindName(AttrKind kind) {
  switch (kind) {
    case AttrKind::kFloat: return "FLOAT";
    case AttrKind::kInt: return "INT";
    case AttrKind::kString: return "STRING";
    case AttrKind::kTensor: return "TENSOR";
    case AttrKind::kGraph: return "GRAPH";
    case AttrKind::kFloats: return "FLOATS";
    case AttrKind::kInts: return "INTS";
    case AttrKind::kStrings: return "STRINGS";
    default: return "a value of another kind";
  }
}

// ---- import -------------------------------------------------------------------------------------------------------------

// Which ONNX input feeds each slot of the node; dynamic inputs take what `counts` says, or one of them what is left over.
bool Slots(NodeImporter& n, const ops::OpDef& def, const std::vector<int64_t>& counts, std::vector<size_t>* slots) {
  size_t fixed = 0, dynamic = 0;
  for (const ops::IoDef& input : def.inputs()) {
    ++(input.kind == ops::IoKind::kDynamic ? dynamic : fixed);
  }
  const size_t given = n.num_inputs();
  if (dynamic > 1 && counts.size() != dynamic) {
    return n.Refuse(StrCat("custom operator '", def.type().view(), "' has ", dynamic,
                           " dynamic inputs, and ONNX does not say how many elements each has; map the node with an ONNX "
                           "plugin that calls register_dynamic_input"));
  }
  if (dynamic == 0 && given > fixed) {
    return n.Refuse(StrCat("custom operator '", def.type().view(), "' has ", fixed, " input(s), the node has ", given));
  }
  size_t left = given > fixed ? given - fixed : 0;
  size_t next = 0, seen = 0;
  for (size_t i = 0; i < def.inputs().size(); ++i) {
    size_t count = 1;
    if (def.inputs()[i].kind == ops::IoKind::kDynamic) {
      count = seen < counts.size() ? static_cast<size_t>(counts[seen]) : left;
      ++seen;
    } else if (def.inputs()[i].kind == ops::IoKind::kRequired && !n.has_input(next)) {
      return n.Refuse(StrCat("input '", def.inputs()[i].name.view(), "' of custom operator '", def.type().view(),
                             "' is required, the node leaves it out"));
    }
    for (size_t k = 0; k < count; ++k) slots->push_back(next++);
  }
  return true;
}

uint32_t OutputsOf(const NodeImporter& n, const ops::OpDef& def) {
  const auto given = static_cast<uint32_t>(n.view().outputs.size());
  if (def.has_dynamic_output()) return given;
  return std::max(given, static_cast<uint32_t>(def.outputs().size()));
}

bool Attributes(NodeImporter& n, const ops::OpDef& def) {
  std::vector<AttrRule> rules;
  for (const ops::AttrDef& attr : def.attrs()) {
    const AttrView* found = n.view().Find(attr.name.view());
    const AttrForm form = FormOf(attr.type);
    if (found == nullptr) {
      if (!attr.required) continue;
      return n.Refuse(StrCat("attribute '", attr.name.view(), "' of custom operator '", def.type().view(),
                             "' is required, the node leaves it out"));
    }
    if (found->kind != OnnxKindOf(form)) {
      return n.Refuse(StrCat("attribute '", attr.name.view(), "' of custom operator '", def.type().view(), "' must be ",
                             KindName(OnnxKindOf(form)), " in ONNX, found ", KindName(found->kind)));
    }
    if (form == AttrForm::kTensor) {
      ir::AttrValue value;
      if (!n.UnnamedTensor(attr.name.view(), &value)) {
        return n.Refuse(StrCat("attribute '", attr.name.view(), "' of custom operator '", def.type().view(),
                               "' is a tensor that cannot be read"));
      }
      n.Set(attr.name, std::move(value));
    } else {
      rules.emplace_back(attr.name.view(), attr.name.view(), form);
    }
  }
  if (!n.Rules(def.type(), rules)) {
    return n.Refuse(StrCat("an attribute of custom operator '", def.type().view(), "' has a value that its prototype's "
                           "type cannot hold"));
  }
  return n.Rest();
}

void CreateConnected(NodeImporter& n, ir::Symbol type, const std::vector<size_t>& slots, uint32_t outputs) {
  n.Create(type, static_cast<uint32_t>(slots.size()), outputs);
  for (uint32_t slot = 0; slot < slots.size(); ++slot) n.Connect(slot, slots[slot]);
}

std::vector<size_t> InOrder(const NodeImporter& n) {
  std::vector<size_t> slots(n.num_inputs());
  for (size_t i = 0; i < slots.size(); ++i) slots[i] = i;
  return slots;
}

// What a plugin is shown; false if the node has an attribute that plugins do not get.
bool View(NodeImporter& n, std::string_view domain, int64_t opset, custom_op::OnnxNode* out) {
  const NodeView& view = n.view();
  out->name = view.name;
  out->origin_type = StrCat(domain, "::", opset, "::", view.op_type);
  out->inputs.assign(view.inputs.begin(), view.inputs.end());
  out->outputs.assign(view.outputs.begin(), view.outputs.end());
  for (const AttrView& attr : view.attrs) {
    ir::AttrValue value;
    const bool plain = attr.kind == AttrKind::kFloat || attr.kind == AttrKind::kInt || attr.kind == AttrKind::kString ||
                       attr.kind == AttrKind::kFloats || attr.kind == AttrKind::kInts || attr.kind == AttrKind::kStrings;
    if (!plain || attr.name.empty() || !n.Free(attr, &value)) {
      return n.Refuse(StrCat("attribute '", attr.name, "' is ", KindName(attr.kind),
                             ": an ONNX plugin takes FLOAT, INT, STRING and lists of them"));
    }
    out->attrs.emplace_back(attr.name, std::move(value));
  }
  return true;
}

bool IsOfType(const ir::AttrValue& value, ops::AttrType type) {
  switch (type) {
    case ops::AttrType::kInt: return std::holds_alternative<int64_t>(value);
    case ops::AttrType::kFloat: return std::holds_alternative<float>(value);
    case ops::AttrType::kBool: return std::holds_alternative<bool>(value);
    case ops::AttrType::kString: return std::holds_alternative<std::string>(value);
    case ops::AttrType::kType: return std::holds_alternative<ir::DataType>(value);
    case ops::AttrType::kTensor: return std::holds_alternative<ir::TensorPtr>(value);
    case ops::AttrType::kListInt: return std::holds_alternative<std::vector<int64_t>>(value);
    case ops::AttrType::kListFloat: return std::holds_alternative<std::vector<float>>(value);
    case ops::AttrType::kListBool: return std::holds_alternative<std::vector<bool>>(value);
    case ops::AttrType::kListString: return std::holds_alternative<std::vector<std::string>>(value);
    case ops::AttrType::kListType: return std::holds_alternative<std::vector<ir::DataType>>(value);
    case ops::AttrType::kListListInt: return std::holds_alternative<std::vector<std::vector<int64_t>>>(value);
  }
  return false;
}

// set_attr takes an empty list for one of floats.
bool SetEmptyList(ops::AttrType type, ir::AttrValue* value) {
  const auto* floats = std::get_if<std::vector<float>>(value);
  if (floats == nullptr || !floats->empty()) return false;
  switch (type) {
    case ops::AttrType::kListInt: *value = std::vector<int64_t>(); return true;
    case ops::AttrType::kListBool: *value = std::vector<bool>(); return true;
    case ops::AttrType::kListString: *value = std::vector<std::string>(); return true;
    case ops::AttrType::kListType: *value = std::vector<ir::DataType>(); return true;
    case ops::AttrType::kListListInt: *value = std::vector<std::vector<int64_t>>(); return true;
    default: return false;
  }
}

// What a plugin has set, held to the prototype of its target.
bool FitAttributes(NodeImporter& n, const custom_op::OnnxPlugin& plugin, const ops::OpDef& def, ir::AttrMap* attrs) {
  auto refuse = [&](ir::Symbol attr, std::string_view what) {
    return n.Refuse(StrCat("attribute '", attr.view(), "' of operator '", def.type().view(), "' ", what, " by ONNX plugin '",
                           plugin.descriptor_key, "'"));
  };
  for (const ops::AttrDef& attr : def.attrs()) {
    const ir::AttrValue* found = attrs->Find(attr.name);
    if (found == nullptr) {
      if (attr.required) return refuse(attr.name, "is required and was not set");
      continue;
    }
    ir::AttrValue value = *found;
    if (SetEmptyList(attr.type, &value)) {
      attrs->Set(attr.name, std::move(value));
    } else if (!IsOfType(value, attr.type)) {
      return refuse(attr.name, StrCat("must be ", TypeName(attr.type), ", another kind of value was set"));
    }
  }
  return true;
}

// Elements of each dynamic input of the prototype, in its order; none if the plugin registered no dynamic input.
bool DynamicCounts(NodeImporter& n, const custom_op::OnnxPlugin& plugin, const custom_op::ParsedNode& parsed,
                   const ops::OpDef* def, std::vector<int64_t>* counts) {
  std::vector<const custom_op::ParsedNode::Port*> ports;
  for (const auto& port : parsed.inputs) {
    if (port.dynamic) ports.push_back(&port);
  }
  if (ports.empty()) return true;
  auto refuse = [&](std::string_view what) {
    return n.Refuse(StrCat("ONNX plugin '", plugin.descriptor_key, "' ", what));
  };
  if (def == nullptr) {
    for (const auto* port : ports) counts->push_back(port->count);
    return true;
  }
  uint64_t fixed = 0, elements = 0;
  for (const ops::IoDef& input : def->inputs()) {
    if (input.kind != ops::IoKind::kDynamic) {
      ++fixed;
      continue;
    }
    const auto named = std::find_if(ports.begin(), ports.end(), [&](auto* port) { return port->name == input.name.view(); });
    if (named == ports.end()) {
      return refuse(StrCat("did not register dynamic input '", input.name.view(), "' of operator '", def->type().view(), "'"));
    }
    counts->push_back((*named)->count);
    elements += (*named)->count;
    ports.erase(named);
  }
  if (!ports.empty()) {
    return refuse(StrCat("registered dynamic input '", ports[0]->name, "', which operator '", def->type().view(),
                         "' does not have"));
  }
  const uint64_t given = n.num_inputs();
  if (elements > given || fixed + elements < given) {
    return refuse(StrCat("registered ", elements, " element(s) of dynamic inputs, the node has ", given, " input(s)"));
  }
  return true;
}

bool ImportByPlugin(NodeImporter& n, const custom_op::OnnxPlugin& plugin, std::string_view domain, int64_t opset) {
  custom_op::OnnxNode shown;
  if (!View(n, domain, opset, &shown)) return false;
  custom_op::ParsedNode parsed;
  if (Status status = plugin.parse(plugin, shown, &parsed); !status.ok()) return n.Refuse(status.message());
  const ir::Symbol type(plugin.target);
  const ops::OpDef* def = ops::FindOp(type);
  std::vector<int64_t> counts;
  if (!DynamicCounts(n, plugin, parsed, def, &counts)) return false;
  if (def != nullptr && !FitAttributes(n, plugin, *def, &parsed.attrs)) return false;
  std::vector<size_t> slots;
  if (def == nullptr) {
    slots = InOrder(n);
  } else if (!Slots(n, *def, counts, &slots)) {
    return false;
  }
  for (const auto& [name, value] : parsed.attrs) n.Set(name, value);
  if (counts.size() > 1) n.Set("_dynamic_input_counts", counts);
  // Goes out as it came in, for as long as nobody changes what the plugin made.
  std::vector<ir::Bytes> originals;
  for (const AttrView& attr : n.view().attrs) originals.push_back({std::string(attr.proto)});
  n.Set(Private().plugin_origin, StrCat(n.view().domain, "::", n.view().op_type));
  n.Set(Private().plugin_attributes, std::move(originals));
  n.Set(Private().plugin_result, std::make_shared<const ir::AttrMap>(parsed.attrs));
  if (!n.view().domain.empty()) n.Set(Private().domain, std::string(n.view().domain));
  CreateConnected(n, type, slots, def == nullptr ? static_cast<uint32_t>(n.view().outputs.size()) : OutputsOf(n, *def));
  return true;
}

}  // namespace

bool ImportCustom(NodeImporter& n) {
  const NodeView& view = n.view();
  if (view.domain.empty() && !custom_op::HasOnnxPlugins()) return false;
  const std::string_view domain = view.domain.empty() ? "ai.onnx" : view.domain;
  const int64_t opset = n.OpsetOf(view.domain);
  if (const auto plugin = custom_op::FindOnnxPlugin(domain, opset, view.op_type))
    return ImportByPlugin(n, *plugin, domain, opset);
  if (view.domain.empty()) return false;
  const ir::Symbol type(view.op_type);
  std::vector<size_t> slots;
  uint32_t outputs = static_cast<uint32_t>(view.outputs.size());
  if (const ops::OpDef* def = FindCustomDef(type)) {
    if (!Slots(n, *def, {}, &slots) || !Attributes(n, *def)) return false;
    outputs = OutputsOf(n, *def);
  } else if (CustomOpFactory::IsExistOp(view.op_type)) {
    // An implementation without a prototype: all is as the model has it.
    slots = InOrder(n);
    if (!n.Rest()) return false;
  } else {
    return false;
  }
  n.Set(Private().domain, std::string(view.domain));
  n.NoteCustomDomain();
  CreateConnected(n, type, slots, outputs);
  return true;
}

// ---- export -------------------------------------------------------------------------------------------------------------

namespace {

bool Unchanged(const ir::Node& node) {
  const auto* result = node.attr<ir::NamedAttrsPtr>(Private().plugin_result);
  if (result == nullptr || *result == nullptr) return false;
  for (const auto& [name, value] : **result) {
    const ir::AttrValue* now = node.attrs().Find(name);
    if (now == nullptr || !ir::Equal(*now, value)) return false;
  }
  for (const auto& [name, value] : node.attrs()) {
    if (name.view().substr(0, 1) != "_" && (*result)->Find(name) == nullptr) return false;
  }
  return true;
}

std::string_view DomainOf(const NodeExporter& n) {
  const ir::Node& node = n.node();
  if (const auto* domain = node.attr<std::string>(Private().domain)) return *domain;
  for (const ir::Node* other : node.graph()->NodesOfType(node.type())) {
    if (const auto* domain = other->attr<std::string>(Private().domain)) return *domain;
  }
  const std::string_view noted = n.NotedDomain(node.type());
  return noted.empty() ? kOwnDomain : noted;
}

void Ports(NodeExporter& n, std::vector<std::string_view>* inputs, std::vector<std::string_view>* outputs) {
  for (uint32_t i = 0; i < n.node().num_inputs(); ++i) inputs->push_back(n.In(i));
  for (uint32_t i = 0; i < n.node().num_outputs(); ++i) outputs->push_back(n.OutIfUsed(i, i == 0));
  while (!inputs->empty() && inputs->back().empty()) inputs->pop_back();
  while (outputs->size() > 1 && outputs->back().empty()) outputs->pop_back();
}

// Without a prototype here (an .air of another process) all attributes are the operator's own, but for those of the core.
// What the import kept as extras is written with the end of the node.
void WriteUndeclared(NodeExporter& n) {
  const auto* extras = n.node().attr<std::vector<std::string>>(Private().extras);
  for (const auto& [name, value] : n.node().attrs()) {
    const std::string_view text = name.view();
    const bool kept = extras != nullptr && std::find(extras->begin(), extras->end(), text) != extras->end();
    if (text.substr(0, 1) != "_" && !kept) n.WriteValue(text, value);
  }
}

}  // namespace

bool IsCustom(const ir::Node& node) {
  if (Unchanged(node)) return true;
  const bool came = node.attr<std::string>(Private().domain) != nullptr;
  if (came && node.type().view().find("::") != std::string_view::npos) return false;
  const ops::OpDef* def = ops::FindOp(node.type());
  const bool custom = def != nullptr && def->es_group() == custom_op::kOpGroup;
  // A prototype may override an operator that ONNX has; nodes of that one stay ONNX's own. Without the prototype a node
  // may have come from a domain with the name of an operator of ours.
  return MappingTable::Get().FindExport(node.type()) == nullptr ? came || custom : came && (custom || def == nullptr);
}

Status ExportCustom(NodeExporter& n) {
  const ir::Node& node = n.node();
  std::vector<std::string_view> inputs, outputs;
  Ports(n, &inputs, &outputs);
  if (Unchanged(node)) {
    const std::string_view origin = *node.attr<std::string>(Private().plugin_origin);
    const size_t colons = origin.rfind("::");
    n.BeginIn(origin.substr(0, colons), origin.substr(colons + 2), inputs, outputs);
    if (const auto* originals = node.attr<std::vector<ir::Bytes>>(Private().plugin_attributes)) {
      for (const ir::Bytes& attr : *originals) n.WriteValue("", attr);
    }
    n.End();
    return Status::Ok();
  }
  n.BeginIn(DomainOf(n), node.type().view(), inputs, outputs);
  if (const ops::OpDef* def = FindCustomDef(node.type())) {
    for (const ops::AttrDef& attr : def->attrs()) {
      if (const ir::AttrValue* value = node.attrs().Find(attr.name)) n.WriteValue(attr.name.view(), *value);
    }
  } else {
    WriteUndeclared(n);
  }
  n.End();
  return Status::Ok();
}

}  // namespace ge::formats::onnx
