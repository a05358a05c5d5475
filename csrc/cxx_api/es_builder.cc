// The graph builder of the public API.
#include "cxx_api/access.h"
// After core.h, see there.
#include "ge/es_graph_builder.h"
#include "ir/attr.h"

namespace ge {
inline namespace v1 {

using v1::detail::Access;
using v1::detail::NoteProblem;

namespace es {
namespace {

namespace ir = ge_core::ir;
namespace ops = ge_core::ops;

}  // namespace

namespace detail {

struct Builder {
  ir::GraphPtr graph;
  uint64_t next_number = 0;
  std::map<int64_t, ir::Node *> inputs;
  std::map<int64_t, ir::Anchor> outputs;
  bool built = false;
  std::string problem;  // the first

  // Why the graph cannot be built any more.
  void Fail(std::string why) {
    std::string text = ge_core::StrCat("building graph '", graph->name(), "': ", why);
    if (problem.empty()) problem = text;
    NoteProblem(std::move(text));
  }
  bool Open(std::string_view what) {
    if (built) Fail(ge_core::StrCat(what, " after it was built; make a new EsGraphBuilder for another graph"));
    return !built;
  }
  std::string NextName(std::string_view type) { return ge_core::StrCat(type, "_", next_number++); }
  ir::Node *AddConst(ir::TensorPtr value) {
    ir::Node *node = graph->AddNode(ir::Common().Const, NextName("Const"), 0, 1);
    graph->InitOutput(node, 0, value->desc, {}, false);
    graph->SetAttr(node, ir::Common().value, std::move(value));
    return node;
  }
};

struct Held {
  std::shared_ptr<Builder> builder;
  ir::Anchor anchor;
  GNode producer;
};

struct EsAccess {
  static std::shared_ptr<Builder> &Of(EsGraphBuilder &builder) { return builder.builder_; }
  static const Held *Of(const EsTensorHolder &tensor) { return tensor.held_.get(); }
  static EsTensorHolder Make(const std::shared_ptr<Builder> &builder, ir::Anchor anchor) {
    EsTensorHolder made;
    made.held_ = std::make_shared<Held>(Held{builder, anchor, Access::Make(anchor.node)});
    return made;
  }
  static const EsTensorHolder &Tensor(const EsTensorLike &like) { return like.tensor_; }
  static ir::TensorPtr Value(const EsTensorLike &like) {
    return std::static_pointer_cast<const ir::Tensor>(like.value_);
  }
  static bool IsNothing(const EsTensorLike &like) { return like.kind_ == EsTensorLike::Kind::kNothing; }
  static bool IsConst(const EsTensorLike &like) { return like.kind_ == EsTensorLike::Kind::kConst; }
};

}  // namespace detail

using detail::EsAccess;

// ---- tensors ----------------------------------------------------------------------------------------------------------

GNode *EsTensorHolder::GetProducer() const { return held_ ? &held_->producer : nullptr; }
int32_t EsTensorHolder::GetProducerOutIndex() const { return held_ ? static_cast<int32_t>(held_->anchor.index) : -1; }

namespace {

EsTensorHolder Binary(const char *type, const EsTensorHolder &a, const EsTensorHolder &b) {
  return OpCall(type).Input(a).Input(b).Output();
}

// Applies `change` to the desc of the tensor.
template <typename Change>
void ChangeDesc(const detail::Held *held, Change change) {
  if (held == nullptr || Access::Core(held->producer) == nullptr || held->anchor.node->graph() == nullptr) return;
  ir::TensorDesc desc = held->anchor.node->output_desc(held->anchor.index);
  change(desc);
  held->anchor.node->graph()->SetOutputDesc(held->anchor.node, held->anchor.index, std::move(desc));
}

}  // namespace

EsTensorHolder EsTensorHolder::operator+(const EsTensorHolder &other) const { return Binary("Add", *this, other); }
EsTensorHolder EsTensorHolder::operator-(const EsTensorHolder &other) const { return Binary("Sub", *this, other); }
EsTensorHolder EsTensorHolder::operator*(const EsTensorHolder &other) const { return Binary("Mul", *this, other); }
EsTensorHolder EsTensorHolder::operator/(const EsTensorHolder &other) const { return Binary("Div", *this, other); }

const EsTensorHolder &EsTensorHolder::SetDataType(DataType type) const {
  ChangeDesc(held_.get(), [&](ir::TensorDesc &desc) { desc.dtype = static_cast<ir::DataType>(type); });
  return *this;
}

const EsTensorHolder &EsTensorHolder::SetFormat(Format format) const {
  ChangeDesc(held_.get(), [&](ir::TensorDesc &desc) {
    desc.format = desc.origin_format = static_cast<ir::Format>(format);
  });
  return *this;
}

const EsTensorHolder &EsTensorHolder::SetShape(const std::vector<int64_t> &dims) const {
  ChangeDesc(held_.get(), [&](ir::TensorDesc &desc) { desc.shape = ir::Shape(dims); });
  return *this;
}

void EsTensorLike::Ints(const std::vector<int64_t> &values, const std::vector<int64_t> &dims) {
  value_ = ir::MakeTensor<int64_t>(ir::DataType::kInt64, ir::Shape(dims), values);
}

void EsTensorLike::Floats(const std::vector<float> &values, const std::vector<int64_t> &dims) {
  value_ = ir::MakeTensor<float>(ir::DataType::kFloat, ir::Shape(dims), values);
}

// ---- the builder --------------------------------------------------------------------------------------------------------

EsGraphBuilder::EsGraphBuilder(const AscendString &name) : builder_(std::make_shared<detail::Builder>()) {
  builder_->graph = ir::Graph::Create(Access::View(name));
}
EsGraphBuilder::~EsGraphBuilder() = default;
EsGraphBuilder::EsGraphBuilder(EsGraphBuilder &&) noexcept = default;
EsGraphBuilder &EsGraphBuilder::operator=(EsGraphBuilder &&) noexcept = default;

EsTensorHolder EsGraphBuilder::CreateInput(int64_t index, const AscendString &name, DataType type, Format format,
                                           const std::vector<int64_t> &dims) {
  detail::Builder &b = *builder_;
  if (!b.Open("CreateInput")) return {};
  if (index < 0 || b.inputs.count(index) != 0) {
    b.Fail(ge_core::StrCat("input ", index, index < 0 ? " must have a number from 0 on" : " exists already; use the next number"));
    return {};
  }
  std::string given(Access::View(name));
  ir::Node *node = b.graph->AddNode(ir::Common().Data, given.empty() ? ge_core::StrCat("input_", index) : given, 0, 1);
  b.graph->SetAttr(node, ir::Common().index, index);
  b.graph->InitOutput(node, 0,
                      ir::TensorDesc(ir::Shape(dims), static_cast<ir::DataType>(type), static_cast<ir::Format>(format)),
                      {}, false);
  b.inputs.emplace(index, node);
  return EsAccess::Make(builder_, {node, 0});
}

std::vector<EsTensorHolder> EsGraphBuilder::CreateInputs(size_t count, size_t first) {
  std::vector<EsTensorHolder> out;
  for (size_t i = 0; i < count; ++i) out.push_back(CreateInput(static_cast<int64_t>(first + i)));
  return out;
}

EsTensorHolder EsGraphBuilder::CreateConst(const Tensor &value) {
  detail::Builder &b = *builder_;
  if (!b.Open("CreateConst")) return {};
  if (value.IsValid() != GRAPH_SUCCESS) {
    b.Fail(ge_core::StrCat("a constant of ", value.GetSize(), " bytes does not have the size that its shape and type ask for"));
    return {};
  }
  return EsAccess::Make(builder_, {b.AddConst(Access::Core(value)), 0});
}

graphStatus EsGraphBuilder::SetOutput(const EsTensorHolder &tensor, int64_t index) {
  detail::Builder &b = *builder_;
  if (!b.Open("SetOutput")) return GRAPH_FAILED;
  const detail::Held *held = EsAccess::Of(tensor);
  if (held == nullptr || held->builder != builder_) {
    b.Fail(ge_core::StrCat("output ", index, " must be a tensor of this builder, found ",
                           held == nullptr ? "an empty one" : "one of another builder"));
    return GRAPH_FAILED;
  }
  if (index < 0 || !b.outputs.emplace(index, held->anchor).second) {
    b.Fail(ge_core::StrCat("output ", index, index < 0 ? " must have a number from 0 on" : " is set already; use the next number"));
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

std::unique_ptr<Graph> EsGraphBuilder::BuildAndReset(const std::vector<EsTensorHolder> &outputs) {
  detail::Builder &b = *builder_;
  auto next = static_cast<int64_t>(b.outputs.size());
  for (const EsTensorHolder &tensor : outputs) SetOutput(tensor, next++);
  if (!b.Open("BuildAndReset")) return nullptr;
  auto has_gaps = [](const auto &numbered) {
    return !numbered.empty() && numbered.rbegin()->first + 1 != static_cast<int64_t>(numbered.size());
  };
  if (has_gaps(b.inputs)) b.Fail("its inputs are not numbered without gaps");
  if (has_gaps(b.outputs)) b.Fail("its outputs are not numbered without gaps");
  b.built = true;
  if (!b.problem.empty()) {
    NoteProblem(b.problem);
    return nullptr;
  }
  auto count = static_cast<uint32_t>(b.outputs.size());
  ir::Node *ends = b.graph->AddNode(ir::Common().NetOutput, ge_core::StrCat("NetOutput_", b.graph->name()), count, 0);
  uint32_t slot = 0;
  for (const auto &entry : b.outputs) b.graph->ConnectNew(entry.second, ends, slot++);
  return std::make_unique<Graph>(Access::Make(b.graph));
}

// ---- operators ----------------------------------------------------------------------------------------------------------

struct OpCall::Data {
  ir::Symbol type;
  std::shared_ptr<detail::Builder> owner;
  std::vector<EsTensorLike> inputs;
  std::vector<int64_t> dynamic_counts;
  std::vector<std::pair<ir::Symbol, ir::AttrValue>> attrs;

  void FindOwner() {
    for (const EsTensorLike &input : inputs) {
      const detail::Held *held = EsAccess::Of(EsAccess::Tensor(input));
      if (held == nullptr) continue;
      owner = held->builder;
      return;
    }
  }
  // What feeds an input; empty for one that is left open. False if it cannot be used.
  bool Source(const EsTensorLike &input, ir::Anchor *source) {
    if (EsAccess::IsNothing(input)) return true;
    if (EsAccess::IsConst(input)) {
      *source = {owner->AddConst(EsAccess::Value(input)), 0};
      return true;
    }
    const detail::Held *held = EsAccess::Of(EsAccess::Tensor(input));
    if (held != nullptr && held->builder == owner) {
      *source = held->anchor;
      return true;
    }
    owner->Fail(ge_core::StrCat("an input of operator '", type.view(), "' is ",
                                held == nullptr ? "an empty tensor" : "a tensor of another builder"));
    return false;
  }
};

OpCall::OpCall(const char *type, EsGraphBuilder *owner) : data_(std::make_unique<Data>()) {
  data_->type = ir::Symbol(type);
  if (owner != nullptr) data_->owner = EsAccess::Of(*owner);
}
OpCall::~OpCall() = default;

OpCall &OpCall::Input(const EsTensorLike &input) {
  data_->inputs.push_back(input);
  return *this;
}

OpCall &OpCall::DynamicInput(const std::vector<EsTensorHolder> &inputs) {
  data_->dynamic_counts.push_back(static_cast<int64_t>(inputs.size()));
  for (const EsTensorHolder &input : inputs) data_->inputs.emplace_back(input);
  return *this;
}

OpCall &OpCall::Attr(const char *name, const AttrValue &value) {
  const ir::AttrValue *core = Access::Core(value);
  if (core == nullptr) return *this;
  ir::Symbol symbol(name);
  const ops::OpDef *def = ops::FindOp(data_->type);
  const ops::AttrDef *attr = def == nullptr ? nullptr : def->FindAttr(symbol);
  if (attr != nullptr && !attr->required && ir::Equal(attr->default_value, *core)) return *this;
  data_->attrs.emplace_back(symbol, *core);
  return *this;
}

std::vector<EsTensorHolder> OpCall::Outputs(size_t count) {
  std::vector<EsTensorHolder> out(count);
  Data &d = *data_;
  if (d.owner == nullptr) d.FindOwner();
  if (d.owner == nullptr) {
    NoteProblem(ge_core::StrCat("operator '", d.type.view(), "' needs at least one tensor among its inputs, or its builder"));
    return out;
  }
  if (!d.owner->Open(d.type.view())) return out;
  // Constants come before the operator that uses them.
  std::vector<ir::Anchor> sources(d.inputs.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!d.Source(d.inputs[i], &sources[i])) return out;
  }
  ir::Graph &graph = *d.owner->graph;
  ir::Node *node = graph.AddNode(d.type, d.owner->NextName(d.type.view()), static_cast<uint32_t>(sources.size()),
                                 static_cast<uint32_t>(count));
  for (uint32_t i = 0; i < sources.size(); ++i) {
    if (sources[i]) graph.ConnectNew(sources[i], node, i);
  }
  for (auto &[name, value] : d.attrs) graph.SetAttr(node, name, std::move(value));
  if (d.dynamic_counts.size() > 1) graph.SetAttr(node, ir::Symbol("_dynamic_input_counts"), d.dynamic_counts);
  for (uint32_t i = 0; i < count; ++i) out[i] = EsAccess::Make(d.owner, {node, i});
  return out;
}

EsTensorHolder OpCall::Output() { return Outputs(1)[0]; }

}  // namespace es
}  // namespace v1
}  // namespace ge
