// A graph as protobuf text of onnx.ModelProto, for viewers: structure, types and attributes, no weights.
#ifndef GE_FORMATS_DUMP_ONNX_TEXT_H_
#define GE_FORMATS_DUMP_ONNX_TEXT_H_

#include <string>

#include "ir/graph.h"

namespace ge::formats::dump {

// relations_only: nodes and edges without attributes.
std::string OnnxText(const ir::Graph& graph, bool relations_only = false);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_ONNX_TEXT_H_
