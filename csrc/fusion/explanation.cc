#include "fusion/explanation.h"

#include <algorithm>

#include "base/strings.h"
#include "fusion/pass.h"

namespace ge::fusion {

void PatternExplanation::AddMiss(NearMiss miss) {
  auto place = std::find_if(misses.begin(), misses.end(), [&](const NearMiss& m) { return m.fitted < miss.fitted; });
  misses.insert(place, std::move(miss));
  if (misses.size() <= kMaxShown) return;
  misses.pop_back();
  ++more_misses;
}

void PatternExplanation::AddRefused(RefusedMatch match) {
  if (refused.size() < kMaxShown) {
    refused.push_back(std::move(match));
  } else {
    ++more_refused;
  }
}

std::string Refusal(const PassContext& context, size_t before) {
  if (context.warnings.size() <= before) return "meet_requirements returned False";
  return StrCat("meet_requirements raised ", context.warnings.back().message);
}

std::string ToText(const Explanation& explanation) {
  std::string out;
  if (explanation.patterns.empty()) out += "  it has no pattern: its own run() decides what it does\n";
  for (const PatternExplanation& p : explanation.patterns) {
    out += StrCat("  pattern '", p.pattern, "' on graph '", p.graph, "': ");
    if (p.unusable.empty()) {
      out += StrCat(p.rewrites, p.rewrites == 1 ? " rewrite, " : " rewrites, ", p.candidates,
                    p.candidates == 1 ? " candidate (node of type '" : " candidates (nodes of type '", p.root_type, "')\n");
    } else {
      out += StrCat("matches nothing: ", p.unusable, "\n");
    }
    for (const RefusedMatch& r : p.refused) out += StrCat("    matched ", r.nodes, ", not rewritten: ", r.reason, "\n");
    if (p.more_refused > 0) out += StrCat("    and ", p.more_refused, " more matches that were not rewritten\n");
    for (const NearMiss& m : p.misses) {
      out += StrCat("    ", m.node, ": ", m.fitted, " of ", p.size, " fit; ", m.reason, "\n");
    }
    if (p.more_misses > 0) out += StrCat("    and ", p.more_misses, " more that got no further\n");
  }
  return out;
}

}  // namespace ge::fusion
