// What an inference function sees of its node, and where it puts the results.
#ifndef GE_OPS_INFER_CONTEXT_H_
#define GE_OPS_INFER_CONTEXT_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "ops/dim_list.h"
#include "ops/op_def.h"
#include "ops/values.h"

namespace ge::ops {

// What is known of the contents of a subgraph's results; `known` is false where nothing is.
struct ResultValues {
  bool known = false;
  bool scalar = false;
  std::vector<Scalar> items;
};

// Infers a subgraph of the current node; its Data descs have been set.
class SubgraphInferrer {
 public:
  virtual ~SubgraphInferrer() = default;
  // `inputs`: values of the subgraph's Data nodes by index (null: not known). `results`: null if nobody asks.
  virtual Status InferSubgraph(ir::Graph& graph, std::span<const Values* const> inputs,
                               std::vector<ResultValues>* results) = 0;
};

// One context is used for all nodes of a graph in turn. Inputs are addressed by IR index, and by `k` inside a dynamic
// input; outputs by slot. Everything about an input that is not there is unknown.
class GE_API InferContext {
 public:
  InferContext(ValueStore* store, SubgraphInferrer* subgraphs) : store_(store), subgraphs_(subgraphs) {}
  void Reset(ir::Node* node, const OpDef* def);

  ir::Node* node() const { return node_; }
  const OpDef& def() const { return *def_; }

  // ---- inputs -------------------------------------------------------------------------------------------------------
  // Slots of the IR input; 1 unless it is dynamic or left out.
  size_t count(size_t input) const { return slots(input).count; }
  // Whether something feeds it.
  bool has_input(size_t input, size_t k = 0) const { return static_cast<bool>(anchor(input, k)); }
  const ir::TensorDesc& input(size_t input, size_t k = 0) const;
  const ir::Shape& shape(size_t input, size_t k = 0) const { return this->input(input, k).shape; }
  ir::DataType dtype(size_t input, size_t k = 0) const { return this->input(input, k).dtype; }
  ir::Anchor anchor(size_t input, size_t k = 0) const;
  // The tensor, if a constant feeds the input.
  const ir::Tensor* const_input(size_t input, size_t k = 0) const;
  // Followed contents; null when nothing is known about them.
  const Values* values(size_t input, size_t k = 0) const { return store_->Find(anchor(input, k)); }
  // The contents as integers; nothing unless all are known.
  std::optional<DimList> ints(size_t input) const;
  // The one integer of a scalar or one-element input.
  std::optional<int64_t> int_value(size_t input) const;

  // ---- attributes: as set, else the declared default, else the fallback ---------------------------------------------
  int64_t Int(ir::Symbol name, int64_t fallback = 0) const;
  double Float(ir::Symbol name, double fallback = 0) const;
  bool Bool(ir::Symbol name, bool fallback = false) const;
  std::string_view String(ir::Symbol name, std::string_view fallback = {}) const;
  std::span<const int64_t> Ints(ir::Symbol name) const;
  // A Type attribute, or an Int one that holds the number of a type.
  ir::DataType Type(ir::Symbol name, ir::DataType fallback = ir::DataType::kUndefined) const;
  bool HasAttr(ir::Symbol name) const { return node_->attrs().Find(name) != nullptr; }

  // ---- outputs ------------------------------------------------------------------------------------------------------
  size_t num_outputs() const { return node_->num_outputs(); }
  // Slots past the node's outputs are ignored.
  void SetOutput(size_t slot, const ir::Shape& shape, ir::DataType dtype);
  void SetOutput(size_t slot, const DimList& dims, ir::DataType dtype) {
    SetOutput(slot, ir::Shape(std::span<const ir::Dim>(dims)), dtype);
  }
  void SetUnknown(size_t slot, ir::DataType dtype) { SetOutput(slot, ir::Shape::UnknownRank(), dtype); }
  // The layout of an output that has been set, where it does not follow from the inputs.
  void SetFormat(size_t slot, ir::Format format) {
    if (slot < outputs_.size()) outputs_[slot].format = format;
  }
  // Contents of output `slot`; `items` comes from NewValues or from another input.
  void SetValues(size_t slot, Values values);
  std::span<Scalar> NewValues(size_t n) { return store_->New(n); }

  // ---- subgraphs ----------------------------------------------------------------------------------------------------
  Status InferSubgraph(ir::Graph& graph, std::span<const Values* const> inputs,
                       std::vector<ResultValues>* results = nullptr) {
    return subgraphs_->InferSubgraph(graph, inputs, results);
  }
  // Contents of output `slot`, copied from a subgraph's result.
  void SetValues(size_t slot, const ResultValues& result);

  // ---- errors -------------------------------------------------------------------------------------------------------
  // "cannot infer the outputs of node 'n' (Type): expected ..., found ...; remedy"
  Status Error(std::string_view expected, std::string_view found,
               std::string_view remedy = "check the node and what feeds it") const;
  // "input 'x'"
  std::string InputText(size_t input, size_t k = 0) const;

  // For the pass that owns the context.
  struct Output {
    ir::Shape shape;
    ir::DataType dtype = ir::DataType::kUndefined;
    bool set = false;
    std::optional<ir::Format> format;
  };
  const Output& output(size_t slot) const { return outputs_[slot]; }

 private:
  SlotRange slots(size_t input) const {
    if (!def_->has_dynamic_input()) {
      auto i = static_cast<uint32_t>(input);
      return {i, i < node_->num_inputs() && i < def_->inputs().size() ? 1u : 0u};
    }
    return InputSlots(*node_, *def_, input);
  }
  const ir::AttrValue* Find(ir::Symbol name) const;

  ValueStore* store_;
  SubgraphInferrer* subgraphs_;
  ir::Node* node_ = nullptr;
  const OpDef* def_ = nullptr;
  std::vector<Output> outputs_;
};

}  // namespace ge::ops

#endif  // GE_OPS_INFER_CONTEXT_H_
