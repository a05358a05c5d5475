// SubgraphBoundary: which part of a graph a replacement takes the place of.
#ifndef GE_FUSION_BOUNDARY_H_
#define GE_FUSION_BOUNDARY_H_

#include <cstdint>
#include <map>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::fusion {

// (node, slot): an input slot inside the part.
struct NodeSlot {
  ir::Node* node = nullptr;
  uint32_t slot = 0;
};

// One boundary input: the inner slots fed by one producer.
class GE_API SubgraphInput {
 public:
  SubgraphInput() = default;
  // Unchecked, as GE's constructor is.
  explicit SubgraphInput(std::vector<NodeSlot> slots) : slots_(std::move(slots)) {}
  // The slot must exist and have the same producer as the entries before it.
  Status Add(NodeSlot slot);
  const std::vector<NodeSlot>& slots() const { return slots_; }

 private:
  std::vector<NodeSlot> slots_;
};

class GE_API SubgraphOutput {
 public:
  SubgraphOutput() = default;
  explicit SubgraphOutput(ir::Anchor anchor) : anchor_(anchor) {}
  // Once; node and output must exist.
  Status Set(ir::Anchor anchor);
  ir::Anchor anchor() const { return anchor_; }

 private:
  ir::Anchor anchor_;
};

class GE_API SubgraphBoundary {
 public:
  // A taken index is refused; the first one stays.
  Status AddInput(int64_t index, SubgraphInput input);
  Status AddOutput(int64_t index, SubgraphOutput output);
  const std::map<int64_t, SubgraphInput>& inputs() const { return inputs_; }
  const std::map<int64_t, SubgraphOutput>& outputs() const { return outputs_; }

 private:
  std::map<int64_t, SubgraphInput> inputs_;
  std::map<int64_t, SubgraphOutput> outputs_;
};

// The boundary of one node: connected inputs in slot order (those of one producer merged), all outputs.
GE_API SubgraphBoundary BoundaryOfNode(ir::Node* node);

}  // namespace ge::fusion

#endif  // GE_FUSION_BOUNDARY_H_
