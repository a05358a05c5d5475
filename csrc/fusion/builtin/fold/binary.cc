// Operators of two tensors: arithmetic, comparisons, logic. Integers wrap around as two's complement does.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fusion/builtin/fold/broadcast.h"
#include "fusion/builtin/fold/element.h"
#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

template <typename W>
W Wrap(uint64_t v) {
  return static_cast<W>(v);
}
template <typename W>
uint64_t Unsigned(W v) {
  return static_cast<uint64_t>(v);
}

// Each: false where the result is not defined.
struct Add {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      *out = a + b;
    } else {
      *out = Wrap<W>(Unsigned(a) + Unsigned(b));
    }
    return true;
  }
};
struct Sub {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      *out = a - b;
    } else {
      *out = Wrap<W>(Unsigned(a) - Unsigned(b));
    }
    return true;
  }
};
struct Mul {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      *out = a * b;
    } else {
      *out = Wrap<W>(Unsigned(a) * Unsigned(b));
    }
    return true;
  }
};
// Whether a / b and a % b exist for integers.
template <typename W>
bool Divides(W a, W b) {
  if (b == 0) return false;
  if constexpr (std::is_signed_v<W>) {
    if (b == -1 && a == std::numeric_limits<W>::min()) return false;
  }
  return true;
}
struct Div {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    if constexpr (!std::is_floating_point_v<W>) {
      if (!Divides(a, b)) return false;
    }
    *out = static_cast<W>(a / b);
    return true;
  }
};
// The sign of the divisor; floats are left to the runtime.
struct FloorMod {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      return false;
    } else {
      if (!Divides(a, b)) return false;
      auto m = static_cast<W>(a % b);
      if (m != 0 && (m < 0) != (b < 0)) m = static_cast<W>(m + b);
      *out = m;
      return true;
    }
  }
};
struct Mod {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    if constexpr (std::is_floating_point_v<W>) {
      *out = std::fmod(a, b);
    } else {
      if (!Divides(a, b)) return false;
      *out = static_cast<W>(a % b);
    }
    return true;
  }
};
// Of NaN, and of zeros of both signs, runtimes have different ideas. A Clip of one bound, which is a Maximum or Minimum
// here, never gives an infinite number.
template <typename W>
bool IsDefined(W a, W b, W result) {
  if constexpr (std::is_floating_point_v<W>) {
    return !std::isnan(a) && !std::isnan(b) && !(a == b && std::signbit(a) != std::signbit(b)) && !std::isinf(result);
  }
  return true;
}
struct Max {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    *out = std::max(a, b);
    return IsDefined(a, b, *out);
  }
};
struct Min {
  template <typename W>
  static bool Do(W a, W b, W* out) {
    *out = std::min(a, b);
    return IsDefined(a, b, *out);
  }
};

struct Equal {
  template <typename W>
  static bool Do(W a, W b) {
    return a == b;
  }
};
struct NotEqual {
  template <typename W>
  static bool Do(W a, W b) {
    return a != b;
  }
};
struct Less {
  template <typename W>
  static bool Do(W a, W b) {
    return a < b;
  }
};
struct LessEqual {
  template <typename W>
  static bool Do(W a, W b) {
    return a <= b;
  }
};
struct Greater {
  template <typename W>
  static bool Do(W a, W b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <typename W>
  static bool Do(W a, W b) {
    return a >= b;
  }
};
struct And {
  static bool Do(bool a, bool b) { return a && b; }
};
struct Or {
  static bool Do(bool a, bool b) { return a || b; }
};
struct Xor {
  static bool Do(bool a, bool b) { return a != b; }
};
struct BitAnd {
  template <typename W>
  static W Do(W a, W b) {
    return static_cast<W>(a & b);
  }
};
struct BitOr {
  template <typename W>
  static W Do(W a, W b) {
    return static_cast<W>(a | b);
  }
};
struct BitXor {
  template <typename W>
  static W Do(W a, W b) {
    return static_cast<W>(a ^ b);
  }
};

// Two tensors of one type, and how they are walked together.
struct Pair {
  Dims out;
  std::array<Dims, 2> steps;
  bool Make(const Call& call) {
    if (call.num_inputs() != 2 || !call.has(0) || !call.has(1) || call.dtype(0) != call.dtype(1)) return false;
    if (!BroadcastDims({call.dims(0), call.dims(1)}, &out)) return false;
    steps = {BroadcastSteps(call.dims(0), out), BroadcastSteps(call.dims(1), out)};
    return true;
  }
};

template <typename Op>
bool Arithmetic(Call& call) {
  Pair pair;
  if (!pair.Make(call)) return false;
  return VisitNumber(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    uint8_t* out = call.New(call.dtype(0), pair.out);
    return out != nullptr && Walk<2>(pair.out, pair.steps, [&](int64_t i, const auto& at) {
      Wide<T> value{};
      if (!Op::Do(Load<T>(call.data(0), at[0]), Load<T>(call.data(1), at[1]), &value)) return false;
      Store<T>(out, i, value);
      return true;
    });
  });
}

template <typename Op>
bool Comparison(Call& call) {
  Pair pair;
  if (!pair.Make(call)) return false;
  return VisitAny(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    uint8_t* out = call.New(ir::DataType::kBool, pair.out);
    return out != nullptr && Walk<2>(pair.out, pair.steps, [&](int64_t i, const auto& at) {
      Store<bool>(out, i, Op::Do(Load<T>(call.data(0), at[0]), Load<T>(call.data(1), at[1])));
      return true;
    });
  });
}

template <typename Op>
bool Logic(Call& call) {
  Pair pair;
  if (!pair.Make(call) || call.dtype(0) != ir::DataType::kBool) return false;
  uint8_t* out = call.New(ir::DataType::kBool, pair.out);
  return out != nullptr && Walk<2>(pair.out, pair.steps, [&](int64_t i, const auto& at) {
    Store<bool>(out, i, Op::Do(Load<bool>(call.data(0), at[0]), Load<bool>(call.data(1), at[1])));
    return true;
  });
}

template <typename Op>
bool Bitwise(Call& call) {
  Pair pair;
  if (!pair.Make(call)) return false;
  return VisitNumber(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      uint8_t* out = call.New(call.dtype(0), pair.out);
      return out != nullptr && Walk<2>(pair.out, pair.steps, [&](int64_t i, const auto& at) {
        Store<T>(out, i, Op::Do(Load<T>(call.data(0), at[0]), Load<T>(call.data(1), at[1])));
        return true;
      });
    }
    return false;
  });
}

}  // namespace

void AddBinaryKernels(std::vector<KernelEntry>* out) {
  out->insert(out->end(), {
      {"Add", Arithmetic<Add>}, {"AddV2", Arithmetic<Add>}, {"Sub", Arithmetic<Sub>}, {"Mul", Arithmetic<Mul>},
      {"RealDiv", Arithmetic<Div>}, {"Div", Arithmetic<Div>}, {"FloorMod", Arithmetic<FloorMod>},
      {"Mod", Arithmetic<Mod>}, {"Maximum", Arithmetic<Max>}, {"Minimum", Arithmetic<Min>},
      {"Equal", Comparison<Equal>}, {"NotEqual", Comparison<NotEqual>}, {"Less", Comparison<Less>},
      {"LessEqual", Comparison<LessEqual>}, {"Greater", Comparison<Greater>},
      {"GreaterEqual", Comparison<GreaterEqual>}, {"LogicalAnd", Logic<And>}, {"LogicalOr", Logic<Or>},
      {"LogicalXor", Logic<Xor>}, {"ai.onnx::Xor", Logic<Xor>}, {"BitwiseAnd", Bitwise<BitAnd>},
      {"BitwiseOr", Bitwise<BitOr>}, {"BitwiseXor", Bitwise<BitXor>},
  });
}

}  // namespace ge::fusion::fold
