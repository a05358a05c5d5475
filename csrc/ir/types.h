// Element types and layouts with GE's numbers (DataType, Format of the GE API).
#ifndef GE_IR_TYPES_H_
#define GE_IR_TYPES_H_

#include <cstdint>
#include <string_view>

#include "base/export.h"

namespace ge::ir {

enum class DataType : uint8_t {
  kFloat = 0, kFloat16 = 1, kInt8 = 2, kInt32 = 3, kUint8 = 4, kInt16 = 6, kUint16 = 7, kUint32 = 8, kInt64 = 9,
  kUint64 = 10, kDouble = 11, kBool = 12, kString = 13, kDualSubInt8 = 14, kDualSubUint8 = 15, kComplex64 = 16,
  kComplex128 = 17, kQint8 = 18, kQint16 = 19, kQint32 = 20, kQuint8 = 21, kQuint16 = 22, kResource = 23,
  kStringRef = 24, kDual = 25, kVariant = 26, kBf16 = 27, kUndefined = 28, kInt4 = 29, kUint1 = 30, kInt2 = 31,
  kUint2 = 32, kComplex32 = 33, kHifloat8 = 34, kFloat8E5M2 = 35, kFloat8E4M3Fn = 36, kFloat8E8M0 = 37,
  kFloat6E3M2 = 38, kFloat6E2M3 = 39, kFloat4E2M1 = 40, kFloat4E1M2 = 41, kHifloat4 = 42, kMax = 43,
};

enum class Format : uint8_t {
  kNCHW = 0, kNHWC = 1, kND = 2, kNC1HWC0 = 3, kFractalZ = 4, kHWCN = 16, kNDHWC = 27, kFractalNZ = 29, kNCDHW = 30,
  kNCL = 47, kReserved = 40, kMax = 53,
};

// Bits an element takes in a packed buffer; 0 for types without fixed width (strings, resources, undefined).
GE_API int BitWidth(DataType type);
// Bytes of `count` elements, packed sub-byte types rounded up.
inline int64_t ByteSize(DataType type, int64_t count) { return (count * BitWidth(type) + 7) / 8; }
// "DT_FLOAT"; "DT_<n>" for a number without a name.
GE_API std::string_view Name(DataType type);
// "ND", "NCHW", ...; "<n>" texts are not made: unknown numbers give "RESERVED".
GE_API std::string_view Name(Format format);
inline bool IsFloating(DataType t) {
  return t == DataType::kFloat || t == DataType::kFloat16 || t == DataType::kDouble || t == DataType::kBf16;
}

}  // namespace ge::ir

#endif  // GE_IR_TYPES_H_
