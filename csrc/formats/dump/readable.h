// The readable form of a graph: what str(graph) shows and people compare.
#ifndef GE_FORMATS_DUMP_READABLE_H_
#define GE_FORMATS_DUMP_READABLE_H_

#include <string>

#include "base/export.h"
#include "ir/graph.h"

namespace ge::formats::dump {

// The graph and then each of its subgraphs, a node a line, with a closing line that names the outputs. Attributes of
// operators are shown as far as the operator's definition declares them.
GE_API std::string Readable(const ir::Graph& graph);
// One attribute value as the dump shows it; empty for what it leaves out.
std::string ValueText(const ir::AttrValue& value);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_READABLE_H_
