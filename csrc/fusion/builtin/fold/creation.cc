// Operators that make a tensor out of a few numbers.
#include <cmath>
#include <cstring>

#include "fusion/builtin/fold/element.h"
#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

bool Fill(Call& call) {
  auto dims = call.Ints(0);
  if (!dims || !call.has(1) || call.count(1) != 1) return false;
  int bits = ir::BitWidth(call.dtype(1));
  int64_t n = Elements(*dims);
  if (bits % 8 != 0 || n < 0) return false;
  uint8_t* out = call.New(call.dtype(1), *dims);
  if (out == nullptr) return false;
  size_t size = static_cast<size_t>(bits) / 8;
  for (int64_t i = 0; i < n; ++i) std::memcpy(out + static_cast<size_t>(i) * size, call.data(1), size);
  return true;
}

// How far integers are whole numbers in both float types, so that sums and products of them agree.
constexpr double kExact = 1 << 24;

bool Range(Call& call) {
  for (size_t i = 0; i < 3; ++i) {
    if (!call.has(i) || call.count(i) != 1 || call.dtype(i) != call.dtype(0)) return false;
  }
  if (call.num_inputs() != 3 || call.Bool("is_closed", false)) return false;
  return VisitNumber(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Wide<T> start = Load<T>(call.data(0), 0), limit = Load<T>(call.data(1), 0), delta = Load<T>(call.data(2), 0);
    if (delta == 0) return false;
    for (Wide<T> v : {start, limit, delta}) {
      auto d = static_cast<double>(v);
      bool whole = !std::is_floating_point_v<Wide<T>> || d == std::floor(d);
      if (!whole || !(std::fabs(d) < kExact)) return false;
    }
    double steps = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    auto n = steps > 0 ? static_cast<int64_t>(steps) : int64_t{0};
    uint8_t* out = call.New(call.dtype(0), {n});
    if (out == nullptr) return false;
    for (int64_t i = 0; i < n; ++i) {
      double v = static_cast<double>(start) + static_cast<double>(i) * static_cast<double>(delta);
      Store<T>(out, i, static_cast<Wide<T>>(v));
    }
    // Half precision is exact for fewer numbers than float is.
    return sizeof(T) > 2 || std::is_integral_v<T>;
  });
}

}  // namespace

void AddCreationKernels(std::vector<KernelEntry>* out) {
  out->push_back({"Fill", Fill});
  out->push_back({"Range", Range});
}

}  // namespace ge::fusion::fold
