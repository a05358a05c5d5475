// A graph as protobuf text of GE's own ModelDef (ge_ir.proto), subgraphs included.
#ifndef GE_FORMATS_DUMP_PROTO_TEXT_H_
#define GE_FORMATS_DUMP_PROTO_TEXT_H_

#include <map>
#include <string>

#include "ir/graph.h"

namespace ge::formats::dump {

enum class Weights {
  kData,
  kDescription,  // of all tensors
  kNone,         // constants have no value at all
};
// options: those of the compile, by their names in the library; null: the text says nothing of them.
std::string ProtoText(const ir::Graph& graph, Weights weights, const std::map<std::string, std::string>* options);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_PROTO_TEXT_H_
