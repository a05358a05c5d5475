// Attention and rotary embeddings: the output has the shape of the query.
#include "ops/families.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables

Status InferLikeQuery(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

// Query and key, both turned.
Status InferBoth(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  ctx.SetOutput(1, ctx.shape(1), ctx.dtype(1));
  return Status::Ok();
}

// The result is the last of four outputs. The statistics have 8 copies for each head and place: [B, N, S, 8], or
// [T, N, 8] where batch and length are one dim.
Status InferFlashAttention(InferContext& ctx) {
  static const ir::Symbol input_layout("input_layout"), head_num("head_num");
  const ir::Shape& query = ctx.shape(0);
  std::string_view layout = ctx.String(input_layout);
  auto dim = [&](char letter) {
    size_t at = layout.find(letter);
    bool known = at != std::string_view::npos && !query.unknown_rank() && query.rank() == layout.size();
    return known ? query[at] : ir::kUnknownDim;
  };
  ir::Dim heads = layout.find('N') != std::string_view::npos ? dim('N') : SizeOrUnknown(ctx.Int(head_num, -1));
  DimList rows;
  if (layout == "TND") {
    rows.push_back(dim('T'));
    rows.push_back(heads);
  } else {
    rows.push_back(dim('B'));
    rows.push_back(heads);
    rows.push_back(dim('S'));
  }
  rows.push_back(8);
  ctx.SetOutput(0, rows, ir::DataType::kFloat);
  ctx.SetOutput(1, rows, ir::DataType::kFloat);
  ctx.SetUnknown(2, ctx.dtype(0));
  ctx.SetOutput(3, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void RegisterAttention(OpRegistrar& r) {
  r.Op("PromptFlashAttention", "transformer").Input("query", kF16 | kBF16 | kI8).Input("key", kF16 | kBF16 | kI8)
      .Input("value", kF16 | kBF16 | kI8).OptionalInput("pse_shift", kF16 | kBF16)
      .OptionalInput("atten_mask", kF16 | kI8 | kU8 | kBool).OptionalInput("actual_seq_lengths", kI64)
      .OptionalInput("actual_seq_lengths_kv", kI64).OptionalInput("deq_scale1", kF32 | kU64)
      .OptionalInput("quant_scale1", kF32).OptionalInput("deq_scale2", kF32 | kU64)
      .OptionalInput("quant_scale2", kF32 | kBF16).OptionalInput("quant_offset2", kF32 | kBF16)
      .Output("attention_out", kF16 | kBF16 | kI8).RequiredAttr("num_heads", AttrType::kInt)
      .FloatAttr("scale_value", 1.0f).IntAttr("pre_tokens", 214748647).IntAttr("next_tokens", 0)
      .StringAttr("input_layout", "BSH").IntAttr("num_key_value_heads", 0).IntAttr("sparse_mode", 0)
      .IntAttr("inner_precise", 1).Infer(InferLikeQuery);
  r.Op("IncreFlashAttention", "transformer").Input("query", kF16 | kBF16 | kI8)
      .DynamicInput("key", kF16 | kBF16 | kI8).DynamicInput("value", kF16 | kBF16 | kI8)
      .OptionalInput("pse_shift", kF16 | kBF16).OptionalInput("atten_mask", kI8 | kU8 | kBool)
      .OptionalInput("actual_seq_lengths", kI64).OptionalInput("dequant_scale1", kF32 | kU64)
      .OptionalInput("quant_scale1", kF32).OptionalInput("dequant_scale2", kF32 | kU64)
      .OptionalInput("quant_scale2", kF32 | kBF16).OptionalInput("quant_offset2", kF32 | kBF16)
      .OptionalInput("antiquant_scale", kF16 | kBF16).OptionalInput("antiquant_offset", kF16 | kBF16)
      .OptionalInput("block_table", kI32).OptionalInput("kv_padding_size", kI64)
      .Output("attention_out", kF16 | kBF16 | kI8).RequiredAttr("num_heads", AttrType::kInt)
      .FloatAttr("scale_value", 1.0f).StringAttr("input_layout", "BSH").IntAttr("num_key_value_heads", 1)
      .IntAttr("block_size", 0).IntAttr("inner_precise", 1).Infer(InferLikeQuery);
  r.Op("RotaryPositionEmbedding", "transformer").Input("x", kFloats).Input("cos", kFloats).Input("sin", kFloats)
      .OptionalInput("rotate", kFloats).Output("y", kFloats).IntAttr("mode", 0).Infer(InferLikeQuery);
  r.Op("ApplyRotaryPosEmb", "transformer").Input("query", kFloats).Input("key", kFloats).Input("cos", kFloats)
      .Input("sin", kFloats).Output("query", kFloats).Output("key", kFloats).IntAttr("layout", 1)
      .StringAttr("rotary_mode", "half").Infer(InferBoth);
  r.Op("FlashAttentionScore", "transformer").Input("query", kFloats | kF8E5M2 | kF8E4M3)
      .Input("key", kFloats | kF8E5M2 | kF8E4M3).Input("value", kFloats | kF8E5M2 | kF8E4M3)
      .OptionalInput("real_shift", kFloats).OptionalInput("drop_mask", kU8).OptionalInput("padding_mask", kFloats)
      .OptionalInput("atten_mask", kU8 | kBool).OptionalInput("prefix", kI64).OptionalInput("actual_seq_qlen", kI64)
      .OptionalInput("actual_seq_kvlen", kI64).OptionalInput("q_start_idx", kI64)
      .OptionalInput("kv_start_idx", kI64).OptionalInput("d_scale_q", kF32).OptionalInput("d_scale_k", kF32)
      .OptionalInput("d_scale_v", kF32).OptionalInput("query_rope", kFloats | kF8E5M2 | kF8E4M3)
      .OptionalInput("key_rope", kFloats | kF8E5M2 | kF8E4M3).OptionalInput("sink", kF32)
      .OptionalInput("p_scale", kF32).Output("softmax_max", kF32).Output("softmax_sum", kF32)
      .Output("softmax_out", kFloats).Output("attention_out", kFloats).FloatAttr("scale_value", 1.0f)
      .FloatAttr("keep_prob", 1.0f).IntAttr("pre_tockens", 2147483647).IntAttr("next_tockens", 2147483647)
      .RequiredAttr("head_num", AttrType::kInt).RequiredAttr("input_layout", AttrType::kString)
      .IntAttr("inner_precise", 0).IntAttr("sparse_mode", 0).IntAttr("pse_type", 1).IntAttr("seed", 0)
      .IntAttr("offset", 0).IntAttr("out_dtype", 0).StringAttr("softmax_out_layout", "").Infer(InferFlashAttention);
}

}  // namespace ge::ops
