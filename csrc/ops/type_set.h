// Sets of element types, as operator definitions state them; a set is one word.
#ifndef GE_OPS_TYPE_SET_H_
#define GE_OPS_TYPE_SET_H_

#include <cstdint>

#include "ir/types.h"

namespace ge::ops {

class TypeSet {
 public:
  constexpr TypeSet() = default;  // any type
  constexpr TypeSet(ir::DataType type) : bits_(uint64_t{1} << static_cast<int>(type)) {}  // NOLINT: implicit by design

  // True when nothing is said about types.
  constexpr bool any() const { return bits_ == 0; }
  constexpr bool Contains(ir::DataType type) const {
    return any() || (static_cast<int>(type) < 64 && (bits_ >> static_cast<int>(type) & 1) != 0);
  }
  constexpr uint64_t bits() const { return bits_; }
  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) { return TypeSet(a.bits_ | b.bits_); }
  friend constexpr TypeSet operator-(TypeSet a, TypeSet b) { return TypeSet(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(TypeSet a, TypeSet b) { return a.bits_ == b.bits_; }

 private:
  explicit constexpr TypeSet(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};

// The number GE stores in an Int attribute that holds a type.
constexpr int64_t TypeNumber(ir::DataType type) { return static_cast<int64_t>(type); }

// Single types under short names, for definitions that list them one by one.
namespace types {
using ir::DataType;
inline constexpr TypeSet kF32 = DataType::kFloat, kF16 = DataType::kFloat16, kBF16 = DataType::kBf16,
                         kF64 = DataType::kDouble;
inline constexpr TypeSet kI4 = DataType::kInt4, kI8 = DataType::kInt8, kI16 = DataType::kInt16,
                         kI32 = DataType::kInt32, kI64 = DataType::kInt64;
inline constexpr TypeSet kU1 = DataType::kUint1, kU8 = DataType::kUint8, kU16 = DataType::kUint16,
                         kU32 = DataType::kUint32, kU64 = DataType::kUint64;
inline constexpr TypeSet kI2 = DataType::kInt2, kU2 = DataType::kUint2;
inline constexpr TypeSet kBool = DataType::kBool, kString = DataType::kString, kResource = DataType::kResource,
                         kVariant = DataType::kVariant, kStringRef = DataType::kStringRef;
inline constexpr TypeSet kC32 = DataType::kComplex32, kC64 = DataType::kComplex64, kC128 = DataType::kComplex128;
inline constexpr TypeSet kQI8 = DataType::kQint8, kQI16 = DataType::kQint16, kQI32 = DataType::kQint32,
                         kQU8 = DataType::kQuint8, kQU16 = DataType::kQuint16;
inline constexpr TypeSet kHiF8 = DataType::kHifloat8, kF8E5M2 = DataType::kFloat8E5M2,
                         kF8E4M3 = DataType::kFloat8E4M3Fn, kF8E8M0 = DataType::kFloat8E8M0,
                         kF4E2M1 = DataType::kFloat4E2M1, kF4E1M2 = DataType::kFloat4E1M2,
                         kF6E3M2 = DataType::kFloat6E3M2, kF6E2M3 = DataType::kFloat6E2M3,
                         kHiF4 = DataType::kHifloat4;
inline constexpr TypeSet kUndefined = DataType::kUndefined, kDual = DataType::kDual,
                         kDualSubI8 = DataType::kDualSubInt8, kDualSubU8 = DataType::kDualSubUint8;

// Groups, named as GE's operator prototypes group them.
inline constexpr TypeSet kFloats = kF32 | kF16 | kBF16;
inline constexpr TypeSet kFloatsAndDouble = kFloats | kF64;
inline constexpr TypeSet kFloating = kF64 | kF32 | kF16;
inline constexpr TypeSet kIndex = kI32 | kI64;
inline constexpr TypeSet kSigned = kI8 | kI16 | kI32 | kI64;
inline constexpr TypeSet kUnsigned = kU8 | kU16 | kU32 | kU64;
inline constexpr TypeSet kIntegers = kSigned | kUnsigned;
inline constexpr TypeSet kReal = kFloatsAndDouble | kIntegers;
inline constexpr TypeSet kComplex = kC32 | kC64 | kC128;
inline constexpr TypeSet kUnary = kFloatsAndDouble | kComplex;
inline constexpr TypeSet kQuantized = kQI8 | kQI16 | kQI32 | kQU8 | kQU16;
inline constexpr TypeSet kNumber = kReal | kComplex | kQI8 | kQI32 | kQU8;
inline constexpr TypeSet kBasic = kReal | kComplex | kQuantized;
inline constexpr TypeSet kOrdinary = kReal | kComplex | kBool;
inline constexpr TypeSet kAll = kBasic | kBool | kString | kResource;
}  // namespace types

}  // namespace ge::ops

#endif  // GE_OPS_TYPE_SET_H_
