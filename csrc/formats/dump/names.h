// What the text dumps call edges, element types and layouts.
#ifndef GE_FORMATS_DUMP_NAMES_H_
#define GE_FORMATS_DUMP_NAMES_H_

#include <string>
#include <vector>

#include "ir/graph.h"

namespace ge::formats::dump {

// "<node>:<output>"
std::string EdgeName(ir::Anchor source);
// An entry an input, "" where none is connected, then "<node>:-1" a control edge.
std::vector<std::string> InputNames(const ir::Node& node);
// The name of a layout in files: without FORMAT_, but for a few that differ.
std::string_view LayoutName(ir::Format format);
// What an input of the node carries; Data nodes, which have no input slot, show what they give out.
size_t NumInputDescs(const ir::Node& node);
const ir::TensorDesc& InputDescOf(const ir::Node& node, size_t i);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_NAMES_H_
