#include "fusion/builtin/fold/element.h"

namespace ge::fusion::fold {
namespace {

uint32_t Bits(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}
float FromBits(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

}  // namespace

float ToFloat(Half h) {
  uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000) << 16;
  uint32_t exponent = h.bits >> 10 & 31, fraction = h.bits & 1023;
  if (exponent == 31) return FromBits(sign | 0x7F800000 | fraction << 13);
  if (exponent == 0) {
    float v = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -v : v;
  }
  return FromBits(sign | (exponent + 112) << 23 | fraction << 13);
}

float ToFloat(Bf16 b) { return FromBits(static_cast<uint32_t>(b.bits) << 16); }

Half ToHalf(float f) {
  uint32_t bits = Bits(f), magnitude = bits & 0x7FFFFFFF;
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  if (magnitude > 0x7F800000) return {static_cast<uint16_t>(sign | 0x7E00)};
  if (magnitude >= 0x477FF000) return {static_cast<uint16_t>(sign | 0x7C00)};  // 65520 and more round to infinity
  if (magnitude < 0x38800000) {
    // Below the smallest normal number steps are of 2^-24; the sum rounds to them.
    float shifted = std::nearbyint(std::ldexp(FromBits(magnitude), 24));
    return {static_cast<uint16_t>(sign | static_cast<uint16_t>(shifted))};
  }
  uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
  return {static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)))};
}

Bf16 ToBf16(float f) {
  uint32_t bits = Bits(f);
  if (std::isnan(f)) return {static_cast<uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}

}  // namespace ge::fusion::fold
