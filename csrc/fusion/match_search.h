// The search of a compiled pattern's steps at one place in a graph.
#ifndef GE_FUSION_MATCH_SEARCH_H_
#define GE_FUSION_MATCH_SEARCH_H_

#include <vector>

#include "fusion/compiled_pattern.h"
#include "ir/graph.h"

namespace ge::fusion {

// Nodes that may stand for a pattern node of a kRoot step, in list order.
std::vector<ir::Node*> Candidates(const ir::Graph& graph, const PatternNode& p);

class MatchSearch {
 public:
  MatchSearch(const CompiledPattern* pattern, ir::Graph* graph, std::vector<ir::Anchor>* bound)
      : pattern_(*pattern), graph_(*graph), bound_(*bound) {}
  // Binds the pattern with `root` as the owner of output 0; false if it does not fit there.
  bool MatchAt(ir::Node* root);
  // Whether what is bound fits, without searching.
  bool Holds() const;

 private:
  // A step with alternatives, and how far they have been tried.
  struct Choice {
    uint32_t step = 0;
    ir::InputSlot* use = nullptr;  // kForward: the next to try
    size_t candidate = 0;          // kRoot: likewise
  };

  bool Run(size_t step);
  bool Back(const Step& step);
  bool NextAlternative(Choice& choice);
  bool TryBind(uint16_t number, ir::Node* node);
  bool Accepts(const PatternNode& p, const ir::Node& node) const;
  bool AcceptsSpecial(const PatternNode& p, const ir::Node& node) const;
  bool AcceptsConst(const PatternNode& p, const ir::Node& node) const;
  bool SelfContained() const;

  const CompiledPattern& pattern_;
  ir::Graph& graph_;
  std::vector<ir::Anchor>& bound_;
  std::vector<Choice> choices_;
  // Candidates of the second and later kRoot steps, made when first needed.
  std::vector<std::pair<uint32_t, std::vector<ir::Node*>>> root_lists_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_MATCH_SEARCH_H_
