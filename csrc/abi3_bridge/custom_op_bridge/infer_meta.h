// Inference by the function that register_op decorated.
#ifndef GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_INFER_META_H_
#define GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_INFER_META_H_

#include "custom_op/infer.h"

namespace ge::custom_op_bridge {

// custom_op::MetaInferFn.
Result<bool> InferMeta(const custom_op::Prototype& prototype, ops::InferContext& context);

}  // namespace ge::custom_op_bridge

#endif  // GE_ABI3_BRIDGE_CUSTOM_OP_BRIDGE_INFER_META_H_
