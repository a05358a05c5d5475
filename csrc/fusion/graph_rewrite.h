// The rewrite itself: replacement nodes in, edges over, old nodes out.
#ifndef GE_FUSION_GRAPH_REWRITE_H_
#define GE_FUSION_GRAPH_REWRITE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fusion/cycle.h"
#include "fusion/origin.h"
#include "fusion/placement.h"
#include "fusion/rewrite_site.h"
#include "ir/graph.h"
#include "ops/infer.h"

namespace ge::fusion {

// Keeps its memory from rewrite to rewrite; one object serves a whole pass.
class GraphRewrite {
 public:
  // Fill this, then call Run.
  RewriteSite& site() { return site_; }
  ForwardSearch& search() { return search_; }
  // Puts a copy of `replacement` at the site. An error comes before the first change.
  Status Run(const ir::Graph& replacement, std::string_view pass_name);
  // Gives the nodes of the last Run their shapes and types. An error leaves them in the graph.
  Status InferNewNodes();
  // Of the last Run: the nodes that came, and what stands for each output of the site.
  const std::vector<ir::Node*>& new_nodes() const { return new_nodes_; }
  const std::vector<ir::Anchor>& results() const { return results_; }

 private:
  // What a node of the replacement became.
  struct Copy {
    ir::Node* node = nullptr;
    int64_t input = -1;  // of a Data node: its boundary input
  };

  Status Check(const ir::Graph& replacement);
  ir::Anchor Translate(ir::Anchor inner) const;
  void AddNodes();
  ir::Node* CopyNode(const ir::Node& from, ir::Node* position);
  void CopySubgraphs(const ir::Node& from, ir::Node* node);
  void TakeOverOutputs();
  void TakeOverDesc(ir::Anchor old, ir::Anchor fresh);
  void ConnectNodes();
  void MoveControlEdges();
  void LinkControlsDirectly(const std::vector<ir::Node*>& before, const std::vector<ir::Node*>& after);
  void RemoveDeadNodes();

  RewriteSite site_;
  ForwardSearch search_;
  Origin origin_;
  Placement placement_;
  const ir::Graph* replacement_ = nullptr;
  ir::GraphPtr sorted_;              // a sorted copy, if the replacement came unsorted
  std::vector<Copy> copies_;         // by node id of the replacement
  std::vector<const ir::Node*> copied_;
  std::vector<ir::Anchor> results_;  // by output: what takes its place
  std::vector<ir::Node*> new_nodes_;
  std::vector<bool> seen_;
  std::unique_ptr<ops::NodeInferrer> inferrer_;
  std::string name_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_GRAPH_REWRITE_H_
