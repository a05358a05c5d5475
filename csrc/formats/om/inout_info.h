// The table of inputs and outputs that an .om has beside its model.
#ifndef GE_FORMATS_OM_INOUT_INFO_H_
#define GE_FORMATS_OM_INOUT_INFO_H_

#include <string>
#include <vector>

#include "ir/graph.h"

namespace ge::formats::om {

// "<node>:<index>:<tensor name>" of each output, without the name where it has none.
std::vector<std::string> OutputNames(const ir::Graph& graph);
std::string InOutInfo(const ir::Graph& graph);
// Whether an input or output has a dim that is not known.
bool HasUnknownShape(const ir::Graph& graph);

}  // namespace ge::formats::om

#endif  // GE_FORMATS_OM_INOUT_INFO_H_
