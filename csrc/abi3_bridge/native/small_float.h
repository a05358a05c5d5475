// Floats of 16 bits and fewer: IEEE half, bfloat16, the 8-, 6- and 4-bit formats of OCP.
#ifndef GE_ABI3_BRIDGE_NATIVE_SMALL_FLOAT_H_
#define GE_ABI3_BRIDGE_NATIVE_SMALL_FLOAT_H_

#include <cstdint>

#include "ir/types.h"

namespace ge::bridge {

struct SmallFloat {
  // What the codes with an exponent of ones mean.
  enum class Top : uint8_t {
    kIeee,      // infinities and NaN
    kNanOnly,   // NaN where the fraction is ones too, else numbers
    kNumbers,   // numbers
    kExponent,  // no sign, no fraction: a power of two, NaN when all ones
  };
  int exponent_bits;
  int fraction_bits;
  int bias;
  Top top;
};

// Null if the type is no small float, or one whose layout is not known here.
const SmallFloat* SmallFloatOf(ir::DataType type);
double DecodeSmallFloat(const SmallFloat& format, uint32_t bits);
// Rounds to nearest, ties to even. What is too large becomes infinity, else NaN, else the largest number.
uint32_t EncodeSmallFloat(const SmallFloat& format, double value);

// The double whose shortest decimal form names this float: 0.1f gives 0.1. Whole numbers stay what they are.
double ShortDouble(float value);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_SMALL_FLOAT_H_
