// ValueInfoProto and TypeProto: what a model declares about a tensor.
#ifndef GE_FORMATS_ONNX_VALUE_INFO_H_
#define GE_FORMATS_ONNX_VALUE_INFO_H_

#include <string_view>

#include "base/status.h"
#include "formats/wire/writer.h"
#include "ir/tensor.h"

namespace ge::formats::onnx {

struct ValueInfo {
  std::string_view name;
  ir::TensorDesc desc;
  bool has_type = false;
  // True if name and desc say all there is. Otherwise (sequence types, denotations, doc strings, element types without
  // a GE counterpart) the bytes are kept and written again as long as the desc has not changed.
  bool plain = true;
};
Result<ValueInfo> ParseValueInfo(std::string_view proto);

// `original`: the bytes of a value that is not plain, else empty.
void WriteValueInfo(wire::Writer& out, uint32_t field, std::string_view name, const ir::TensorDesc& desc,
                    std::string_view original);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_VALUE_INFO_H_
