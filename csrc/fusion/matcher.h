// PatternMatcher: finds the places in a graph that look like a pattern, one at a time.
#ifndef GE_FUSION_MATCHER_H_
#define GE_FUSION_MATCHER_H_

#include <memory>
#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "fusion/boundary.h"
#include "fusion/explanation.h"
#include "fusion/pattern.h"

namespace ge::fusion {

class CompiledPattern;

// One place that matches. Valid while the graph has not been changed there.
class GE_API MatchResult {
 public:
  const Pattern& pattern() const { return *pattern_; }
  // Nodes bound to other than Data pattern nodes, constants included, without duplicates, by place in the node list.
  std::vector<ir::Node*> MatchedNodes() const;
  // The error says whether the index is out of range or was not filled.
  Result<ir::Anchor> CapturedTensor(size_t index) const;
  // Null if nothing is bound to it.
  ir::Node* MatchedNode(const ir::Node* pattern_node) const;
  Result<SubgraphBoundary> ToBoundary() const;
  // "pattern (Type:name) (Type:name) ..."
  std::string ToString() const;

 private:
  friend class PatternMatcher;
  friend class RewriteAccess;
  const Pattern* pattern_ = nullptr;
  const CompiledPattern* compiled_ = nullptr;
  std::vector<ir::Anchor> bound_;  // by pattern node number, as CompiledPattern's Binding
};

class GE_API PatternMatcher {
 public:
  // The pattern must outlive the matcher and its results.
  PatternMatcher(const Pattern* pattern, ir::Graph* graph, PatternMatcherConfig config = {});
  ~PatternMatcher();
  // The next match, or null when there is none left. The same object is reused by the next call. The ways to match are
  // offered, one after the other, for each node that can stand for the owner of output 0: those that differ in their nodes,
  // inputs, outputs or captures, the first thousand of them. With `other_nodes`, orders of inputs that come to the same nodes
  // may be left out. An invalid pattern matches nothing; validity() says why.
  const MatchResult* Next(bool other_nodes = false);
  // Goes on with another owner of output 0. To be called when the graph has been changed since the last match.
  void LeavePlace();
  // The same where nothing has been changed.
  void SkipPlace() { at_place_ = false; }
  // Whether the last match is the first with its owner of output 0.
  bool at_new_place() const { return new_place_; }
  // Whether the last match still fits: a hook may have changed the graph.
  bool StillMatches() const;
  const Status& validity() const { return validity_; }
  // Collects from now on what did not match; must outlive the matcher. Costs nothing when not called.
  void Explain(PatternExplanation* explanation);

 private:
  struct State;
  void Prepare();
  void WarnIfGaveUp(const ir::Node& root);
  std::unique_ptr<State> state_;
  Status validity_;
  bool at_place_ = false;  // the last match may have others with the same owner of output 0
  bool new_place_ = false;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_MATCHER_H_
