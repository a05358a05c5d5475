// What a context knows of its node: the prototype's slots as the node fills them, and its attributes.
#ifndef GE_CUSTOM_OP_NODE_INFO_H_
#define GE_CUSTOM_OP_NODE_INFO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/export.h"
#include "custom_op/runtime_tensor.h"
#include "ir/graph.h"
#include "ops/op_def.h"

namespace ge::custom_op {

// Instances of one input or output of the prototype: positions among those that are there. Dynamic slots count as many as
// they have, optional inputs that are absent count none.
struct Instances {
  uint32_t first = 0;
  uint32_t count = 0;
};

struct GE_API NodeInfo {
  // Of a node whose type may have no prototype: then every slot is an input or output of its own and there are no attributes.
  static NodeInfo Of(const ir::Node& node);

  std::string name;
  ir::Symbol type;
  const ops::OpDef* def = nullptr;
  std::vector<Instances> inputs, outputs;  // by IR index
  uint32_t num_inputs = 0, num_outputs = 0;  // instances
  // Slot of the node by input instance.
  std::vector<uint32_t> input_slots;
  // As set on the node, else the default; by IR index, null where there is neither.
  std::vector<const ir::AttrValue*> attrs;
  // The 64-bit form of a float attribute where the node has one, else null; by IR index.
  std::vector<const ir::AttrValue*> precise_attrs;
  const ir::AttrValue* precise(size_t attr) const {
    return attr < precise_attrs.size() ? precise_attrs[attr] : nullptr;
  }
  // The IR input that an output instance shares its name with, -1 if none: a reference output.
  std::vector<int32_t> reference_of;
};

// A constant as callbacks see it: read-only, at its place in memory.
GE_API gert::Tensor ConstTensor(const ir::TensorPtr& value);

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_NODE_INFO_H_
