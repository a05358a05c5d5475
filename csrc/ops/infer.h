// Shape and element type inference over a graph.
#ifndef GE_OPS_INFER_H_
#define GE_OPS_INFER_H_

#include <memory>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::ops {

struct Values;

// Walks the graph in topological order (sorting it if need be) and sets the output descs of every node whose operator
// has an inference function; descs of others stay (what the model declared). Integer values of shape arithmetic (Shape,
// Gather, Concat, ...) are followed, so that a Reshape by a computed shape is known where it can be.
// Inferred and declared descs are merged: the more specific dim wins; a contradiction is an error that names node,
// operator, what was declared and what follows from the inputs.
GE_API Status InferShapes(ir::Graph& graph);

// Infers nodes one by one as they are put into a graph whose other nodes have been inferred. Integer values are followed
// from node to node, and from constants.
class GE_API NodeInferrer {
 public:
  explicit NodeInferrer(ir::Graph& graph);
  ~NodeInferrer();
  NodeInferrer(const NodeInferrer&) = delete;
  NodeInferrer& operator=(const NodeInferrer&) = delete;
  // REQUIRES: what feeds the node has been inferred.
  Status Infer(ir::Node* node);
  // What is known of the contents of an output, after Infer of its node; null if nothing is.
  const Values* Known(ir::Anchor output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ge::ops

#endif  // GE_OPS_INFER_H_
