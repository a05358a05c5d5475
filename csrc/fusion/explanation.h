// Why a pattern did not match more: what is collected when a user asks for it.
#ifndef GE_FUSION_EXPLANATION_H_
#define GE_FUSION_EXPLANATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/export.h"

namespace ge::fusion {

class PassContext;

// A node that could stand for the owner of the pattern's output 0, and how far the match got from there.
struct NearMiss {
  std::string node;     // "'add_3' (Add)"
  size_t fitted = 0;    // nodes of the pattern, inputs left out, that had been found
  std::string reason;   // the first difference on the furthest way
};

// A match that was not rewritten.
struct RefusedMatch {
  std::string nodes;   // "(Add:add_3) (Relu:relu_4)"
  std::string reason;  // "meet_requirements returned False"
};

// One pattern on one graph.
struct PatternExplanation {
  std::string pattern;
  std::string graph;
  std::string unusable;        // why it can match nothing anywhere; empty when it can
  std::string root_type;       // type of the owner of output 0
  size_t size = 0;             // nodes of the pattern, inputs left out
  int64_t candidates = 0;      // nodes that could stand for that owner
  int64_t rewrites = 0;
  std::vector<NearMiss> misses;         // nearest first, at most kMaxShown
  std::vector<RefusedMatch> refused;    // in graph order, at most kMaxShown
  int64_t more_misses = 0;
  int64_t more_refused = 0;
  static constexpr size_t kMaxShown = 5;

  void AddMiss(NearMiss miss);
  void AddRefused(RefusedMatch match);
};

struct Explanation {
  std::vector<PatternExplanation> patterns;
};

// Why a match with these warnings, of which the first `before` are older, was not wanted.
std::string Refusal(const PassContext& context, size_t before);

// Several lines for people, indented by two blanks.
GE_API std::string ToText(const Explanation& explanation);

}  // namespace ge::fusion

#endif  // GE_FUSION_EXPLANATION_H_
