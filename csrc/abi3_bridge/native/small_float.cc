#include "abi3_bridge/native/small_float.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace ge::bridge {
namespace {

using Top = SmallFloat::Top;

// Largest number's code without its sign bit.
uint32_t LargestCode(const SmallFloat& f) {
  uint32_t all = (1u << (f.exponent_bits + f.fraction_bits)) - 1;
  switch (f.top) {
    case Top::kIeee: return all - (1u << f.fraction_bits);
    case Top::kNanOnly:
    case Top::kExponent: return all - 1;
    case Top::kNumbers: return all;
  }
  return all;
}

uint32_t EncodeExponent(const SmallFloat& f, double value) {
  uint32_t nan = (1u << f.exponent_bits) - 1;
  if (!(value > 0) || std::isinf(value)) return nan;
  int exponent = 0;
  double half = std::frexp(value, &exponent);  // value = half * 2^exponent, half in [0.5, 1)
  int power = exponent - 1;
  bool tie = half == 0.75;
  if (half > 0.75 || (tie && ((power + f.bias) & 1) != 0)) ++power;
  int code = std::max(power + f.bias, 0);
  return code >= static_cast<int>(nan) ? nan : static_cast<uint32_t>(code);
}

}  // namespace

const SmallFloat* SmallFloatOf(ir::DataType type) {
  static constexpr SmallFloat kHalf{5, 10, 15, Top::kIeee}, kBf16{8, 7, 127, Top::kIeee}, kE5M2{5, 2, 15, Top::kIeee},
      kE4M3{4, 3, 7, Top::kNanOnly}, kE8M0{8, 0, 127, Top::kExponent}, kE3M2{3, 2, 3, Top::kNumbers},
      kE2M3{2, 3, 1, Top::kNumbers}, kE2M1{2, 1, 1, Top::kNumbers};
  switch (type) {
    case ir::DataType::kFloat16: return &kHalf;
    case ir::DataType::kBf16: return &kBf16;
    case ir::DataType::kFloat8E5M2: return &kE5M2;
    case ir::DataType::kFloat8E4M3Fn: return &kE4M3;
    case ir::DataType::kFloat8E8M0: return &kE8M0;
    case ir::DataType::kFloat6E3M2: return &kE3M2;
    case ir::DataType::kFloat6E2M3: return &kE2M3;
    case ir::DataType::kFloat4E2M1: return &kE2M1;
    default: return nullptr;
  }
}

double DecodeSmallFloat(const SmallFloat& f, uint32_t bits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (f.top == Top::kExponent) {
    return bits == (1u << f.exponent_bits) - 1 ? kNan : std::ldexp(1.0, static_cast<int>(bits) - f.bias);
  }
  uint32_t code = bits & ((1u << (f.exponent_bits + f.fraction_bits)) - 1);
  bool negative = (bits >> (f.exponent_bits + f.fraction_bits)) & 1;
  double value;
  if (code > LargestCode(f)) {
    bool infinite = f.top == Top::kIeee && code == LargestCode(f) + 1;
    value = infinite ? std::numeric_limits<double>::infinity() : kNan;
  } else {
    uint32_t fraction = code & ((1u << f.fraction_bits) - 1);
    int exponent = static_cast<int>(code >> f.fraction_bits);
    uint32_t whole = exponent == 0 ? fraction : fraction + (1u << f.fraction_bits);
    value = std::ldexp(static_cast<double>(whole), std::max(exponent, 1) - f.bias - f.fraction_bits);
  }
  return negative ? -value : value;
}

uint32_t EncodeSmallFloat(const SmallFloat& f, double value) {
  if (f.top == Top::kExponent) return EncodeExponent(f, value);
  uint32_t sign = std::signbit(value) ? 1u << (f.exponent_bits + f.fraction_bits) : 0;
  uint32_t largest = LargestCode(f);
  if (std::isnan(value)) {
    if (f.top == Top::kNumbers) return sign | largest;
    return sign | (f.top == Top::kIeee ? largest + 1 + (1u << (f.fraction_bits - 1)) : largest + 1);
  }
  double magnitude = std::fabs(value);
  uint32_t code = 0;
  if (std::isinf(value)) {
    code = largest + 1;
  } else if (magnitude != 0) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
    // The unit of the last place, not below that of subnormals; a carry runs into the exponent by itself.
    int smallest = 1 - f.bias - f.fraction_bits;
    int unit = std::max(exponent - 1 - f.fraction_bits, smallest);
    double steps = std::nearbyint(std::ldexp(magnitude, -unit));
    if (unit - smallest > (1 << f.exponent_bits)) {
      code = largest + 1;
    } else {
      code = (static_cast<uint32_t>(unit - smallest) << f.fraction_bits) + static_cast<uint32_t>(steps);
      code = std::min(code, largest + 1);
    }
  }
  if (code > largest && f.top == Top::kNumbers) code = largest;
  return sign | code;
}

double ShortDouble(float value) {
  if (value == 0 || !std::isfinite(value)) return value;
  double exact = value;
  if (std::fabs(exact) < 9007199254740992.0 && exact == std::floor(exact)) return exact;
  // Powers of ten up to here are exact in a double, and so the quotient is the double nearest to the decimal.
  static constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr int kMostDigits = 9;
  int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(exact))));
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    int scale = digits - 1 - magnitude;
    double candidate;
    if (scale >= 0 && scale <= 22) {
      candidate = std::nearbyint(exact * kTens[scale]) / kTens[scale];
    } else if (scale < 0 && scale >= -22) {
      candidate = std::nearbyint(exact / kTens[-scale]) * kTens[-scale];
    } else {
      char text[40];
      std::snprintf(text, sizeof text, "%.*e", digits - 1, exact);
      candidate = std::strtod(text, nullptr);
    }
    if (static_cast<float>(candidate) == value) return candidate;
  }
  return exact;
}

}  // namespace ge::bridge
