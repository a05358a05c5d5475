// The format that an output has.
#ifndef GE_OPS_OUTPUT_FORMAT_H_
#define GE_OPS_OUTPUT_FORMAT_H_

#include "ops/infer_context.h"

namespace ge::ops {

// What data_format says, else that of the inputs where the operator leaves dims where they are; nothing if neither fits
// an output of that rank.
std::optional<ir::Format> OutputFormat(const InferContext& ctx, const ir::Shape& output);

}  // namespace ge::ops

#endif  // GE_OPS_OUTPUT_FORMAT_H_
