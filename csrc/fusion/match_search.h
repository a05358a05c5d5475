// The search of a compiled pattern's steps at one place in a graph.
#ifndef GE_FUSION_MATCH_SEARCH_H_
#define GE_FUSION_MATCH_SEARCH_H_

#include <string>
#include <utility>
#include <vector>

#include "fusion/compiled_pattern.h"
#include "ir/graph.h"

namespace ge::fusion {

// Nodes that may stand for a pattern node of a kRoot step, in list order.
std::vector<ir::Node*> Candidates(const ir::Graph& graph, const PatternNode& p);

// "'add_3' (Add)"
std::string ShownNode(const ir::Node& node);

// How far the furthest of the failed ways of a search got.
struct SearchMiss {
  size_t progress = 0;
  size_t fitted = 0;
  std::string reason;
};

class MatchSearch {
 public:
  MatchSearch(const CompiledPattern* pattern, ir::Graph* graph, std::vector<Binding>* bound)
      : pattern_(*pattern), graph_(*graph), bound_(*bound) {}
  // Binds the pattern with `root` as the owner of output 0; false if it does not fit there.
  bool MatchAt(ir::Node* root);
  // After a success: the next way to bind the pattern with the same root. REQUIRES: the graph has not been changed since.
  bool MatchAgain();
  // Whether what is bound fits, without searching.
  bool Holds() const;
  // From now on failures are noted there; null ends it.
  void Explain(SearchMiss* miss) { miss_ = miss; }

 private:
  // A step with alternatives, and how far they have been tried.
  struct Choice {
    uint32_t step = 0;
    ir::InputSlot* use = nullptr;  // kForward: the next to try
    size_t candidate = 0;          // kRoot: likewise; kOrder: orders tried
  };

  bool Run(size_t step);
  // Takes the next alternative of the last choice that has one; the step behind it, or 0 if there is none.
  size_t Backtrack();
  bool NextOrder(Choice& choice);
  bool Back(const Step& step);
  bool NextAlternative(Choice& choice);
  bool TryBind(uint16_t number, ir::Node* node);
  bool Accepts(const PatternNode& p, const ir::Node& node) const;
  bool AcceptsSpecial(const PatternNode& p, const ir::Node& node) const;
  bool AcceptsConst(const PatternNode& p, const ir::Node& node) const;
  bool SelfContained() const;

  // `step` did not fit; the number of steps stands for the check that follows them.
  void NoteMiss(size_t step);
  std::string Difference(size_t step) const;
  std::string NodeDifference(const PatternNode& p, const ir::Node& node) const;
  std::string ExtraConsumer() const;

  const CompiledPattern& pattern_;
  ir::Graph& graph_;
  std::vector<Binding>& bound_;
  std::vector<Choice> choices_;
  SearchMiss* miss_ = nullptr;
  // Candidates of the second and later kRoot steps, made when first needed.
  std::vector<std::pair<uint32_t, std::vector<ir::Node*>>> root_lists_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_MATCH_SEARCH_H_
