// What an operator's definition calls the slots of a node.
#ifndef GE_FORMATS_AIR_SLOT_NAMES_H_
#define GE_FORMATS_AIR_SLOT_NAMES_H_

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ops/op_def.h"

namespace ge::formats::air {

// "" past the definition. Elements of a dynamic one are numbered.
std::vector<std::string> InputSlotNames(const ir::Node& node, const ops::OpDef& def);
std::vector<std::string> OutputSlotNames(const ir::Node& node, const ops::OpDef& def);

// Name of the subgraph slot number `i` of `count`; "" where the definition names none. `def` may be null.
std::string SubgraphSlotName(const ops::OpDef* def, size_t i, size_t count);
// Whether the subgraphs of the node are in slots of these names.
bool HasDeclaredSlots(const ir::Node& node);

// The input of the node that owns the subgraph which this Data node of it stands for.
int64_t ParentInputIndex(const ir::Node& data);

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_SLOT_NAMES_H_
