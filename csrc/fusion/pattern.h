// Pattern: a graph whose Data nodes are wildcards and whose NetOutput inputs are the outputs to look for.
#ifndef GE_FUSION_PATTERN_H_
#define GE_FUSION_PATTERN_H_

#include <memory>
#include <vector>

#include "base/export.h"
#include "ir/graph.h"

namespace ge::fusion {

class GE_API Pattern {
 public:
  explicit Pattern(ir::GraphPtr graph) : graph_(std::move(graph)) {}

  const ir::Graph& graph() const { return *graph_; }
  ir::Graph& mutable_graph() { return *graph_; }
  const ir::GraphPtr& graph_ptr() const { return graph_; }
  // Capture index = order of the calls. One anchor may be captured several times; each index is filled.
  Pattern& CaptureTensor(ir::Anchor anchor) {
    captures_.push_back(anchor);
    return *this;
  }
  const std::vector<ir::Anchor>& captures() const { return captures_; }

 private:
  ir::GraphPtr graph_;
  std::vector<ir::Anchor> captures_;
};

struct PatternMatcherConfig {
  bool const_value_match = false;
  bool ir_attr_match = false;
  // Operators that the registry marks as commutative also match with their first two inputs swapped.
  bool commutative_match = false;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_PATTERN_H_
