// Shapes, data types and layouts of a custom operator's outputs, as its prototype's own function says.
#ifndef GE_CUSTOM_OP_INFER_H_
#define GE_CUSTOM_OP_INFER_H_

#include "base/export.h"
#include "base/status.h"
#include "custom_op/prototype.h"
#include "ops/infer_context.h"

namespace ge::custom_op {

// Sets the outputs of the context's node; false if the prototype has nothing to say about them. Called from any thread.
using MetaInferFn = Result<bool> (*)(const Prototype& prototype, ops::InferContext& context);

// The bridge of Python prototypes, or null when there is none any more.
GE_API void SetMetaInference(MetaInferFn infer);

// The inference function of every custom operator's definition. A node with the attribute _out_shape_locked keeps what it
// has; without a function to ask, outputs stay as they are declared.
Status InferCustomOp(ops::InferContext& context);

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_INFER_H_
