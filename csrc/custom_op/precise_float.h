// Float attributes in double precision: the IR has 32 bits, a Python prototype says `float`.
#ifndef GE_CUSTOM_OP_PRECISE_FLOAT_H_
#define GE_CUSTOM_OP_PRECISE_FLOAT_H_

#include <vector>

#include "base/export.h"
#include "custom_op/node_info.h"

namespace ge::custom_op {

// Under this name beside the attribute lie the bits of what was set, an int or a list of ints.
GE_API ir::Symbol PreciseName(ir::Symbol attr);
// What was set, or is the prototype's default, if it still is `value` in 32 bits; `value` otherwise.
GE_API double PreciseFloat(const NodeInfo& node, size_t attr, float value);
GE_API std::vector<double> PreciseFloats(const NodeInfo& node, size_t attr, const std::vector<float>& values);

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_PRECISE_FLOAT_H_
