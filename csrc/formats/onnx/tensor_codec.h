// TensorProto to ir::Tensor and back.
#ifndef GE_FORMATS_ONNX_TENSOR_CODEC_H_
#define GE_FORMATS_ONNX_TENSOR_CODEC_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/status.h"
#include "formats/onnx/external_data.h"
#include "formats/wire/writer.h"
#include "ir/tensor.h"

namespace ge::formats::onnx {

struct DecodedTensor {
  std::string_view name;
  // raw_data, external data and packed little-endian fields are used where they lie in the mapped file.
  std::shared_ptr<ir::Tensor> tensor;
  // The ONNX element type if GE has none for it (then the desc says kUndefined), else 0.
  int64_t foreign_type = 0;
  bool external = false;
  // doc_string, metadata and unknown fields as they lie in the file.
  std::string other_fields;
};

// Errors name the tensor and what is wrong with it. `proto` must lie in `file`.
Result<DecodedTensor> DecodeTensor(std::string_view proto, const std::shared_ptr<const MappedFile>& file,
                                   ExternalFiles* external);

struct EncodeOptions {
  std::string_view name;
  int64_t foreign_type = 0;
  std::string_view other_fields;
  ExternalSink* external = nullptr;  // null: inline
};
// Writes `tensor` as the field `field`. Large payloads are referred to: the tensor must live until they are written.
void EncodeTensor(wire::Writer& out, uint32_t field, const ir::Tensor& tensor, const EncodeOptions& options);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_TENSOR_CODEC_H_
