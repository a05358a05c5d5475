#include "ops/infer_context.h"

#include <algorithm>

#include "base/strings.h"

namespace ge::ops {

void InferContext::Reset(ir::Node* node, const OpDef* def) {
  node_ = node;
  def_ = def;
  // Functions may look at output 0 of a node that has none.
  if (outputs_.size() < node->num_outputs() || outputs_.empty()) outputs_.resize(std::max(1u, node->num_outputs()));
  for (uint32_t i = 0; i < node->num_outputs(); ++i) {
    outputs_[i].set = false;
    outputs_[i].format.reset();
  }
}

ir::Anchor InferContext::anchor(size_t input, size_t k) const {
  SlotRange r = slots(input);
  return k < r.count ? node_->input(r.first + static_cast<uint32_t>(k)) : ir::Anchor{};
}

const ir::TensorDesc& InferContext::input(size_t input, size_t k) const {
  static const ir::TensorDesc* undefined = new ir::TensorDesc;
  SlotRange r = slots(input);
  if (k >= r.count) return *undefined;
  uint32_t slot = r.first + static_cast<uint32_t>(k);
  // What feeds the input counts; a desc of its own stands in only where nothing does.
  if (ir::Anchor a = node_->input(slot)) return a.node->output_desc(a.index);
  return node_->input_desc(slot);
}

const ir::Tensor* InferContext::const_input(size_t input, size_t k) const {
  ir::Anchor a = anchor(input, k);
  return a ? a.node->const_value() : nullptr;
}

std::optional<DimList> InferContext::ints(size_t input) const {
  const Values* v = values(input);
  if (v == nullptr) return std::nullopt;
  DimList out;
  for (const Scalar& s : v->items) {
    if (!s.is_int()) return std::nullopt;
    out.push_back(s.i);
  }
  return out;
}

std::optional<int64_t> InferContext::int_value(size_t input) const {
  const Values* v = values(input);
  if (v == nullptr || v->size() != 1 || !(*v)[0].is_int()) return std::nullopt;
  return (*v)[0].i;
}

const ir::AttrValue* InferContext::Find(ir::Symbol name) const {
  if (const ir::AttrValue* v = node_->attrs().Find(name)) return v;
  const AttrDef* a = def_->FindAttr(name);
  return a != nullptr && !a->required ? &a->default_value : nullptr;
}

int64_t InferContext::Int(ir::Symbol name, int64_t fallback) const {
  const ir::AttrValue* v = Find(name);
  if (v == nullptr) return fallback;
  if (const auto* i = std::get_if<int64_t>(v)) return *i;
  if (const auto* b = std::get_if<bool>(v)) return *b;
  if (const auto* t = std::get_if<ir::DataType>(v)) return static_cast<int64_t>(*t);
  return fallback;
}

double InferContext::Float(ir::Symbol name, double fallback) const {
  const ir::AttrValue* v = Find(name);
  if (v == nullptr) return fallback;
  if (const auto* f = std::get_if<float>(v)) return *f;
  if (const auto* i = std::get_if<int64_t>(v)) return static_cast<double>(*i);
  return fallback;
}

bool InferContext::Bool(ir::Symbol name, bool fallback) const { return Int(name, fallback) != 0; }

std::string_view InferContext::String(ir::Symbol name, std::string_view fallback) const {
  const ir::AttrValue* v = Find(name);
  const auto* s = v ? std::get_if<std::string>(v) : nullptr;
  return s ? std::string_view(*s) : fallback;
}

std::span<const int64_t> InferContext::Ints(ir::Symbol name) const {
  const ir::AttrValue* v = Find(name);
  const auto* list = v ? std::get_if<std::vector<int64_t>>(v) : nullptr;
  return list ? std::span<const int64_t>(*list) : std::span<const int64_t>();
}

ir::DataType InferContext::Type(ir::Symbol name, ir::DataType fallback) const {
  int64_t n = Int(name, -1);
  return n >= 0 && n < static_cast<int64_t>(ir::DataType::kMax) ? static_cast<ir::DataType>(n) : fallback;
}

void InferContext::SetOutput(size_t slot, const ir::Shape& shape, ir::DataType dtype) {
  if (slot >= node_->num_outputs()) return;
  Output& out = outputs_[slot];
  out.shape = shape;
  out.dtype = dtype;
  out.set = true;
}

void InferContext::SetValues(size_t slot, Values values) {
  if (slot < node_->num_outputs() && values.size() <= kMaxFollowed) {
    store_->Set({node_, static_cast<uint32_t>(slot)}, values);
  }
}

void InferContext::SetValues(size_t slot, const ResultValues& result) {
  if (!result.known) return;
  std::span<Scalar> items = NewValues(result.items.size());
  std::copy(result.items.begin(), result.items.end(), items.begin());
  SetValues(slot, {items, result.scalar});
}

Status InferContext::Error(std::string_view expected, std::string_view found, std::string_view remedy) const {
  return Status::Error(StrCat("cannot infer the outputs of node '", node_->name(), "' (", node_->type().view(),
                              "): expected ", expected, ", found ", found, "; ", remedy));
}

std::string InferContext::InputText(size_t input, size_t k) const {
  std::string text = "input '";
  text += input < def_->inputs().size() ? def_->inputs()[input].name.view() : std::string_view("?");
  if (input < def_->inputs().size() && def_->inputs()[input].kind == IoKind::kDynamic) text += StrCat(k);
  return text + "'";
}

}  // namespace ge::ops
