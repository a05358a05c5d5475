// Attention and what models have around it.
#include "formats/onnx/infer_rules.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Dim;
using ir::Shape;
using ops::InferContext;

Dim Divided(Dim d, int64_t n) {
  return ir::IsStatic(d) && n > 0 && d % n == 0 ? d / n : n == 1 ? d : ir::kUnknownDim;
}

// A tensor of heads: [batch, heads, length, size], or [batch, length, heads * size] when packed.
struct Heads {
  Dim batch = ir::kUnknownDim, heads = ir::kUnknownDim, length = ir::kUnknownDim, size = ir::kUnknownDim;
};

Heads HeadsOf(const Shape& x, int64_t packed_heads) {
  if (x.unknown_rank()) return {};
  if (x.rank() == 4) return {x[0], x[1], x[2], x[3]};
  if (x.rank() != 3) return {};
  return {x[0], packed_heads > 0 ? packed_heads : ir::kUnknownDim, x[1], Divided(x[2], packed_heads)};
}

// Query, key, value, mask, past key, past value; the result, present key and value, and the scores.
Status InferAttention(InferContext& ctx) {
  static const ir::Symbol q_heads("q_num_heads"), kv_heads("kv_num_heads");
  const Shape& query = ctx.shape(0);
  Heads q = HeadsOf(query, ctx.Int(q_heads)), k = HeadsOf(ctx.shape(1), ctx.Int(kv_heads));
  Heads v = HeadsOf(ctx.shape(2), ctx.Int(kv_heads));
  if (query.unknown_rank()) {
    ctx.SetUnknown(0, ctx.dtype(0));
  } else if (query.rank() == 3) {
    ctx.SetOutput(0, Shape{q.batch, q.length, ops::MultiplyDims(q.heads, v.size)}, ctx.dtype(0));
  } else {
    ctx.SetOutput(0, Shape{q.batch, q.heads, q.length, v.size}, ctx.dtype(0));
  }
  Dim total = ctx.has_input(4) ? ops::AddDims(DimAt(ctx.shape(4), 2), k.length) : k.length;
  ctx.SetOutput(1, Shape{k.batch, k.heads, total, k.size}, ctx.dtype(1));
  ctx.SetOutput(2, Shape{v.batch, v.heads, total, v.size}, ctx.dtype(2));
  ctx.SetOutput(3, Shape{q.batch, q.heads, q.length, total}, ctx.dtype(0));
  return Status::Ok();
}

// Everything is packed; the state is [batch, heads, key size, value size].
Status InferLinearAttention(InferContext& ctx) {
  static const ir::Symbol q_heads("q_num_heads"), kv_heads("kv_num_heads");
  Heads k = HeadsOf(ctx.shape(1), ctx.Int(kv_heads)), v = HeadsOf(ctx.shape(2), ctx.Int(kv_heads));
  const Shape& q = ctx.shape(0);
  Dim heads = ops::SizeOrUnknown(ctx.Int(q_heads, -1));
  ctx.SetOutput(0, Shape{DimAt(q, 0), DimAt(q, 1), ops::MultiplyDims(heads, v.size)}, ctx.dtype(0));
  ctx.SetOutput(1, Shape{k.batch, k.heads, k.size, v.size}, ctx.has_input(3) ? ctx.dtype(3) : ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void AddAttentionRules(InferRules& rules) {
  rules.Add(InferAttention, {"Attention"});
  rules.Add(InferLinearAttention, {"LinearAttention"});
  rules.Add(InferSameAsFirst, {"RotaryEmbedding"});
}

}  // namespace ge::formats::onnx
