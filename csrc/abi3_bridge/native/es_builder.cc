#include "abi3_bridge/native/es_builder.h"

#include <charconv>
#include <cstring>

#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_scopes.h"

namespace ge::bridge {
namespace {

// "<prefix>_<rest>" without an allocation for usual lengths.
class NodeName {
 public:
  NodeName(std::string_view prefix, std::string_view rest) {
    size_ = prefix.size() + 1 + rest.size();
    char* p = buffer_;
    if (size_ > sizeof buffer_) {
      long_.resize(size_);
      p = long_.data();
    }
    std::memcpy(p, prefix.data(), prefix.size());
    p[prefix.size()] = '_';
    std::memcpy(p + prefix.size() + 1, rest.data(), rest.size());
  }
  NodeName(std::string_view prefix, uint64_t number) : NodeName(prefix, Digits(number).view()) {}
  operator std::string_view() const {  // NOLINT: a name is a text
    return long_.empty() ? std::string_view(buffer_, size_) : std::string_view(long_);
  }

 private:
  struct Digits {
    explicit Digits(uint64_t number) { end = std::to_chars(text, text + sizeof text, number).ptr; }
    std::string_view view() const { return {text, static_cast<size_t>(end - text)}; }
    char text[24];
    char* end;
  };
  char buffer_[96];
  size_t size_;
  std::string long_;
};

// Remembers the tensors last made for a number; a collision replaces the older one. Needs the GIL.
template <typename T>
class ScalarCache {
 public:
  const ir::TensorPtr& Get(T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    Entry& e = entries_[((bits * 0x9E3779B97F4A7C15ull) >> 58) & (kSize - 1)];
    if (e.tensor == nullptr || e.bits != bits) {
      e.bits = bits;
      e.tensor = ir::ScalarTensor(value);
    }
    return e.tensor;
  }

 private:
  static constexpr size_t kSize = 64;
  struct Entry {
    uint64_t bits = 0;
    ir::TensorPtr tensor;
  };
  Entry entries_[kSize];
};

// Leaves of nested lists in row-major order.
struct Flat {
  std::vector<nb::handle> leaves;
  std::vector<int64_t> shape;
};

constexpr const char* kIrregular = "Irregular nested list: all sub-lists must have the same shape";
constexpr const char* kNotTensorLike = "Value must be int/float or nested lists of int|float";

void Flatten(nb::handle value, size_t depth, Flat* flat) {
  if (!IsList(value)) {
    if (!IsInt(value) && !IsFloat(value)) RaiseTypeError(StrCat(kNotTensorLike, ", found ", Shown(value.type())));
    // Lists end here on this branch; they must end here on all of them.
    if (depth != flat->shape.size()) RaiseValueError(kIrregular);
    flat->leaves.push_back(value);
    return;
  }
  constexpr size_t kDeepest = 64;  // a list may hold itself
  if (depth == kDeepest) RaiseTypeError(StrCat(kNotTensorLike, ", found more than ", kDeepest, " levels of lists"));
  Py_ssize_t n = PyList_Size(value.ptr());
  if (n == 0 && depth > 0) RaiseTypeError(StrCat(kNotTensorLike, ", found an empty inner list"));
  if (depth == flat->shape.size()) {
    if (!flat->leaves.empty()) RaiseValueError(kIrregular);
    flat->shape.push_back(n);
  } else if (flat->shape[depth] != n) {
    RaiseValueError(kIrregular);
  }
  for (Py_ssize_t i = 0; i < n; ++i) Flatten(PyList_GetItem(value.ptr(), i), depth + 1, flat);
}

ir::TensorPtr TensorOfList(nb::handle value) {
  Flat flat;
  Flatten(value, 0, &flat);
  bool any_float = false;
  for (nb::handle h : flat.leaves) any_float |= IsFloat(h);
  if (!any_float) {
    std::vector<int64_t> values;
    values.reserve(flat.leaves.size());
    for (nb::handle h : flat.leaves) values.push_back(WrappedInt(h));
    return ir::MakeTensor<int64_t>(ir::DataType::kInt64, ir::Shape(flat.shape), values);
  }
  std::vector<float> values;
  values.reserve(flat.leaves.size());
  for (nb::handle h : flat.leaves) {
    double v = PyFloat_AsDouble(h.ptr());
    if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
    values.push_back(static_cast<float>(v));
  }
  return ir::MakeTensor<float>(ir::DataType::kFloat, ir::Shape(flat.shape), values);
}

PyObject* holder_type = nullptr;

}  // namespace

void Builder::RequireOpen(const char* operation) const {
  if (built_) {
    RaiseRuntimeError(StrCat("Cannot ", operation, ": GraphBuilder has already been built. Create a new GraphBuilder to "
                             "build another graph"));
  }
}

void Builder::ApplyScopes(ir::Node* node) { ApplyOpenScopes(node); }

ir::Node* Builder::AddInput(int64_t index, ir::Symbol type, std::string_view name, ir::TensorDesc desc) {
  if (index < 0) RaiseRuntimeError(StrCat("failed to create input ", index, ": expected an index of 0 or more"));
  if (index < dense_inputs_ || other_inputs_.count(index) != 0) {
    RaiseRuntimeError(StrCat("failed to create input ", index, ": the graph '", this->name(),
                             "' has that input already; use the next free index"));
  }
  CheckOpenScopes(graph_.get());
  ir::Node* node = name.empty() ? graph_->AddNode(type, NodeName("input", static_cast<uint64_t>(index)), 0, 1)
                                : graph_->AddNode(type, name, 0, 1);
  graph_->SetAttr(node, ir::Common().index, index);
  graph_->SetOutputDesc(node, 0, std::move(desc));
  if (index == dense_inputs_) {
    ++dense_inputs_;
    while (!other_inputs_.empty() && other_inputs_.erase(dense_inputs_) != 0) ++dense_inputs_;
  } else {
    other_inputs_.emplace(index, node);
  }
  return node;
}

ir::Node* Builder::AddNode(ir::Symbol type, uint32_t num_inputs, uint32_t num_outputs) {
  CheckOpenScopes(graph_.get());
  return graph_->AddNode(type, NodeName(type.view(), next_number_++), num_inputs, num_outputs);
}

ir::Node* Builder::AddConst(ir::TensorPtr value) {
  ir::Node* node = AddNode(ir::Common().Const, 0, 1);
  graph_->SetOutputDesc(node, 0, value->desc);
  graph_->SetAttr(node, ir::Common().value, std::move(value));
  return node;
}

ir::Node* Builder::AddVariable(int64_t index, std::string_view name) {
  CheckOpenScopes(graph_.get());
  ir::Node* node = graph_->AddNode(ir::Common().Variable, name, 1, 1);
  graph_->SetAttr(node, ir::Common().index, index);
  return node;
}

void Builder::SetOutput(ir::Anchor tensor, int64_t index) {
  constexpr int64_t kMost = 1 << 20;
  if (index < 0 || index >= kMost) {
    RaiseRuntimeError(StrCat("failed to set graph output ", index, ": expected an index from 0 on"));
  }
  if (tensor.node->graph() != graph_.get() || tensor.index >= tensor.node->num_outputs()) {
    RaiseRuntimeError(StrCat("failed to set graph output ", index, ": expected an output of a node of graph '", name(),
                             "', found '", tensor.node->name(), "'"));
  }
  auto i = static_cast<size_t>(index);
  if (i >= outputs_.size()) outputs_.resize(i + 1);
  if (outputs_[i]) {
    RaiseRuntimeError(StrCat("failed to set graph output ", index, ": it is set already to '", outputs_[i].node->name(),
                             "'; use the next free index"));
  }
  outputs_[i] = tensor;
}

void Builder::CheckComplete() const {
  if (!other_inputs_.empty()) {
    RaiseRuntimeError(StrCat("failed to build graph '", name(), "': input ", dense_inputs_, " is missing while input ",
                             other_inputs_.begin()->first, " exists; create inputs without gaps"));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i]) {
      RaiseRuntimeError(StrCat("failed to build graph '", name(), "': output ", i, " is not set while output ",
                               outputs_.size() - 1, " is; set outputs without gaps"));
    }
  }
}

void Builder::Build(const std::vector<ir::Anchor>& outputs) {
  std::vector<ir::Anchor> before = outputs_;
  try {
    for (size_t i = 0; i < outputs.size(); ++i) SetOutput(outputs[i], static_cast<int64_t>(i));
    CheckComplete();
  } catch (...) {
    outputs_ = std::move(before);
    throw;
  }
  auto count = static_cast<uint32_t>(outputs_.size());
  ir::Node* net_output = graph_->AddNode(ir::Common().NetOutput, NodeName("NetOutput", name()), count, 0);
  for (uint32_t i = 0; i < count; ++i) graph_->Connect(outputs_[i], net_output, i);
  built_ = true;
}

TensorHolder* HolderOf(nb::handle h) {
  if (holder_type == nullptr) holder_type = nb::type<TensorHolder>().ptr();
  if (reinterpret_cast<PyObject*>(Py_TYPE(h.ptr())) == holder_type) return nb::inst_ptr<TensorHolder>(h);
  return As<TensorHolder>(h);
}

nb::object NewHolder(nb::handle owner, Builder* builder, ir::Anchor anchor) {
  return nb::cast(TensorHolder{nb::borrow(owner), builder, anchor});
}

ir::TensorPtr FloatScalar(float value) {
  static auto* cache = new ScalarCache<float>;
  return cache->Get(value);
}

ir::TensorPtr Int64Scalar(int64_t value) {
  static auto* cache = new ScalarCache<int64_t>;
  return cache->Get(value);
}

void RefuseMatched(nb::handle value, std::string_view taker) {
  static LazyAttr node_io("ge.passes._values", "NodeIo"), pattern_inputs("ge.passes.pattern", "PatternInputs");
  const nb::handle type = value.type();
  const char* cure = nullptr;
  if (type.is(pattern_inputs.get())) {
    cure = "all inputs; the first one is inputs[0]";
  } else if (type.is(node_io.get()) || nb::isinstance<PyMatch>(value) || nb::isinstance<PyNode>(value)) {
    cure = "a part of the model; what feeds the match is inputs[i] of replacement(self, inputs), or with a GraphBuilder "
           "create_input(i)";
  }
  if (cure == nullptr) return;
  RaiseTypeError(StrCat(taker, ": expected a tensor of the graph under construction, found '",
                        Shown(type.attr("__name__")), "', ", cure));
}

ir::Anchor ConstantOf(nb::handle value, Builder& builder) {
  ir::TensorPtr tensor;
  if (IsFloat(value)) {
    tensor = FloatScalar(static_cast<float>(PyFloat_AsDouble(value.ptr())));
  } else if (IsInt(value)) {
    tensor = Int64Scalar(WrappedInt(value));
  } else if (IsList(value)) {
    tensor = TensorOfList(value);
  } else {
    RefuseMatched(value, "an operand");
    RaiseTypeError(StrCat(kNotTensorLike, ", found ", Shown(value.type())));
  }
  ir::Node* node = builder.AddConst(std::move(tensor));
  builder.ApplyScopes(node);
  return {node, 0};
}

}  // namespace ge::bridge
