// A graph as protobuf text of GE's own ModelDef (ge_ir.proto), subgraphs included.
#ifndef GE_FORMATS_DUMP_PROTO_TEXT_H_
#define GE_FORMATS_DUMP_PROTO_TEXT_H_

#include <string>

#include "ir/graph.h"

namespace ge::formats::dump {

// with_weights: whether the bytes of tensors are written, and not only their descs.
std::string ProtoText(const ir::Graph& graph, bool with_weights);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_PROTO_TEXT_H_
