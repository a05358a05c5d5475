// Names of the inputs and outputs of an operator: "x1"; "x0", "x1", ... for the elements of a dynamic one.
#ifndef GE_CXX_API_SLOTS_H_
#define GE_CXX_API_SLOTS_H_

#include <string>
#include <vector>

#include "ops/op_def.h"

namespace ge::cxx_api {

// In slot order. `count_of` gives the number of elements of a dynamic input or output.
template <typename CountOf>
std::vector<std::string> SlotNames(const std::vector<ops::IoDef>& defs, CountOf count_of) {
  std::vector<std::string> names;
  for (const ops::IoDef& io : defs) {
    if (io.kind != ops::IoKind::kDynamic) {
      names.emplace_back(io.name.view());
      continue;
    }
    for (uint32_t i = 0, n = count_of(io); i < n; ++i) names.push_back(std::string(io.name.view()) + std::to_string(i));
  }
  return names;
}

}  // namespace ge::cxx_api

#endif  // GE_CXX_API_SLOTS_H_
