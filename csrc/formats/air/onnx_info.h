// What an ONNX model has beside its graph, on its way through GE's IR.
#ifndef GE_FORMATS_AIR_ONNX_INFO_H_
#define GE_FORMATS_AIR_ONNX_INFO_H_

#include <string>

#include "base/status.h"
#include "formats/air/model_info.h"
#include "formats/onnx/model_info.h"

namespace ge::formats::air {

// A graph that came from ONNX into GE's IR: both formats find what they keep.
struct OnnxAirInfo : onnx::ModelInfo, AirInfo {
  std::string packed;  // views of ModelInfo point into it
};

// An ONNX model without nodes and weights: versions, operator sets, functions, metadata.
std::string PackOnnxInfo(const onnx::ModelInfo& info);
// Reads `info->packed`.
Status UnpackOnnxInfo(OnnxAirInfo* info);

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_ONNX_INFO_H_
