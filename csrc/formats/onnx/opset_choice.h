// The opset a graph is written in.
#ifndef GE_FORMATS_ONNX_OPSET_CHOICE_H_
#define GE_FORMATS_ONNX_OPSET_CHOICE_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "formats/onnx/model_info.h"
#include "ir/graph.h"

namespace ge::formats::onnx {

// `requested`, else the model's own opset, raised to the least in which every mapped node can be written. An error if a
// node needs more than was requested, or if an opaque node of the model would mean something else in that opset.
Result<int64_t> ChooseOpset(const std::vector<const ir::Node*>& order, const ModelInfo* info, int64_t requested);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_OPSET_CHOICE_H_
