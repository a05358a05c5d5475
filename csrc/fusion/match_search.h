// The search of a compiled pattern's steps at one place in a graph.
#ifndef GE_FUSION_MATCH_SEARCH_H_
#define GE_FUSION_MATCH_SEARCH_H_

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "fusion/compiled_pattern.h"
#include "ir/graph.h"

namespace ge::fusion {

// Nodes that may stand for a pattern node of a kRoot step, in list order.
std::vector<ir::Node*> Candidates(const ir::Graph& graph, const PatternNode& p);

// "'add_3' (Add)"
std::string ShownNode(const ir::Node& node);

// Whether each dynamic input and output of two operators has the same number of elements.
bool SameCounts(const ops::OpDef& def, const ir::Node& a, const ir::Node& b);

// How far the furthest of the failed ways of a search got.
struct SearchMiss {
  size_t progress = 0;
  size_t fitted = 0;
  std::string reason;
};

// Steps with alternatives are choices. What fails is traced back to the facts it followed from, and the search goes on with
// the latest choice one of them came from: the choices in between could not have helped. What turns out to be impossible
// whatever else is chosen is remembered until the graph changes.
class MatchSearch {
 public:
  MatchSearch(const CompiledPattern* pattern, ir::Graph* graph, std::vector<Binding>* bound)
      : pattern_(*pattern), graph_(*graph), bound_(*bound) {}
  // Binds the pattern with `root` as the owner of output 0; false if it does not fit there.
  bool MatchAt(ir::Node* root);
  // After a success: the next way to bind the pattern with the same root, different in its nodes, inputs, outputs or
  // captures; with `other_nodes`, ways that surely have the nodes of the last one are left out. REQUIRES: the graph has not
  // been changed since.
  bool MatchAgain(bool other_nodes);
  // Whether what is bound fits, without searching.
  bool Holds() const;
  // To be called when the graph has been changed.
  void Forget();
  // The last search ended early, for having offered or tried too much.
  bool gave_up() const { return gave_up_; }
  // From now on failures are noted there; null ends it.
  void Explain(SearchMiss* miss) { miss_ = miss; }

 private:
  using Reason = std::vector<uint32_t>;  // facts, see CompiledPattern

  // A step with alternatives, and how far they have been tried.
  struct Choice {
    uint32_t step = 0;
    bool solved = false;           // there was a match with what has been chosen up to here, or an alternative of it
    ir::InputSlot* use = nullptr;  // kForward: the next to try
    size_t next = 0;               // kOrder: orders tried; kRoot: the next candidate behind the root
    size_t before = 0;             // kRoot: candidates before the root that are still to try
    size_t at = 0;                 // kRoot: the present candidate
  };

  // Candidates of a second or later kRoot step by their place, made when first needed.
  struct RootList {
    struct Entry {
      int64_t order = 0;
      ir::Node* node = nullptr;  // null: fits nowhere
    };
    uint32_t step = 0;
    size_t dead = 0;  // null entries
    std::vector<Entry> entries;
    std::vector<Entry> all;  // what may fit after a change, once something has been left out
  };

  // What cannot be, whatever else is chosen.
  struct Impossible {
    enum class Kind : uint8_t {
      kStep,       // to find anything at step `number`, coming from output `index` of `node`
      kCandidate,  // that `node` stands for pattern node `number`, with the order of inputs `index`
      kEither,     // the same in either order
    };
    Kind kind;
    uint32_t number;
    const ir::Node* node;
    uint32_t index;
    bool operator==(const Impossible& o) const {
      return kind == o.kind && number == o.number && node == o.node && index == o.index;
    }
  };
  struct Hash {
    size_t operator()(const Impossible& i) const {
      size_t h = (reinterpret_cast<uintptr_t>(i.node) >> 4) * 0x9E3779B97F4A7C15ull;
      return (h ^ i.number << 8 ^ i.index << 2 ^ static_cast<size_t>(i.kind)) * 0xFF51AFD7ED558CCDull;
    }
  };

  bool Run(size_t step);
  bool Choose(uint32_t step);
  bool Hopeless(const Step& s, uint32_t step);
  bool NextAlternative(Choice& choice);
  bool NextUse(Choice& choice);
  bool NextCandidate(Choice& choice);
  bool NextOrder(Choice& choice);
  RootList& ListOf(uint32_t step);
  void StartList(Choice& choice);
  bool Back(const Step& step);
  // A pattern node that `node` stands for and that must be another one than pattern node `p`; or -1.
  int RivalOf(const PatternNode& p, const ir::Node* node) const;
  bool Accepts(const PatternNode& p, const ir::Node& node) const;
  bool AcceptsSpecial(const PatternNode& p, const ir::Node& node) const;
  bool AcceptsConst(const PatternNode& p, const ir::Node& node) const;
  // The first inner node with other consumers than in the pattern; null: none.
  const InnerUses* Leak() const;

  // Takes the next alternative of the latest choice that can help against what failed; the step behind it, or 0.
  size_t Recover();
  // The last choice has no alternative left.
  void Exhaust();
  void FindReason(size_t step);
  void ReasonOfLeak();
  void Blame(uint32_t fact);
  void LearnAboutCandidate(const Choice& choice);
  bool Known(Impossible::Kind kind, uint32_t number, const ir::Node* node, uint32_t index) const {
    return !impossible_.empty() && impossible_.count({kind, number, node, index}) > 0;
  }
  bool NoteWay();
  size_t FailureLimit() const;

  // `step` did not fit; the number of steps stands for the check that follows them.
  void NoteMiss(size_t step);
  std::string Difference(size_t step) const;
  std::string NodeDifference(const PatternNode& p, const ir::Node& node) const;
  std::string ExtraConsumer() const;

  const CompiledPattern& pattern_;
  ir::Graph& graph_;
  std::vector<Binding>& bound_;
  std::vector<Choice> choices_;
  std::vector<Reason> reasons_;  // by place in choices_: why its alternatives failed, as far as earlier choices count
  Reason reason_;                // why the last step failed
  bool all_counts_ = false;      // instead: every choice counts
  std::unordered_set<Impossible, Hash> impossible_;
  std::vector<RootList> root_lists_;
  std::set<std::vector<uint64_t>> ways_;  // of the present root, where different searches can come to the same
  size_t offered_ = 0;
  size_t failures_ = 0;
  bool gave_up_ = false;
  SearchMiss* miss_ = nullptr;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_MATCH_SEARCH_H_
