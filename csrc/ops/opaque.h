// Inference of operators of which only the prototype is known.
#ifndef GE_OPS_OPAQUE_H_
#define GE_OPS_OPAQUE_H_

#include "ops/infer_context.h"

namespace ge::ops {

// Outputs stay as they are; those of no type get one where the prototype allows one only. Subgraphs are inferred by
// themselves.
Status InferOpaque(InferContext& ctx);

}  // namespace ge::ops

#endif  // GE_OPS_OPAQUE_H_
