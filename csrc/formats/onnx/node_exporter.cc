#include "formats/onnx/node_exporter.h"

#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/attr_forms.h"
#include "formats/onnx/cast_tensor.h"
#include "formats/onnx/dtype_map.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/map_custom.h"
#include "formats/onnx/op_versions.h"
#include "formats/onnx/private_attrs.h"
#include "formats/onnx/tensor_codec.h"
#include "ops/op_def.h"

namespace ge::formats::onnx {

Status NodeExporter::Export(const ir::Node& node) {
  node_ = &node;
  if (node.is_const()) return ExportConstant();
  if (IsCustom(node)) return ExportCustom(*this);
  if (const ExportRule* rule = MappingTable::Get().FindExport(node.type())) {
    return rule->row != nullptr ? ExportRow(*rule->row) : rule->fn(*this);
  }
  if (node.type().view().find("::") != std::string_view::npos) return ExportOpaque();
  const ops::OpDef* def = ops::FindOp(node.type());
  // By its definition also where it has lost its subgraphs.
  if (!node.subgraphs().empty() || (def != nullptr && !def->subgraphs().empty())) {
    return Fail("its branches or bodies are graphs of GE, and those are not turned into the graphs inside of an ONNX "
                "node; put what they compute into the graph in a pass, or save in another format, such as AIR");
  }
  return Fail("ONNX has no operator for it; replace it in a pass or save in another format");
}

Status NodeExporter::Fail(std::string_view why) const {
  bool has_remedy = why.find("; ") != std::string_view::npos;
  return Status::Error(StrCat("node '", node_->name(), "' of type '", node_->type().view(),
                              "' cannot be written as ONNX: ", why,
                              has_remedy ? "" : "; change the node in a pass or save in another format"),
                       "E19999");
}

// ---- the GE node --------------------------------------------------------------------------------------------------------

const ir::Tensor* NodeExporter::Const(uint32_t slot) const {
  return has(slot) ? node_->input(slot).node->const_value() : nullptr;
}

bool NodeExporter::ConstInts(uint32_t slot, std::vector<int64_t>* out) const {
  const ir::Tensor* t = Const(slot);
  return t != nullptr && ir::ReadIntegers(*t, out);
}

namespace {
template <typename T>
const T* AttrOr(const ir::Node& node, std::string_view name) {
  ir::Symbol symbol(name);
  if (const ir::AttrValue* v = node.attrs().Find(symbol)) return std::get_if<T>(v);
  const ops::OpDef* def = ops::FindOp(node.type());
  const ops::AttrDef* attr = def == nullptr ? nullptr : def->FindAttr(symbol);
  return attr == nullptr ? nullptr : std::get_if<T>(&attr->default_value);
}
}  // namespace

int64_t NodeExporter::Int(std::string_view name, int64_t absent) const {
  const int64_t* v = AttrOr<int64_t>(*node_, name);
  return v == nullptr ? absent : *v;
}
bool NodeExporter::Bool(std::string_view name, bool absent) const {
  const bool* v = AttrOr<bool>(*node_, name);
  return v == nullptr ? absent : *v;
}
float NodeExporter::Float(std::string_view name, float absent) const {
  const float* v = AttrOr<float>(*node_, name);
  return v == nullptr ? absent : *v;
}
std::string NodeExporter::String(std::string_view name, std::string_view absent) const {
  const std::string* v = AttrOr<std::string>(*node_, name);
  return v == nullptr ? std::string(absent) : *v;
}
std::vector<int64_t> NodeExporter::Ints(std::string_view name) const {
  const auto* v = AttrOr<std::vector<int64_t>>(*node_, name);
  return v == nullptr ? std::vector<int64_t>() : *v;
}

bool NodeExporter::CameFrom(std::string_view onnx_op) const {
  const std::string* origin = node_->attr<std::string>(Private().origin);
  return origin != nullptr && *origin == onnx_op;
}

bool NodeExporter::Defaulted(std::string_view ge_name) const {
  const auto* names = node_->attr<std::vector<std::string>>(Private().defaulted);
  if (names == nullptr) return false;
  for (const std::string& n : *names) {
    if (n == ge_name) return true;
  }
  return false;
}

// ---- tensors ------------------------------------------------------------------------------------------------------------

std::string_view NodeExporter::In(uint32_t slot) { return has(slot) ? g_.Read(node_->input(slot)) : std::string_view(); }

std::string_view NodeExporter::InAs(uint32_t slot, ir::DataType type) {
  if (!has(slot)) return {};
  ir::Anchor source = node_->input(slot);
  ir::DataType have = desc(slot).dtype;
  if (const ir::Tensor* value = source.node->const_value()) have = value->desc.dtype;
  if (have == type || have == ir::DataType::kUndefined) return In(slot);
  for (const GraphExporter::Derived& d : g_.derived()) {
    if (d.source == source && d.purpose == static_cast<int64_t>(type)) return d.name;
  }
  std::string base = StrCat(source.node->name(), "_as_", ir::Name(type).substr(3));
  std::string_view name;
  ir::TensorPtr converted;
  if (const ir::Tensor* value = source.node->const_value()) converted = CastTensor(*value, type);
  if (converted != nullptr) {
    name = g_.AddInitializer(base, std::move(converted));
  } else {
    std::string_view input = In(slot);
    name = g_.NewTensorName(base);
    Open("Cast", "", g_.NewNodeName(StrCat(node_->name(), "_cast")), std::span(&input, 1), std::span(&name, 1));
    WriteInt("to", ToOnnxType(type));
    End();
  }
  g_.derived().push_back({source, static_cast<int64_t>(type), name});
  return name;
}

std::string_view NodeExporter::OldConst(std::string_view name, const std::vector<int64_t>& values) {
  if (const ir::Node* old = g_.ConstOfTensor(name)) {
    std::vector<int64_t> held;
    const ir::TensorDesc& desc = old->const_value()->desc;
    const bool same = desc.dtype == ir::DataType::kInt64 && desc.shape.rank() == 1 &&
                      ir::ReadIntegers(*old->const_value(), &held) && held == values;
    // A Constant node may have been moved behind this one.
    if (same && (g_.IsInitializer(*old) || g_.Precedes(*old, *node_))) return g_.Read({const_cast<ir::Node*>(old), 0});
  }
  return g_.AddInitializer(
      name, ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(values.size())}, values));
}

std::string_view NodeExporter::NewConst(std::string_view suffix, ir::TensorPtr value) {
  return g_.AddInitializer(StrCat(node_->name(), "_", suffix), std::move(value));
}

std::string_view NodeExporter::NewScalar(std::string_view suffix, double value, ir::DataType type) {
  auto as_float = ir::ScalarTensor(static_cast<float>(value));
  if (type == ir::DataType::kFloat || type == ir::DataType::kUndefined) return NewConst(suffix, std::move(as_float));
  return NewConst(suffix, CastTensor(*ir::MakeTensor<double>(ir::DataType::kDouble, {}, std::span(&value, 1)), type));
}

std::string_view NodeExporter::Temp(std::string_view suffix) {
  return g_.NewTensorName(StrCat(node_->name(), "_", suffix));
}

// ---- writing ------------------------------------------------------------------------------------------------------------

std::string_view NodeExporter::OnnxName() const {
  const auto* renamed = node_->attr<std::vector<std::string>>(Private().renamed);
  if (renamed != nullptr && renamed->size() == 2 && (*renamed)[0] == node_->name()) return (*renamed)[1];
  return node_->name();
}

void NodeExporter::Open(std::string_view op_type, std::string_view domain, std::string_view name,
                        std::span<const std::string_view> inputs, std::span<const std::string_view> outputs) {
  wire::Writer& out = g_.out();
  mark_ = out.Begin(GraphField::kNode);
  for (std::string_view i : inputs) out.Bytes(NodeField::kInput, i);
  for (std::string_view o : outputs) out.Bytes(NodeField::kOutput, o);
  if (!name.empty()) out.Bytes(NodeField::kName, name);
  out.Bytes(NodeField::kOpType, op_type);
  op_type_ = op_type;
  domain_ = domain;
  main_ = false;
  g_.UseDomain(domain);
}

void NodeExporter::Begin(std::string_view op_type, std::span<const std::string_view> inputs,
                         std::span<const std::string_view> outputs) {
  while (!inputs.empty() && inputs.back().empty()) inputs = inputs.first(inputs.size() - 1);
  Open(op_type, "", OnnxName(), inputs, outputs);
  main_ = true;
}

void NodeExporter::BeginIn(std::string_view domain, std::string_view op_type, std::span<const std::string_view> inputs,
                           std::span<const std::string_view> outputs) {
  Open(op_type, domain, OnnxName(), inputs, outputs);
  main_ = true;
}

void NodeExporter::BeginHelper(std::string_view suffix, std::string_view op_type,
                               std::initializer_list<std::string_view> inputs, std::string_view output) {
  Open(op_type, "", g_.NewNodeName(StrCat(node_->name(), "_", suffix)), std::span(inputs.begin(), inputs.size()),
       std::span(&output, 1));
}

void NodeExporter::WriteExtra(std::string_view op_type, std::string_view base_name, std::string_view input,
                              std::string_view output) {
  Open(op_type, "", g_.NewNodeName(base_name), std::span(&input, 1), std::span(&output, 1));
  End();
}

namespace {
// Name, then the value by `write`, then the kind.
template <typename Write>
void WriteAttr(wire::Writer& out, std::string_view name, AttrKind kind, Write write) {
  auto mark = out.Begin(NodeField::kAttribute);
  out.Bytes(AttrField::kName, name);
  write();
  out.Int(AttrField::kType, static_cast<int64_t>(kind));
  out.End(mark);
}
}  // namespace

void NodeExporter::WriteInt(std::string_view name, int64_t value) {
  WriteAttr(g_.out(), name, AttrKind::kInt, [&] { g_.out().Int(AttrField::kI, value); });
}
void NodeExporter::WriteFloat(std::string_view name, float value) {
  WriteAttr(g_.out(), name, AttrKind::kFloat, [&] { g_.out().Float(AttrField::kF, value); });
}
void NodeExporter::WriteString(std::string_view name, std::string_view value) {
  WriteAttr(g_.out(), name, AttrKind::kString, [&] { g_.out().Bytes(AttrField::kS, value); });
}
void NodeExporter::WriteInts(std::string_view name, std::span<const int64_t> values) {
  WriteAttr(g_.out(), name, AttrKind::kInts, [&] {
    for (int64_t v : values) g_.out().Int(AttrField::kInts, v);
  });
}
void NodeExporter::WriteFloats(std::string_view name, std::span<const float> values) {
  WriteAttr(g_.out(), name, AttrKind::kFloats, [&] {
    for (float v : values) g_.out().Float(AttrField::kFloats, v);
  });
}
void NodeExporter::WriteTensor(std::string_view name, const ir::Tensor& value) {
  WriteAttr(g_.out(), name, AttrKind::kTensor, [&] {
    EncodeOptions options;
    if (main_ && node_->is_const()) {
      options.external = g_.external();
      if (const auto* type = node_->attr<int64_t>(Private().elem_type)) options.foreign_type = *type;
      if (const auto* fields = node_->attr<ir::Bytes>(Private().tensor_fields)) options.other_fields = fields->data;
    }
    EncodeTensor(g_.out(), AttrField::kT, value, options);
  });
}

void NodeExporter::WriteValue(std::string_view name, const ir::AttrValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return WriteInt(name, *i);
  if (const auto* b = std::get_if<bool>(&value)) return WriteInt(name, *b ? 1 : 0);
  if (const auto* f = std::get_if<float>(&value)) return WriteFloat(name, *f);
  if (const auto* s = std::get_if<std::string>(&value)) return WriteString(name, *s);
  if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) return WriteInts(name, *v);
  if (const auto* v = std::get_if<std::vector<float>>(&value)) return WriteFloats(name, *v);
  if (const auto* t = std::get_if<ir::TensorPtr>(&value)) {
    if (*t != nullptr) WriteTensor(name, **t);
    return;
  }
  if (const auto* t = std::get_if<ir::DataType>(&value)) return WriteInt(name, ToOnnxType(*t));
  if (const auto* v = std::get_if<std::vector<std::vector<int64_t>>>(&value)) return WriteString(name, IntListsToOnnx(*v));
  for (AttrForm form : {AttrForm::kBools, AttrForm::kDataTypes}) {
    std::vector<int64_t> ints;
    if (IntsToOnnx(form, value, &ints)) return WriteInts(name, ints);
  }
  if (const auto* v = std::get_if<std::vector<std::string>>(&value)) {
    WriteAttr(g_.out(), name, AttrKind::kStrings, [&] {
      for (const std::string& s : *v) g_.out().Bytes(AttrField::kStrings, s);
    });
    return;
  }
  if (const auto* proto = std::get_if<ir::Bytes>(&value)) g_.WriteKept(Part::kAttribute, NodeField::kAttribute, proto->data);
}

Status NodeExporter::WriteRules(const std::vector<AttrRule>& rules) {
  const ops::OpDef* def = nullptr;
  bool looked_up = false;
  for (const AttrRule& rule : rules) {
    const ir::AttrValue* value = node_->attrs().Find(rule.ge);
    if (value != nullptr) {
      if (Defaulted(rule.ge.view()) && ir::Equal(*value, rule.onnx_default)) continue;
    } else {
      // GE's default is written down where it is not ONNX's.
      if (!looked_up) {
        def = ops::FindOp(node_->type());
        looked_up = true;
      }
      const ops::AttrDef* attr = def == nullptr ? nullptr : def->FindAttr(rule.ge);
      if (attr == nullptr || attr->default_value.index() == 0) continue;
      if (ir::Equal(attr->default_value, rule.onnx_default)) continue;
      value = &attr->default_value;
    }
    bool ok = true;
    switch (OnnxKindOf(rule.form)) {
      case AttrKind::kInt: {
        int64_t i = 0;
        ok = IntToOnnx(rule.form, *value, &i);
        if (ok) WriteInt(rule.onnx, i);
        break;
      }
      case AttrKind::kInts: {
        std::vector<int64_t> v;
        ok = IntsToOnnx(rule.form, *value, &v);
        if (ok) WriteInts(rule.onnx, v);
        break;
      }
      case AttrKind::kFloat:
        ok = std::holds_alternative<float>(*value);
        if (ok) WriteFloat(rule.onnx, std::get<float>(*value));
        break;
      case AttrKind::kFloats:
        ok = std::holds_alternative<std::vector<float>>(*value);
        if (ok) WriteFloats(rule.onnx, std::get<std::vector<float>>(*value));
        break;
      case AttrKind::kStrings:
        ok = std::holds_alternative<std::vector<std::string>>(*value);
        if (ok) WriteValue(rule.onnx, *value);
        break;
      default:
        ok = std::holds_alternative<std::string>(*value);
        if (ok) WriteString(rule.onnx, std::get<std::string>(*value));
    }
    if (!ok) return Fail(StrCat("its attribute '", rule.ge.view(), "' has a value that ONNX cannot hold"));
  }
  return Status::Ok();
}

void NodeExporter::End() {
  wire::Writer& out = g_.out();
  if (main_) {
    if (const auto* extras = node_->attr<std::vector<std::string>>(Private().extras)) {
      for (const std::string& name : *extras) {
        const ir::AttrValue* value = node_->attrs().Find(ir::Symbol(name));
        if (value != nullptr && !AttrRemoved(op_type_, name, opset())) WriteValue(name, *value);
      }
    }
  }
  if (!domain_.empty()) out.Bytes(NodeField::kDomain, domain_);
  if (main_) {
    if (const auto* fields = node_->attr<ir::Bytes>(Private().node_fields)) out.Raw(fields->data);
  }
  out.End(mark_);
}

// ---- whole nodes --------------------------------------------------------------------------------------------------------

Status NodeExporter::Require(const FixedAttr& fixed, std::string_view onnx_op) const {
  const ir::AttrValue* value = node_->attrs().Find(fixed.ge);
  if (value == nullptr) {
    const ops::OpDef* def = ops::FindOp(node_->type());
    const ops::AttrDef* attr = def == nullptr ? nullptr : def->FindAttr(fixed.ge);
    if (attr != nullptr) value = &attr->default_value;
  }
  if (value == nullptr || ir::Equal(*value, fixed.value)) return Status::Ok();
  return Fail(StrCat("its attribute '", fixed.ge.view(), "' has a value that ONNX ", onnx_op, " does not know"));
}

Status NodeExporter::ExportRow(const OpRow& row) {
  std::string_view spec = row.inputs;
  bool dynamic = spec == "*";
  inputs_.clear();
  outputs_.clear();
  if (!dynamic && node_->num_inputs() > spec.size()) {
    return Fail(StrCat("expected at most ", spec.size(), " inputs, found ", node_->num_inputs()));
  }
  for (uint32_t slot = 0; slot < node_->num_inputs(); ++slot) {
    char c = dynamic ? '0' : spec[slot];
    if (!has(slot)) {
      if (c >= '0' && c <= '9') return Fail(StrCat("its input ", slot, " is not connected"));
      continue;
    }
    if (c == '-') return Fail(StrCat("ONNX ", row.onnx, " has no place for its input ", slot));
    size_t i = dynamic ? slot : static_cast<size_t>(c >= 'a' ? c - 'a' : c - '0');
    if (inputs_.size() <= i) inputs_.resize(i + 1);
    bool int64 = std::find(row.int64_slots.begin(), row.int64_slots.end(), slot) != row.int64_slots.end();
    inputs_[i] = int64 ? InInt64(slot) : In(slot);
  }
  for (const auto* list : {&row.fixed, &row.expected}) {
    for (const FixedAttr& fixed : *list) GE_RETURN_IF_ERROR(Require(fixed, row.onnx));
  }
  for (uint32_t i = 0; i < static_cast<uint32_t>(row.onnx_outputs) && i < node_->num_outputs(); ++i) {
    outputs_.push_back(g_.OutputName(*node_, i, i == 0));
  }
  while (outputs_.size() > 1 && outputs_.back().empty()) outputs_.pop_back();
  for (uint32_t i = static_cast<uint32_t>(row.onnx_outputs); i < node_->num_outputs(); ++i) {
    if (node_->num_uses(i) > 0) return Fail(StrCat("ONNX ", row.onnx, " has no output ", i, ", which is used"));
  }
  Begin(row.onnx, inputs_, outputs_);
  GE_RETURN_IF_ERROR(WriteRules(row.attrs));
  End();
  return Status::Ok();
}

namespace {
// Attributes that the framework puts on any node; all others of an opaque node are ONNX's.
bool OwnedByFramework(ir::Symbol name) {
  std::string_view text = name.view();
  return text.substr(0, 6) == "_onnx_" || text.substr(0, 10) == "_datadump_" || name == ir::Common().pass_name;
}
}  // namespace

Status NodeExporter::ExportOpaque() {
  std::string_view type = node_->type().view();
  // An operator's name may hold colons (aten::add); where the domain does, it is kept.
  const auto* kept = node_->attr<std::string>(Private().domain);
  size_t colons = kept != nullptr ? kept->size() : type.find("::");
  if (colons > type.size() || type.substr(colons, 2) != "::") return Fail("its type is not that of its domain");
  std::string_view domain = type.substr(0, colons);
  if (domain == "ai.onnx") domain = {};
  const auto* captures = node_->attr<std::vector<std::string>>(Private().captures);
  size_t captured = captures == nullptr ? 0 : captures->size();
  if (captured > node_->num_inputs()) return Fail("it has lost inputs that its subgraphs read");
  inputs_.clear();
  outputs_.clear();
  for (uint32_t i = 0; i < node_->num_inputs() - captured; ++i) inputs_.push_back(In(i));
  for (uint32_t i = 0; i < node_->num_outputs(); ++i) outputs_.push_back(g_.OutputName(*node_, i, false));
  // Captured tensors are read, too: their constants must go out.
  for (auto i = static_cast<uint32_t>(node_->num_inputs() - captured); i < node_->num_inputs(); ++i) In(i);
  Open(type.substr(colons + 2), domain, OnnxName(), inputs_, outputs_);
  main_ = true;
  for (const auto& [name, value] : node_->attrs()) {
    if (!OwnedByFramework(name)) WriteValue(name.view(), value);
  }
  End();
  return Status::Ok();
}

Status NodeExporter::ExportConstant() {
  const ir::Tensor* value = node_->const_value();
  if (value == nullptr) return Fail("it has no value; set its attribute 'value'");
  const std::string* form = node_->attr<std::string>(Private().constant);
  std::string_view out = Out();
  Begin("Constant", {}, std::span(&out, 1));
  ir::AttrValue short_form;
  if (form != nullptr && *form != "value") short_form = ValueFromTensor(*form, *value);
  if (short_form.index() != 0) {
    WriteValue(*form, short_form);
  } else {
    WriteTensor("value", *value);
  }
  End();
  return Status::Ok();
}

}  // namespace ge::formats::onnx
