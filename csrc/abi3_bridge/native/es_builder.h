// The graph under construction behind ge.es.GraphBuilder, and TensorHolder, one output of a node in it.
#ifndef GE_ABI3_BRIDGE_NATIVE_ES_BUILDER_H_
#define GE_ABI3_BRIDGE_NATIVE_ES_BUILDER_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace ge::bridge {

class Builder {
 public:
  explicit Builder(std::string_view name) : graph_(ir::Graph::Create(name)) {}

  const ir::GraphPtr& graph() const { return graph_; }
  const std::string& name() const { return graph_->name(); }
  bool built() const { return built_; }
  // RuntimeError "Cannot <operation>: ..." once the graph has been built.
  void RequireOpen(const char* operation) const;

  // An input node; RuntimeError for a negative or taken index.
  ir::Node* AddInput(int64_t index, ir::Symbol type, std::string_view name, ir::TensorDesc desc);
  // A Const node of this value, named by the counter.
  ir::Node* AddConst(ir::TensorPtr value);
  // A node of an operator, named by the counter: "<type>_<n>".
  ir::Node* AddNode(ir::Symbol type, uint32_t num_inputs, uint32_t num_outputs);
  ir::Node* AddVariable(int64_t index, std::string_view name);
  // RuntimeError for a negative or taken index.
  void SetOutput(ir::Anchor tensor, int64_t index);
  // Sets output i to outputs[i], checks that inputs and outputs are numbered without gaps and adds the NetOutput node.
  // On failure (RuntimeError) nothing has changed.
  void Build(const std::vector<ir::Anchor>& outputs);
  // Gives the node what the scopes of this thread ask for. To be called once for every node made for the user.
  void ApplyScopes(ir::Node* node);

 private:
  void CheckComplete() const;

  ir::GraphPtr graph_;
  uint64_t next_number_ = 0;
  // Indices come in order nearly always: [0, dense_inputs_) are taken, and those in other_inputs_.
  int64_t dense_inputs_ = 0;
  std::map<int64_t, ir::Node*> other_inputs_;
  std::vector<ir::Anchor> outputs_;  // by index; empty where not set
  bool built_ = false;
};

struct TensorHolder {
  nanobind::object owner;  // the GraphBuilder object, kept alive by every holder
  Builder* builder = nullptr;
  ir::Anchor anchor;
};

// Null unless the object is a TensorHolder.
TensorHolder* HolderOf(nanobind::handle h);
// `owner` is the Python object of `builder`.
nanobind::object NewHolder(nanobind::handle owner, Builder* builder, ir::Anchor anchor);

// TypeError with the cure if the object is something of a match, or all inputs of a pattern, taken for a tensor.
void RefuseMatched(nanobind::handle value, std::string_view taker);
// A number or nested list as a constant of the builder; TypeError or ValueError for anything else.
ir::Anchor ConstantOf(nanobind::handle value, Builder& builder);
// Shared tensors for the numbers that appear in patterns and replacements again and again.
ir::TensorPtr FloatScalar(float value);
ir::TensorPtr Int64Scalar(int64_t value);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_ES_BUILDER_H_
