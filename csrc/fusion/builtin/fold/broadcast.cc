#include "fusion/builtin/fold/broadcast.h"

#include <algorithm>

namespace ge::fusion::fold {

bool BroadcastDims(const std::vector<Dims>& shapes, Dims* out) {
  size_t rank = 0;
  for (const Dims& s : shapes) rank = std::max(rank, s.size());
  out->assign(rank, 1);
  for (const Dims& s : shapes) {
    size_t lead = rank - s.size();
    for (size_t d = 0; d < s.size(); ++d) {
      int64_t& size = (*out)[lead + d];
      if (s[d] == size || s[d] == 1) continue;
      if (size != 1) return false;
      size = s[d];
    }
  }
  return true;
}

Dims Steps(const Dims& dims) {
  Dims steps(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    steps[d] = step;
    step *= dims[d];
  }
  return steps;
}

Dims BroadcastSteps(const Dims& dims, const Dims& out) {
  Dims own = Steps(dims), steps(out.size(), 0);
  size_t lead = out.size() - dims.size();
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1) steps[lead + d] = own[d];
  }
  return steps;
}

}  // namespace ge::fusion::fold
