// Element types of ONNX and of GE.
#ifndef GE_FORMATS_ONNX_DTYPE_MAP_H_
#define GE_FORMATS_ONNX_DTYPE_MAP_H_

#include <cstdint>

#include "ir/types.h"

namespace ge::formats::onnx {

// kUndefined for numbers that GE has no type for (uint4, the FNUZ float8 kinds) and for unknown ones.
ir::DataType FromOnnxType(int64_t onnx_type);
// 0 for types that ONNX has no number for.
int64_t ToOnnxType(ir::DataType type);
// Bits of an element in raw_data; 0 for strings and unknown numbers. Covers the types GE lacks, too.
int OnnxBitWidth(int64_t onnx_type);
// "FLOAT"; for messages.
const char* OnnxTypeName(int64_t onnx_type);

inline constexpr int64_t kOnnxString = 8;

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_DTYPE_MAP_H_
