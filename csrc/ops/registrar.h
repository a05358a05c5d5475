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
  const std::deque<OpDef>& defs() const { return defs_; }

 private:
  std::deque<OpDef> defs_;
};

// A format whose operators may pass through as they are adds the rules of how their shapes follow: found for inference,
// never listed or offered. Call it while the library is loaded, before anything is inferred. Returns true.
using ForeignFn = void (*)(OpRegistrar&);
bool AddForeignOps(ForeignFn fn);

// The shape rules of an operator that passes through under its own format's name, such as "ai.onnx::GlobalMaxPool";
// null for GE operators (FindOp has those) and for what is not known.
const OpDef* FindForeignOp(ir::Symbol type);

}  // namespace ge::ops

#endif  // GE_OPS_REGISTRAR_H_
