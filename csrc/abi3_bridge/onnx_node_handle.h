// ge.onnx_plugin.OnnxNode: read-only, and good for as long as anybody wants.
#ifndef GE_ABI3_BRIDGE_ONNX_NODE_HANDLE_H_
#define GE_ABI3_BRIDGE_ONNX_NODE_HANDLE_H_

#include "base/export.h"
#include "custom_op/onnx_plugin.h"

namespace ge::bridge {

struct GE_API PyOnnxNode {
  custom_op::OnnxNode node;
};

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_ONNX_NODE_HANDLE_H_
