#include "compiler/closest_name.h"

#include <algorithm>
#include <cstddef>

namespace ge::compiler {
namespace {

// Optimal string alignment distance.
size_t Slips(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t other = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string_view ClosestName(std::string_view typed, const std::vector<std::string_view>& candidates) {
  // Nobody types names of this length by hand.
  constexpr size_t kMaxLength = 100;
  if (typed.size() > kMaxLength) return {};
  std::string_view best;
  size_t fewest = std::max<size_t>(typed.size() / 3, 1) + 1;
  for (std::string_view candidate : candidates) {
    size_t slips = Slips(typed, candidate);
    if (slips < fewest) best = candidate, fewest = slips;
  }
  return best;
}

}  // namespace ge::compiler
