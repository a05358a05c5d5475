// Reductions whose result does not depend on the order in which elements are taken.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "fusion/builtin/fold/broadcast.h"
#include "fusion/builtin/fold/element.h"
#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

// Of integers, as far as a double holds them exactly: onnxruntime computes in doubles.
template <bool kProduct>
struct Accumulate {
  static constexpr bool kOfNone = true;
  template <typename W>
  static bool Start(W* out) {
    *out = kProduct ? 1 : 0;
    return std::is_integral_v<W>;
  }
  template <typename W>
  static bool Take(W v, W* out) {
    if constexpr (std::is_integral_v<W>) {
      constexpr int64_t kExact = int64_t{1} << 53;
      int64_t result = 0;
      bool overflow = kProduct ? __builtin_mul_overflow(*out, v, &result) : __builtin_add_overflow(*out, v, &result);
      if (overflow || result < -kExact || result > kExact) return false;
      *out = static_cast<W>(result);
      return static_cast<int64_t>(*out) == result;
    }
    return false;
  }
};
using Sum = Accumulate<false>;
using Prod = Accumulate<true>;

template <bool kMax>
struct Extreme {
  static constexpr bool kOfNone = false;
  template <typename W>
  static bool Start(W*) {
    return true;
  }
  template <typename W>
  static bool Take(W v, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      // Runtimes differ in what they make of NaN and of zeros of both signs.
      if (std::isnan(v) || (v == *out && std::signbit(v) != std::signbit(*out))) return false;
    }
    *out = kMax ? std::max(*out, v) : std::min(*out, v);
    return true;
  }
};

// The axes to reduce; nothing if they are not known.
std::optional<Dims> AxesOf(const Call& call, size_t rank, bool* none) {
  Dims axes;
  *none = false;
  if (call.num_inputs() == 2) {
    auto given = call.Ints(1);
    if (!given) return std::nullopt;
    axes = *given;
    if (axes.empty() && call.Bool("noop_with_empty_axes", true)) {
      *none = true;
      return axes;
    }
  } else {
    auto given = call.IntList("axes");
    if (!given) return std::nullopt;
    axes = *given;
  }
  if (axes.empty()) {
    for (size_t d = 0; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
  }
  return axes;
}

template <typename Op>
bool Reduce(Call& call) {
  if (!call.has(0)) return false;
  Dims in = call.dims(0);
  bool none = false;
  auto axes = AxesOf(call, in.size(), &none);
  if (!axes) return false;
  if (none) return call.Share(0, in);
  std::vector<bool> reduced(in.size(), false);
  for (int64_t a : *axes) {
    auto axis = Axis(a, in.size());
    if (!axis) return false;
    reduced[*axis] = true;
  }
  bool keep = call.Bool("keep_dims", false);
  // The result is walked, and for each of its elements the part of the input that it stands for.
  Dims out, out_walk, out_steps, inner_walk, inner_steps, steps = Steps(in);
  for (size_t d = 0; d < in.size(); ++d) {
    if (!reduced[d] || keep) out.push_back(reduced[d] ? 1 : in[d]);
    (reduced[d] ? inner_walk : out_walk).push_back(in[d]);
    (reduced[d] ? inner_steps : out_steps).push_back(steps[d]);
  }
  bool empty = Elements(inner_walk) == 0;
  if (empty && !Op::kOfNone && Elements(out_walk) != 0) return false;
  return VisitNumber(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    uint8_t* result = call.New(call.dtype(0), out);
    return result != nullptr && Walk<1>(out_walk, {out_steps}, [&](int64_t i, const auto& at) {
      Wide<T> value{};
      if (!Op::Start(&value)) return false;
      const int64_t from = at[0];
      if (!Op::kOfNone) value = Load<T>(call.data(0), from);
      bool defined = Walk<1>(inner_walk, {inner_steps}, [&](int64_t, const auto& inner) {
        return Op::Take(Load<T>(call.data(0), from + inner[0]), &value);
      });
      if (defined) Store<T>(result, i, value);
      return defined;
    });
  });
}

}  // namespace

void AddReductionKernels(std::vector<KernelEntry>* out) {
  out->insert(out->end(), {
      {"ReduceSum", Reduce<Sum>}, {"ReduceSumD", Reduce<Sum>}, {"ReduceProd", Reduce<Prod>},
      {"ReduceProdD", Reduce<Prod>}, {"ReduceMax", Reduce<Extreme<true>>}, {"ReduceMaxD", Reduce<Extreme<true>>},
      {"ReduceMin", Reduce<Extreme<false>>}, {"ReduceMinD", Reduce<Extreme<false>>},
  });
}

}  // namespace ge::fusion::fold
