// What all operator families compute with: broadcasting, axes, sums and products of sizes. Dims may be unknown or
// symbolic; an error is returned for true contradictions only.
#ifndef GE_OPS_SHAPE_MATH_H_
#define GE_OPS_SHAPE_MATH_H_

#include "ops/infer_context.h"

namespace ge::ops {

// False when the two sizes cannot broadcast.
bool BroadcastDim(ir::Dim a, ir::Dim b, ir::Dim* out);
// False when the two cannot be equal; otherwise the more specific one, `a` between two unequal symbols.
bool MergeDim(ir::Dim a, ir::Dim b, ir::Dim* out);
// The dim if both are surely the same size, else unknown.
inline ir::Dim CommonDim(ir::Dim a, ir::Dim b) { return a == b ? a : ir::kUnknownDim; }
// What is surely true of a tensor that has one shape or the other.
ir::Shape CommonShape(const ir::Shape& a, const ir::Shape& b);

// The shape of a elementwise combined with b (numpy rules).
Status Broadcast(const InferContext& ctx, const ir::Shape& a, const ir::Shape& b, ir::Shape* out);
// Over the first `n` inputs of the definition.
Status BroadcastInputs(const InferContext& ctx, size_t n, ir::Shape* out);

// Brings a possibly negative axis into [0, rank).
Status NormalizeAxis(const InferContext& ctx, int64_t axis, size_t rank, size_t* out);
// A flag for each dim that is named; a dim named twice is an error.
Status AxisFlags(const InferContext& ctx, std::span<const int64_t> axes, size_t rank, std::vector<bool>* out);
// Requires that rank where the rank is known.
Status CheckRank(const InferContext& ctx, size_t input, size_t rank);

// Product and sum of sizes; a symbol survives only a neutral partner.
ir::Dim MultiplyDims(ir::Dim a, ir::Dim b);
ir::Dim AddDims(ir::Dim a, ir::Dim b);
// A size and a number of either sign; what falls below zero is unknown.
ir::Dim AddDim(ir::Dim d, int64_t n);
// A size as attributes give it, where a negative number leaves it open.
inline ir::Dim SizeOrUnknown(int64_t n) { return n < 0 ? ir::kUnknownDim : n; }
DimList SizesOf(std::span<const int64_t> sizes);

// T where both types agree or one is not known; the wider by GE's promotion order otherwise.
ir::DataType PromoteTypes(ir::DataType a, ir::DataType b);

}  // namespace ge::ops

#endif  // GE_OPS_SHAPE_MATH_H_
