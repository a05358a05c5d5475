// Cast between numbers and truth values.
#include <cmath>
#include <limits>

#include "fusion/builtin/fold/element.h"
#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

// A float outside of the integers of that type has no defined conversion.
template <typename To, typename From>
bool Fits(From v) {
  constexpr int kBits = std::numeric_limits<To>::digits;
  From limit = std::ldexp(From{1}, kBits);
  return v < limit && (std::is_signed_v<To> ? v >= -limit : v > From{-1});
}

template <typename To, typename From>
bool Convert(From v, Wide<To>* out) {
  if constexpr (std::is_same_v<To, bool>) {
    *out = v != From{};
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (!Fits<To>(v)) return false;
    *out = static_cast<To>(v);
  } else {
    *out = static_cast<Wide<To>>(v);
  }
  return true;
}

bool CastTo(Call& call, ir::DataType type) {
  if (!call.has(0)) return false;
  if (type == call.dtype(0)) return call.Share(0, call.dims(0));
  return VisitAny(call.dtype(0), [&](auto from_tag) {
    using From = typename decltype(from_tag)::type;
    return VisitAny(type, [&](auto to_tag) {
      using To = typename decltype(to_tag)::type;
      uint8_t* out = call.New(type, call.dims(0));
      if (out == nullptr) return false;
      for (int64_t i = 0, n = call.count(0); i < n; ++i) {
        Wide<To> value{};
        if (!Convert<To>(Load<From>(call.data(0), i), &value)) return false;
        Store<To>(out, i, value);
      }
      return true;
    });
  });
}

bool Cast(Call& call) {
  int64_t type = call.Int("dst_type", -1);
  if (type < 0 || type >= static_cast<int64_t>(ir::DataType::kMax)) return false;
  return CastTo(call, static_cast<ir::DataType>(type));
}
bool CastLike(Call& call) { return call.has(1) && CastTo(call, call.dtype(1)); }

}  // namespace

void AddCastKernels(std::vector<KernelEntry>* out) {
  out->push_back({"Cast", Cast});
  out->push_back({"CastLike", CastLike});
}

}  // namespace ge::fusion::fold
