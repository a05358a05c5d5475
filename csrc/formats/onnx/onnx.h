// ONNX files in and out.
#ifndef GE_FORMATS_ONNX_ONNX_H_
#define GE_FORMATS_ONNX_ONNX_H_

#include <string>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::onnx {

// Reads a model. Weights stay in the mapped file (or its external data files) until they are written again. Errors name
// the file, the place (node, tensor) and the reason.
GE_API Result<ir::GraphPtr> Load(const std::string& path);

struct SaveOptions {
  // 0: the model's own opset, raised if an operator needs a later one.
  int64_t opset = 0;
};
// Writes a model through a temporary file beside `path` that is renamed at the end; on error nothing is left behind.
GE_API Status Save(const ir::Graph& graph, const std::string& path, const SaveOptions& options = {});

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_ONNX_H_
