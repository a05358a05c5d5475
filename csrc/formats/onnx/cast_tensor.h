// Constants converted to another element type.
#ifndef GE_FORMATS_ONNX_CAST_TENSOR_H_
#define GE_FORMATS_ONNX_CAST_TENSOR_H_

#include "ir/tensor.h"

namespace ge::formats::onnx {

// Rounded to the nearest even for the 16-bit floats, truncated for integers. Null for types it does not cover (strings,
// complex, 8-bit floats and narrower).
ir::TensorPtr CastTensor(const ir::Tensor& tensor, ir::DataType type);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_CAST_TENSOR_H_
