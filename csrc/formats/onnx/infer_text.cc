// Strings, and images that come as bytes.
#include <algorithm>

#include "formats/onnx/infer_rules.h"
#include "ops/attr_names.h"
#include "ops/shape_math.h"

namespace ge::formats::onnx {
namespace {

using ir::DataType;
using ir::Dim;
using ir::Shape;
using ops::DimList;
using ops::InferContext;

Status InferStringConcat(InferContext& ctx) {
  Shape both;
  GE_RETURN_IF_ERROR(ops::Broadcast(ctx, ctx.shape(0), ctx.shape(1), &both));
  ctx.SetOutput(0, both, DataType::kString);
  return Status::Ok();
}

Status InferMatch(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), DataType::kBool);
  return Status::Ok();
}

// As many pieces as the string with most of them has.
Status InferStringSplit(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.SetOutput(1, x, DataType::kInt64);
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, DataType::kString);
    return Status::Ok();
  }
  DimList dims(x.dims());
  dims.push_back(ir::kUnknownDim);
  ctx.SetOutput(0, dims, DataType::kString);
  return Status::Ok();
}

// Stop words fall out of the last dim.
Status InferStringNormalizer(InferContext& ctx) {
  static const ir::Symbol stopwords("stopwords");
  Shape out = ctx.shape(0);
  if (!out.unknown_rank() && out.rank() > 0 && ctx.HasAttr(stopwords)) out.Set(out.rank() - 1, ir::kUnknownDim);
  ctx.SetOutput(0, out, DataType::kString);
  return Status::Ok();
}

// One count for every n-gram of the pool.
Status InferTfIdf(InferContext& ctx) {
  static const ir::Symbol indexes("ngram_indexes");
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, DataType::kFloat);
    return Status::Ok();
  }
  int64_t last = -1;
  for (int64_t i : ctx.Ints(indexes)) last = std::max(last, i);
  Dim counts = last < 0 || last == INT64_MAX ? ir::kUnknownDim : last + 1;
  DimList dims;
  if (x.rank() == 2) dims.push_back(x[0]);
  dims.push_back(counts);
  ctx.SetOutput(0, dims, DataType::kFloat);
  return Status::Ok();
}

Status InferImageDecoder(InferContext& ctx) {
  static const ir::Symbol pixel_format("pixel_format");
  Dim channels = ctx.String(pixel_format, "RGB") == "Grayscale" ? 1 : 3;
  ctx.SetOutput(0, Shape{ir::kUnknownDim, ir::kUnknownDim, channels}, DataType::kUint8);
  return Status::Ok();
}

}  // namespace

void AddTextRules(InferRules& rules) {
  rules.Add(InferStringConcat, {"StringConcat"});
  rules.Add(InferMatch, {"RegexFullMatch"});
  rules.Add(InferStringSplit, {"StringSplit"});
  rules.Add(InferStringNormalizer, {"StringNormalizer"});
  rules.Add(InferTfIdf, {"TfIdfVectorizer"});
  rules.Add(InferImageDecoder, {"ImageDecoder"});
}

}  // namespace ge::formats::onnx
