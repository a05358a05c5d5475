// A graph as protobuf text of onnx.ModelProto, for viewers: structure, types and attributes.
#ifndef GE_FORMATS_DUMP_ONNX_TEXT_H_
#define GE_FORMATS_DUMP_ONNX_TEXT_H_

#include <string>

#include "ir/graph.h"

namespace ge::formats::dump {

struct OnnxContent {
  bool attributes = true;    // else nodes and edges only
  bool strings = true;       // attributes of operators that are one text
  bool tensor_data = false;  // the bytes of tensors, and not only their descs
};
std::string OnnxText(const ir::Graph& graph, const OnnxContent& content);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_ONNX_TEXT_H_
