// Attributes of the framework that a fused node takes over from the nodes it replaces.
#ifndef GE_FUSION_INHERITED_ATTRS_H_
#define GE_FUSION_INHERITED_ATTRS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace ge::fusion {

struct InheritedAttr {
  enum class Rule : uint8_t {
    kAgree,         // text that must not differ between the nodes
    kFirst,         // of the first node that has it
    kNonZero,       // likewise, zero counting as absent
    kPrecision,     // a node of the same name, else the highest priority
    kHeavyOps,      // kFirst, for matrix operators only
    kTrue,          // kFirst, where true
  };
  ir::Symbol name;
  Rule rule;
  int64_t max_level = -1;  // kAgree: >= 0 if the text is a number from 0 to this
};

// All of them; those of rule kAgree come first, in the order in which they are checked.
std::span<const InheritedAttr> InheritedAttrs();
// True if some attribute of the node is one of these or a record of what it came from; one look at each attribute.
bool HasFrameworkAttrs(const ir::Node& node);

}  // namespace ge::fusion

#endif  // GE_FUSION_INHERITED_ATTRS_H_
