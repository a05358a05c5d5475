#include "formats/onnx/node_importer.h"

#include "base/strings.h"
#include "custom_op/onnx_plugin.h"
#include "formats/onnx/attr_forms.h"
#include "formats/onnx/dtype_map.h"
#include "formats/onnx/map_custom.h"
#include "formats/onnx/private_attrs.h"
#include "formats/onnx/subgraph_names.h"
#include "formats/onnx/tensor_codec.h"
#include "ops/op_def.h"

namespace ge::formats::onnx {

Status NodeImporter::Import(const NodeView& view) {
  view_ = &view;
  auto filled = [](const std::vector<std::string_view>& names) {
    size_t n = names.size();
    while (n > 0 && names[n - 1].empty()) --n;
    return n;
  };
  num_inputs_ = filled(view.inputs);
  num_outputs_ = filled(view.outputs);
  auto reset = [this] {
    taken_ = 0;
    pending_.clear();
    defaulted_.clear();
    extras_.clear();
  };
  status_ = Status();
  reset();
  if (view.attrs.size() <= 64 && (!view.domain.empty() || custom_op::HasOnnxPlugins())) {
    const bool done = ImportCustom(*this);
    GE_RETURN_IF_ERROR(status_);
    if (done) return Status::Ok();
    reset();
  }
  if (view.domain.empty() && view.attrs.size() <= 64) {
    bool done = false;
    if (view.op_type == "Constant") {
      done = ImportConstant();
    } else if (const ImportRule* rule = MappingTable::Get().FindImport(view.op_type, opset())) {
      done = rule->row != nullptr ? ImportRow(*rule->row) : rule->fn(*this);
    }
    if (!status_.ok()) return status_;
    if (done) return Status::Ok();
    reset();
  }
  return ImportOpaque();
}

bool NodeImporter::Refuse(std::string_view why) {
  status_ = Status::Error(StrCat("node '", view_->name, "' of type '", view_->domain.empty() ? "ai.onnx" : view_->domain,
                                 "::", view_->op_type, "' cannot be read: ", why));
  return false;
}

bool NodeImporter::Arity(size_t required, size_t max, size_t max_outputs) const {
  if (num_inputs_ > max || num_outputs_ > max_outputs) return false;
  for (size_t i = 0; i < required; ++i) {
    if (!has_input(i)) return false;
  }
  return true;
}

const ir::TensorDesc* NodeImporter::Desc(size_t i) const {
  if (!has_input(i)) return nullptr;
  ir::Anchor source = g_.Producer(view_->inputs[i]);
  return source ? &source.node->output_desc(source.index) : nullptr;
}

const ir::Tensor* NodeImporter::ConstInput(size_t i) const {
  if (!has_input(i)) return nullptr;
  ir::Anchor source = g_.Producer(view_->inputs[i]);
  return source ? source.node->const_value() : nullptr;
}

bool NodeImporter::FixedInts(size_t i, std::vector<int64_t>* out) const {
  const ir::Tensor* t = ConstInput(i);
  if (t == nullptr || t->desc.dtype != ir::DataType::kInt64 || t->desc.shape.rank() != 1) return false;
  ir::Anchor source = g_.Producer(view_->inputs[i]);
  return source.node->attr<int64_t>(Private().input_position) == nullptr && ir::ReadIntegers(*t, out);
}

// ---- attributes ---------------------------------------------------------------------------------------------------------

const AttrView* NodeImporter::Take(std::string_view name) {
  for (size_t i = 0; i < view_->attrs.size(); ++i) {
    if (view_->attrs[i].name != name) continue;
    taken_ |= uint64_t{1} << i;
    return &view_->attrs[i];
  }
  return nullptr;
}

bool NodeImporter::Int(std::string_view name, int64_t absent, int64_t* out) {
  const AttrView* a = Take(name);
  *out = a == nullptr ? absent : a->i;
  return a == nullptr || (a->kind == AttrKind::kInt && a->plain);
}

bool NodeImporter::Float(std::string_view name, float absent, float* out) {
  const AttrView* a = Take(name);
  *out = a == nullptr ? absent : a->f;
  return a == nullptr || (a->kind == AttrKind::kFloat && a->plain);
}

bool NodeImporter::String(std::string_view name, std::string_view absent, std::string* out) {
  const AttrView* a = Take(name);
  *out = a == nullptr ? absent : a->s;
  return a == nullptr || (a->kind == AttrKind::kString && a->plain);
}

bool NodeImporter::Ints(std::string_view name, std::vector<int64_t>* out, bool* present) {
  const AttrView* a = Take(name);
  *present = a != nullptr;
  return a == nullptr || (a->kind == AttrKind::kInts && a->plain && a->Ints(out));
}

bool NodeImporter::Floats(std::string_view name, std::vector<float>* out, bool* present) {
  const AttrView* a = Take(name);
  *present = a != nullptr;
  return a == nullptr || (a->kind == AttrKind::kFloats && a->plain && a->Floats(out));
}

bool NodeImporter::Tensor(std::string_view name, ir::AttrValue* out) {
  const AttrView* a = Take(name);
  return a != nullptr && a->kind == AttrKind::kTensor && ConvertFreely(*a, out);
}

bool NodeImporter::UnnamedTensor(std::string_view name, ir::AttrValue* out) {
  const AttrView* a = Take(name);
  if (a == nullptr || a->kind != AttrKind::kTensor) return false;
  auto t = DecodeTensor(a->t, g_.file(), g_.external());
  if (!t.ok() || t.value().foreign_type != 0) return false;
  if (t.value().external) g_.NoteExternalData();
  *out = ir::TensorPtr(t.value().tensor);
  return true;
}

bool NodeImporter::IntIs(std::string_view name, int64_t absent, int64_t wanted) {
  const AttrView* a = view_->Find(name);  // not taken: it is written again as it was
  return a == nullptr ? absent == wanted : a->kind == AttrKind::kInt && a->i == wanted;
}

bool NodeImporter::ConvertByRule(const AttrRule& rule, const AttrView& attr, ir::AttrValue* out) {
  if (!attr.plain) return false;
  AttrForm form = rule.form;
  if (attr.kind != OnnxKindOf(form)) return false;
  switch (attr.kind) {
    case AttrKind::kInt: return IntFromOnnx(form, attr.i, out);
    case AttrKind::kFloat: *out = attr.f; return true;
    case AttrKind::kString:
      if (form == AttrForm::kIntLists) return IntListsFromOnnx(attr.s, out);
      *out = std::string(attr.s);
      return true;
    case AttrKind::kFloats: {
      std::vector<float> values;
      if (!attr.Floats(&values)) return false;
      *out = std::move(values);
      return true;
    }
    case AttrKind::kStrings: {
      std::vector<std::string> values;
      if (!attr.Strings(&values)) return false;
      *out = std::move(values);
      return true;
    }
    case AttrKind::kInts: {
      std::vector<int64_t> values;
      return attr.Ints(&values) && IntsFromOnnx(form, std::move(values), out);
    }
    default: return false;
  }
}

bool NodeImporter::Rules(ir::Symbol ge_type, const std::vector<AttrRule>& rules) {
  const ops::OpDef* def = nullptr;
  bool looked_up = false;
  for (const AttrRule& rule : rules) {
    ir::AttrValue value;
    if (const AttrView* attr = Take(rule.onnx)) {
      if (!ConvertByRule(rule, *attr, &value)) return false;
      Set(rule.ge, std::move(value));
      continue;
    }
    if (rule.onnx_default.index() == 0) continue;
    if (!looked_up) {
      def = ops::FindOp(ge_type);
      looked_up = true;
    }
    // Where both sides agree on what absence means, it stays absent.
    const ops::AttrDef* ge_attr = def == nullptr ? nullptr : def->FindAttr(rule.ge);
    if (ge_attr != nullptr && ir::Equal(ge_attr->default_value, rule.onnx_default)) continue;
    Set(rule.ge, rule.onnx_default);
    defaulted_.emplace_back(rule.ge.view());
  }
  return true;
}

bool NodeImporter::ConvertFreely(const AttrView& attr, ir::AttrValue* out) {
  if (!attr.plain) return false;
  switch (attr.kind) {
    case AttrKind::kInt: *out = attr.i; return true;
    case AttrKind::kFloat: *out = attr.f; return true;
    case AttrKind::kString: *out = std::string(attr.s); return true;
    case AttrKind::kInts: {
      std::vector<int64_t> v;
      if (!attr.Ints(&v)) return false;
      *out = std::move(v);
      return true;
    }
    case AttrKind::kFloats: {
      std::vector<float> v;
      if (!attr.Floats(&v)) return false;
      *out = std::move(v);
      return true;
    }
    case AttrKind::kStrings: {
      std::vector<std::string> v;
      if (!attr.Strings(&v)) return false;
      *out = std::move(v);
      return true;
    }
    case AttrKind::kTensor: {
      auto t = DecodeTensor(attr.t, g_.file(), g_.external());
      if (!t.ok()) {
        status_ = t.status().WithContext(StrCat("attribute '", attr.name, "'"));
        return false;
      }
      if (t.value().foreign_type != 0 || !t.value().name.empty() || !t.value().other_fields.empty()) return false;
      if (t.value().external) g_.NoteExternalData();
      *out = ir::TensorPtr(t.value().tensor);
      return true;
    }
    default: return false;
  }
}

bool NodeImporter::Rest() {
  for (size_t i = 0; i < view_->attrs.size(); ++i) {
    if (taken_ >> i & 1) continue;
    const AttrView& attr = view_->attrs[i];
    ir::Symbol name(attr.name);
    for (const auto& p : pending_) {
      if (p.first == name) return false;
    }
    ir::AttrValue value;
    if (!ConvertFreely(attr, &value)) return false;
    Set(name, std::move(value));
    extras_.emplace_back(attr.name);
  }
  return true;
}

// ---- creation -----------------------------------------------------------------------------------------------------------

ir::Anchor NodeImporter::Const(ir::TensorPtr value, std::string_view suffix) {
  std::string_view base = view_->name.empty() ? view_->op_type : view_->name;
  ir::Node* node = g_.AddNode(ir::Common().Const, StrCat(base, "_", suffix), "Const", 0, 1);
  graph().SetOutputDesc(node, 0, value->desc);
  graph().SetAttr(node, ir::Common().value, std::move(value));
  return {node, 0};
}

ir::Node* NodeImporter::Create(ir::Symbol ge_type, uint32_t inputs, uint32_t outputs) {
  node_ = g_.AddNode(ge_type, view_->name, view_->op_type, inputs, outputs);
  for (auto& [name, value] : pending_) graph().SetAttr(node_, name, std::move(value));
  const PrivateAttrs& names = Private();
  if (!defaulted_.empty()) graph().SetAttr(node_, names.defaulted, defaulted_);
  if (!extras_.empty()) graph().SetAttr(node_, names.extras, extras_);
  if (!view_->other_fields.empty()) graph().SetAttr(node_, names.node_fields, ir::Bytes{view_->other_fields});
  for (uint32_t i = 0; i < num_outputs_ && i < outputs; ++i) {
    Status status = g_.Produce(view_->outputs[i], node_, i);
    if (!status.ok() && status_.ok()) status_ = status;
  }
  return node_;
}

bool NodeImporter::ImportRow(const OpRow& row) {
  std::string_view spec = row.inputs;
  if (num_outputs_ > static_cast<size_t>(row.onnx_outputs)) return false;
  bool dynamic = spec == "*";
  if (dynamic) {
    if (!Arity(num_inputs_, num_inputs_, row.onnx_outputs)) return false;
  } else {
    size_t known = 0;
    for (char c : spec) {
      bool required = c >= '0' && c <= '9';
      size_t i = required ? static_cast<size_t>(c - '0') : static_cast<size_t>(c - 'a');
      if (c == '-') continue;
      if (required && !has_input(i)) return false;
      known = std::max(known, i + 1);
    }
    if (num_inputs_ > known) return false;
  }
  if (!Rules(row.ge_symbol, row.attrs)) return false;
  for (const FixedAttr& fixed : row.fixed) Set(fixed.ge, fixed.value);
  if (!Rest()) return false;
  Create(row.ge_symbol, static_cast<uint32_t>(dynamic ? num_inputs_ : spec.size()), static_cast<uint32_t>(row.ge_outputs));
  for (uint32_t slot = 0; slot < node_->num_inputs(); ++slot) {
    char c = dynamic ? '0' : spec[slot];
    if (c == '-') continue;
    Connect(slot, dynamic ? slot : static_cast<size_t>(c >= 'a' ? c - 'a' : c - '0'));
  }
  return true;
}

bool NodeImporter::ImportConstant() {
  if (num_inputs_ != 0 || num_outputs_ != 1 || view_->attrs.size() != 1) return false;
  const AttrView& attr = view_->attrs[0];
  ir::TensorPtr tensor;
  int64_t foreign_type = 0;
  std::string fields;
  if (attr.name == "value" && attr.kind == AttrKind::kTensor && attr.plain) {
    auto t = DecodeTensor(attr.t, g_.file(), g_.external());
    if (!t.ok()) {
      status_ = t.status();
      return false;
    }
    if (t.value().external) g_.NoteExternalData();
    tensor = t.value().tensor;
    foreign_type = t.value().foreign_type;
    fields = TensorNameField(t.value().name) + t.value().other_fields;
  } else {
    ir::AttrValue value;
    if (!ConvertFreely(attr, &value)) return false;
    tensor = TensorFromValue(attr.name, value);
    if (tensor == nullptr) return false;
  }
  Take(attr.name);
  ir::TensorDesc desc = tensor->desc;
  Set(ir::Common().value, std::move(tensor));
  Set(Private().constant, std::string(attr.name));
  if (foreign_type != 0) Set(Private().elem_type, foreign_type);
  if (!fields.empty()) Set(Private().tensor_fields, ir::Bytes{std::move(fields)});
  g_.NoteConstant(Create(ir::Common().Const, 0, 1));
  graph().SetOutputDesc(node_, 0, std::move(desc));
  return true;
}

Status NodeImporter::ImportOpaque() {
  std::string type = StrCat(view_->domain.empty() ? "ai.onnx" : view_->domain, "::", view_->op_type);
  NameSet captured;
  for (const AttrView& attr : view_->attrs) {
    ir::AttrValue value;
    if (attr.kind == AttrKind::kGraph || attr.kind == AttrKind::kGraphs) {
      std::vector<std::string_view> graphs;
      GE_RETURN_IF_ERROR(GraphsOfAttr(attr.proto, &graphs));
      for (std::string_view graph : graphs) GE_RETURN_IF_ERROR(CollectOuterNames(graph, &captured));
    }
    if (!ConvertFreely(attr, &value)) {
      GE_RETURN_IF_ERROR(status_);
      GE_RETURN_IF_ERROR(g_.OpenNested(Part::kAttribute, attr.proto));
      value = ir::Bytes{std::string(attr.proto)};
    }
    Set(attr.name, std::move(value));
  }
  if (view_->domain.find("::") != std::string_view::npos) Set(Private().domain, std::string(view_->domain));
  auto explicit_inputs = static_cast<uint32_t>(view_->inputs.size());
  auto outputs = static_cast<uint32_t>(view_->outputs.size());
  std::vector<std::string> captures;
  for (const auto& entry : captured) captures.emplace_back(entry.first);
  auto total = explicit_inputs + static_cast<uint32_t>(captures.size());
  if (!captures.empty()) Set(Private().captures, std::move(captures));
  Create(ir::Symbol(type), total, outputs);
  for (uint32_t i = 0; i < explicit_inputs; ++i) Connect(i, i);
  uint32_t slot = explicit_inputs;
  for (const auto& entry : captured) g_.Use(entry.first, node_, slot++);
  return status_;
}

}  // namespace ge::formats::onnx
