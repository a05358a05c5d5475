// Following the contents of short tensors through elementwise operators.
#ifndef GE_OPS_FOLLOW_H_
#define GE_OPS_FOLLOW_H_

#include "ops/infer_context.h"

namespace ge::ops {

using ScalarFn1 = Scalar (*)(const Scalar&);
using ScalarFn2 = Scalar (*)(const Scalar&, const Scalar&);

// Contents of output 0 from those of the inputs given by IR index; nothing happens when they are not followed.
void FollowCopy(InferContext& ctx, size_t input);
void FollowUnary(InferContext& ctx, ScalarFn1 fn);
void FollowBinary(InferContext& ctx, ScalarFn2 fn);

// Sizes stay sizes only where the result surely is one: size + 0, size * 1, size - the same size.
namespace scalar {
Scalar Add(const Scalar& a, const Scalar& b);
Scalar Sub(const Scalar& a, const Scalar& b);
Scalar Mul(const Scalar& a, const Scalar& b);
Scalar Div(const Scalar& a, const Scalar& b);       // integers: towards zero
Scalar FloorDiv(const Scalar& a, const Scalar& b);
Scalar FloorMod(const Scalar& a, const Scalar& b);
Scalar Max(const Scalar& a, const Scalar& b);
Scalar Min(const Scalar& a, const Scalar& b);
Scalar Equal(const Scalar& a, const Scalar& b);
Scalar NotEqual(const Scalar& a, const Scalar& b);
Scalar Less(const Scalar& a, const Scalar& b);
Scalar LessEqual(const Scalar& a, const Scalar& b);
Scalar Greater(const Scalar& a, const Scalar& b);
Scalar GreaterEqual(const Scalar& a, const Scalar& b);
Scalar And(const Scalar& a, const Scalar& b);
Scalar Or(const Scalar& a, const Scalar& b);
Scalar Not(const Scalar& a);
Scalar Neg(const Scalar& a);
Scalar Abs(const Scalar& a);
Scalar Floor(const Scalar& a);
Scalar Ceil(const Scalar& a);
Scalar Round(const Scalar& a);  // halves to even
Scalar Cast(const Scalar& a, ir::DataType to);
}  // namespace scalar

}  // namespace ge::ops

#endif  // GE_OPS_FOLLOW_H_
