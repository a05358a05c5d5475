// Operators of one tensor with an exact result. Functions that runtimes approximate, each in its way, are left to them.
#include <array>
#include <cmath>
#include <limits>

#include "fusion/builtin/fold/element.h"
#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

struct Neg {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      *out = -a;
    } else {
      *out = static_cast<W>(0 - static_cast<uint64_t>(a));
    }
    return true;
  }
};
struct Abs {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      *out = std::fabs(a);
    } else {
      *out = a < 0 ? static_cast<W>(0 - static_cast<uint64_t>(a)) : a;
    }
    return true;
  }
};
// Rounding is of floats alone.
struct Floor {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) *out = std::floor(a);
    return std::is_floating_point_v<W>;
  }
};
struct Ceil {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) *out = std::ceil(a);
    return std::is_floating_point_v<W>;
  }
};
struct Round {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) *out = std::nearbyint(a);
    return std::is_floating_point_v<W>;
  }
};
struct Sqrt {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) *out = std::sqrt(a);
    return std::is_floating_point_v<W> && a >= 0;
  }
};
struct Reciprocal {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) *out = 1 / a;
    return std::is_floating_point_v<W> && a != 0;
  }
};
struct Square {
  template <typename W>
  static bool Do(W a, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      *out = a * a;
    } else {
      *out = static_cast<W>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a));
    }
    return true;
  }
};
struct Sign {
  template <typename W>
  static bool Do(W a, W* out) {
    *out = static_cast<W>((a > 0) - (a < 0));
    if constexpr (std::is_floating_point_v<W>) return !std::isnan(a) && !(a == 0 && std::signbit(a));
    return true;
  }
};

template <typename Op>
bool Unary(Call& call) {
  if (call.num_inputs() != 1 || !call.has(0)) return false;
  return VisitNumber(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    uint8_t* out = call.New(call.dtype(0), call.dims(0));
    if (out == nullptr) return false;
    for (int64_t i = 0, n = call.count(0); i < n; ++i) {
      Wide<T> value{};
      if (!Op::Do(Load<T>(call.data(0), i), &value)) return false;
      Store<T>(out, i, value);
    }
    return true;
  });
}

bool LogicalNot(Call& call) {
  if (call.num_inputs() != 1 || !call.has(0) || call.dtype(0) != ir::DataType::kBool) return false;
  uint8_t* out = call.New(ir::DataType::kBool, call.dims(0));
  if (out == nullptr) return false;
  for (int64_t i = 0, n = call.count(0); i < n; ++i) Store<bool>(out, i, !Load<bool>(call.data(0), i));
  return true;
}

bool Invert(Call& call) {
  if (call.num_inputs() != 1 || !call.has(0)) return false;
  return VisitNumber(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      uint8_t* out = call.New(call.dtype(0), call.dims(0));
      if (out == nullptr) return false;
      for (int64_t i = 0, n = call.count(0); i < n; ++i) Store<T>(out, i, static_cast<T>(~Load<T>(call.data(0), i)));
      return true;
    }
    return false;
  });
}

}  // namespace

void AddUnaryKernels(std::vector<KernelEntry>* out) {
  out->insert(out->end(), {
      {"Neg", Unary<Neg>}, {"Abs", Unary<Abs>}, {"Floor", Unary<Floor>}, {"Ceil", Unary<Ceil>},
      {"Round", Unary<Round>}, {"Sqrt", Unary<Sqrt>}, {"Reciprocal", Unary<Reciprocal>}, {"Square", Unary<Square>},
      {"Sign", Unary<Sign>}, {"LogicalNot", LogicalNot}, {"Invert", Invert},
  });
}

}  // namespace ge::fusion::fold
