// ONNX files in and out.
#ifndef GE_FORMATS_ONNX_ONNX_H_
#define GE_FORMATS_ONNX_ONNX_H_

#include <optional>
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
  // Tensors of this many bytes and more go to <path>.data (or <path>.data1: see ModelFiles), all others into the model; negative: none does. Not set: as
  // the model had it (those of 1 KiB and more if it has external data), and where they must (above 2 GiB).
  std::optional<int64_t> external_data_threshold;
};
// Writes a model, and the data file beside it if there is one. Each appears under its name when both are complete: the
// process may end at any moment and leaves the old model with its data, or the new one with its own.
GE_API Status Save(const ir::Graph& graph, const std::string& path, const SaveOptions& options = {});

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_ONNX_H_
