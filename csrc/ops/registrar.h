// Where the family files put their definitions.
#ifndef GE_OPS_REGISTRAR_H_
#define GE_OPS_REGISTRAR_H_

#include <deque>
#include <string_view>

#include "ops/op_def.h"

namespace ge::ops {

class OpRegistrar {
 public:
  // Starts the definition of one operator; the reference stays good.
  OpDef& Op(std::string_view type, std::string_view es_group) { return defs_.emplace_back(type, es_group); }
  std::deque<OpDef>& defs() { return defs_; }

 private:
  std::deque<OpDef> defs_;
};

}  // namespace ge::ops

#endif  // GE_OPS_REGISTRAR_H_
