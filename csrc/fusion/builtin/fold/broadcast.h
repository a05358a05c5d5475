// Walking several tensors in step under numpy's broadcasting rules.
#ifndef GE_FUSION_BUILTIN_FOLD_BROADCAST_H_
#define GE_FUSION_BUILTIN_FOLD_BROADCAST_H_

#include <array>
#include <cstdint>
#include <vector>

#include "fusion/builtin/fold/call.h"

namespace ge::fusion::fold {

// Dims that `shapes` broadcast to; false if they don't fit.
bool BroadcastDims(const std::vector<Dims>& shapes, Dims* out);
// Steps, in elements, of a tensor of shape `dims` along those of `out`; 0 where it is repeated.
Dims BroadcastSteps(const Dims& dims, const Dims& out);
// Steps of a tensor that lies row by row.
Dims Steps(const Dims& dims);

// f(i, at) for every element i of `out`, at[k] being the element of tensor k there; stops when f is false.
template <size_t N, typename F>
bool Walk(const Dims& out, const std::array<Dims, N>& steps, F&& f) {
  int64_t n = Elements(out);
  std::array<int64_t, N> at{};
  Dims index(out.size(), 0);
  for (int64_t i = 0; i < n; ++i) {
    if (!f(i, at)) return false;
    for (size_t d = out.size(); d-- > 0;) {
      if (++index[d] < out[d]) {
        for (size_t k = 0; k < N; ++k) at[k] += steps[k][d];
        break;
      }
      index[d] = 0;
      for (size_t k = 0; k < N; ++k) at[k] -= steps[k][d] * (out[d] - 1);
    }
  }
  return true;
}

}  // namespace ge::fusion::fold

#endif  // GE_FUSION_BUILTIN_FOLD_BROADCAST_H_
