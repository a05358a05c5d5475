#include "formats/onnx/dtype_map.h"

#include <iterator>

namespace ge::formats::onnx {
namespace {

using ir::DataType;

struct Row {
  const char* name;
  DataType ge;
  int bits;
};
// Indexed by the ONNX number.
constexpr Row kTypes[] = {
    {"UNDEFINED", DataType::kUndefined, 0},
    {"FLOAT", DataType::kFloat, 32},
    {"UINT8", DataType::kUint8, 8},
    {"INT8", DataType::kInt8, 8},
    {"UINT16", DataType::kUint16, 16},
    {"INT16", DataType::kInt16, 16},
    {"INT32", DataType::kInt32, 32},
    {"INT64", DataType::kInt64, 64},
    {"STRING", DataType::kString, 0},
    {"BOOL", DataType::kBool, 8},
    {"FLOAT16", DataType::kFloat16, 16},
    {"DOUBLE", DataType::kDouble, 64},
    {"UINT32", DataType::kUint32, 32},
    {"UINT64", DataType::kUint64, 64},
    {"COMPLEX64", DataType::kComplex64, 64},
    {"COMPLEX128", DataType::kComplex128, 128},
    {"BFLOAT16", DataType::kBf16, 16},
    {"FLOAT8E4M3FN", DataType::kFloat8E4M3Fn, 8},
    {"FLOAT8E4M3FNUZ", DataType::kUndefined, 8},
    {"FLOAT8E5M2", DataType::kFloat8E5M2, 8},
    {"FLOAT8E5M2FNUZ", DataType::kUndefined, 8},
    {"UINT4", DataType::kUndefined, 4},
    {"INT4", DataType::kInt4, 4},
    {"FLOAT4E2M1", DataType::kFloat4E2M1, 4},
    {"FLOAT8E8M0", DataType::kFloat8E8M0, 8},
    {"UINT2", DataType::kUint2, 2},
    {"INT2", DataType::kInt2, 2},
};
constexpr int64_t kCount = static_cast<int64_t>(std::size(kTypes));

}  // namespace

DataType FromOnnxType(int64_t t) { return t > 0 && t < kCount ? kTypes[t].ge : DataType::kUndefined; }

int64_t ToOnnxType(DataType type) {
  if (type == DataType::kUndefined) return 0;
  for (int64_t i = 1; i < kCount; ++i) {
    if (kTypes[i].ge == type) return i;
  }
  return 0;
}

int OnnxBitWidth(int64_t t) { return t > 0 && t < kCount ? kTypes[t].bits : 0; }
const char* OnnxTypeName(int64_t t) { return t >= 0 && t < kCount ? kTypes[t].name : "unknown"; }

}  // namespace ge::formats::onnx
