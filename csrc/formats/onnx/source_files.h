// Where the weights of a graph lie that came from another kind of model file.
#ifndef GE_FORMATS_ONNX_SOURCE_FILES_H_
#define GE_FORMATS_ONNX_SOURCE_FILES_H_

#include <memory>
#include <vector>

#include "base/mapped_file.h"

namespace ge::formats::onnx {

// What a graph's extension says beside ModelInfo.
struct MappedModel {
  virtual ~MappedModel() = default;
  // Every file that tensor data may lie in.
  virtual const std::vector<std::shared_ptr<const MappedFile>>& sources() const = 0;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_SOURCE_FILES_H_
