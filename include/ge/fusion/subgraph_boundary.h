// SubgraphBoundary: which part of a graph a replacement takes the place of.
#ifndef GE_FUSION_SUBGRAPH_BOUNDARY_H_
#define GE_FUSION_SUBGRAPH_BOUNDARY_H_

#include <cstdint>
#include <map>
#include <vector>

#include "ge/export.h"
#include "ge/ge_api_error_codes.h"
#include "graph/gnode.h"

namespace ge {
inline namespace v1 {
namespace fusion {

// An input or an output of a node, as the place it is used says.
struct NodeIo {
  GNode node;
  int64_t index = 0;
};

// One boundary input: the inner input slots fed by one producer.
class GE_API SubgraphInput {
 public:
  SubgraphInput() = default;
  // Unchecked until the boundary is used.
  explicit SubgraphInput(std::vector<NodeIo> node_inputs) : inputs_(std::move(node_inputs)) {}
  // The slot must exist, be connected, and have the producer of the slots before it.
  Status AddInput(const NodeIo &node_input);
  std::vector<NodeIo> GetAllInputs() const { return inputs_; }

 private:
  std::vector<NodeIo> inputs_;
};

class GE_API SubgraphOutput {
 public:
  SubgraphOutput() = default;
  // Unchecked until the boundary is used.
  explicit SubgraphOutput(const NodeIo &node_output) : output_(node_output), set_(true) {}
  // Once; the output must exist.
  Status SetOutput(const NodeIo &node_output);
  Status GetOutput(NodeIo &node_output) const;

 private:
  NodeIo output_;
  bool set_ = false;
};

// A value. Inputs and outputs by index; a taken index is refused and keeps what it has.
class GE_API SubgraphBoundary {
 public:
  SubgraphBoundary() = default;
  // Numbered from 0 in the order given.
  SubgraphBoundary(std::vector<SubgraphInput> inputs, std::vector<SubgraphOutput> outputs);

  Status AddInput(int64_t index, SubgraphInput input);
  Status AddOutput(int64_t index, SubgraphOutput output);
  Status GetInput(int64_t index, SubgraphInput &input) const;
  Status GetAllInputs(std::vector<SubgraphInput> &inputs) const;
  Status GetOutput(int64_t index, SubgraphOutput &output) const;
  Status GetAllOutputs(std::vector<SubgraphOutput> &outputs) const;

 private:
  friend struct detail::Access;

  std::map<int64_t, SubgraphInput> inputs_;
  std::map<int64_t, SubgraphOutput> outputs_;
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_SUBGRAPH_BOUNDARY_H_
