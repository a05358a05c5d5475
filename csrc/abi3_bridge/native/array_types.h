// Data types that arrays have too, with their DLPack codes.
#ifndef GE_ABI3_BRIDGE_NATIVE_ARRAY_TYPES_H_
#define GE_ABI3_BRIDGE_NATIVE_ARRAY_TYPES_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "ir/types.h"

namespace ge::bridge {

struct ArrayType {
  ir::DataType type;
  nanobind::dlpack::dtype_code code;
  uint8_t bits;
};

namespace array_types {
using Code = nanobind::dlpack::dtype_code;
using ir::DataType;
inline constexpr ArrayType kAll[] = {
    {DataType::kFloat, Code::Float, 32},       {DataType::kFloat16, Code::Float, 16},
    {DataType::kDouble, Code::Float, 64},      {DataType::kInt8, Code::Int, 8},
    {DataType::kInt16, Code::Int, 16},         {DataType::kInt32, Code::Int, 32},
    {DataType::kInt64, Code::Int, 64},         {DataType::kUint8, Code::UInt, 8},
    {DataType::kUint16, Code::UInt, 16},       {DataType::kUint32, Code::UInt, 32},
    {DataType::kUint64, Code::UInt, 64},       {DataType::kBool, Code::Bool, 8},
    {DataType::kComplex64, Code::Complex, 64}, {DataType::kComplex128, Code::Complex, 128},
    {DataType::kBf16, Code::Bfloat, 16},
};
}  // namespace array_types

// Null where arrays lack the type.
inline const ArrayType* FindArrayType(ir::DataType type) {
  for (const ArrayType& t : array_types::kAll) {
    if (t.type == type) return &t;
  }
  return nullptr;
}

inline const ArrayType* FindArrayType(nanobind::dlpack::dtype dtype) {
  if (dtype.lanes != 1) return nullptr;
  for (const ArrayType& t : array_types::kAll) {
    if (static_cast<uint8_t>(t.code) == dtype.code && t.bits == dtype.bits) return &t;
  }
  return nullptr;
}

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_ARRAY_TYPES_H_
