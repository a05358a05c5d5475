// A node of a custom operator on its own: inferred and executed with the tensors of a caller.
#ifndef GE_CUSTOM_OP_SINGLE_NODE_H_
#define GE_CUSTOM_OP_SINGLE_NODE_H_

#include <memory>
#include <span>

#include "base/export.h"
#include "base/status.h"
#include "custom_op/eager_context.h"
#include "custom_op/node_info.h"
#include "ir/graph.h"

namespace ge::custom_op {

class GE_API SingleNode {
 public:
  // A copy of the node under that name: type, attributes and which inputs are there. Errors name `source`, the file of the
  // operator, if it is known.
  SingleNode(const ir::Node& node, std::string_view name, std::string source = {});
  SingleNode(const SingleNode&) = delete;
  SingleNode& operator=(const SingleNode&) = delete;

  const NodeInfo& info() const { return info_; }
  // The descs of its outputs after Infer.
  const ir::Node& node() const { return *node_; }
  // What the operator's prototype says about outputs for inputs like these, given by instance.
  Status Infer(std::span<const gert::Tensor> inputs);
  // Runs the operator's implementation. The error names operator, node and what the callback said; an output without
  // memory afterwards is one too.
  Status Execute(gert::EagerOpExecutionContext& context) const;
  // Whether an output is the given input, which the operator thus may change.
  bool Mutates(uint32_t input) const { return mutated_[input]; }
  // "custom operator ... of node ... ", and what is wrong with it.
  Status Error(std::string_view what) const;

 private:
  ir::GraphPtr graph_;
  ir::Node* node_ = nullptr;
  std::vector<ir::Node*> data_;  // by input instance
  NodeInfo info_;
  std::string source_;
  std::vector<bool> mutated_;
};

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_SINGLE_NODE_H_
