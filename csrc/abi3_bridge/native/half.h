// 16-bit floats: IEEE half and bfloat16 to and from wider ones.
#ifndef GE_ABI3_BRIDGE_NATIVE_HALF_H_
#define GE_ABI3_BRIDGE_NATIVE_HALF_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace ge::bridge {

// Rounds to nearest, ties to even; beyond the range becomes infinity, below half of the smallest subnormal zero.
inline uint16_t HalfFromDouble(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7E00;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return sign | 0x7C00;
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
  // The unit of the last place: 2^-24 for subnormals, else 2^(exponent - 11).
  int unit = exponent - 11 < -24 ? -24 : exponent - 11;
  auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // For normals `steps` is 1024 to 2048; a carry runs into the exponent by itself.
  uint32_t bits = unit == -24 ? steps : (static_cast<uint32_t>(unit + 24) << 10) + steps;
  return static_cast<uint16_t>(sign | bits);
}

inline double FloatFromHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1F;
  int mantissa = bits & 0x3FF;
  double v;
  if (exponent == 0) {
    v = std::ldexp(mantissa, -24);
  } else if (exponent == 31) {
    v = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else {
    v = std::ldexp(1024 + mantissa, exponent - 25);
  }
  return (bits & 0x8000) ? -v : v;
}

inline double FloatFromBf16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float f;
  std::memcpy(&f, &wide, sizeof f);
  return f;
}

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_HALF_H_
