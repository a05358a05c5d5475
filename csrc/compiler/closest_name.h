// Which known name somebody meant who typed another one.
#ifndef GE_COMPILER_CLOSEST_NAME_H_
#define GE_COMPILER_CLOSEST_NAME_H_

#include <string_view>
#include <vector>

namespace ge::compiler {

// The first candidate with the fewest slips (a letter too much, missing, wrong or swapped with its neighbour); empty
// when even that one differs in more than a third of the letters.
std::string_view ClosestName(std::string_view typed, const std::vector<std::string_view>& candidates);

}  // namespace ge::compiler

#endif  // GE_COMPILER_CLOSEST_NAME_H_
