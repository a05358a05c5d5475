// Graph inputs, constants, outputs, and what passes tensors on.
#include <algorithm>

#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Shape;

Status InferConst(InferContext& ctx) {
  if (const ir::Tensor* t = ctx.node()->const_value()) ctx.SetOutput(0, t->desc.shape, t->desc.dtype);
  return Status::Ok();
}

// Shape and type are attributes.
Status InferDeclaredByAttrs(InferContext& ctx) {
  static const ir::Symbol origin_shape("origin_shape");
  ir::Symbol name = ctx.HasAttr(origin_shape) ? origin_shape : Names().shape;
  ctx.SetOutput(0, SizesOf(ctx.Ints(name)), ctx.Type(Names().dtype));
  return Status::Ok();
}

Status InferIdentity(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  FollowCopy(ctx, 0);
  return Status::Ok();
}

Status InferIdentityN(InferContext& ctx) {
  for (size_t k = 0; k < ctx.count(0); ++k) {
    ctx.SetOutput(k, ctx.shape(0, k), ctx.dtype(0, k));
    if (const Values* v = ctx.values(0, k)) ctx.SetValues(k, *v);
  }
  return Status::Ok();
}

// The variable takes the value's shape.
Status InferAssign(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(ctx.count(1) > 0 ? 1 : 0), ctx.dtype(0));
  return Status::Ok();
}

Status InferLikeFirst(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

Status InferSwitch(InferContext& ctx) {
  for (size_t k = 0; k < ctx.num_outputs(); ++k) ctx.SetOutput(k, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

// Declared by whoever made the graph, unknowable (what a handle holds), or without outputs.
Status InferAsDeclared(InferContext&) { return Status::Ok(); }

Status InferHandle(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), DataType::kResource);
  return Status::Ok();
}

Status InferCount(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), DataType::kInt64);
  return Status::Ok();
}

// One count for every n-gram of the pool.
Status InferTfIdf(InferContext& ctx) {
  static const ir::Symbol indexes("ngram_indexes");
  const Shape& x = ctx.shape(0);
  int64_t last = -1;
  for (int64_t i : ctx.Ints(indexes)) last = std::max(last, i);
  DimList dims;
  if (x.unknown_rank()) {
    ctx.SetUnknown(0, DataType::kFloat);
    return Status::Ok();
  }
  if (x.rank() == 2) dims.push_back(x[0]);
  dims.push_back(last < 0 || last == INT64_MAX ? ir::kUnknownDim : last + 1);
  ctx.SetOutput(0, dims, DataType::kFloat);
  return Status::Ok();
}

// Any of the inputs may come through.
Status InferMerge(InferContext& ctx) {
  Shape out = ctx.count(0) > 0 ? ctx.shape(0) : Shape::UnknownRank();
  for (size_t k = 1; k < ctx.count(0); ++k) out = CommonShape(out, ctx.shape(0, k));
  ctx.SetOutput(0, out, ctx.dtype(0));
  ctx.SetOutput(1, Shape(), DataType::kInt32);
  return Status::Ok();
}

}  // namespace

void RegisterFramework(OpRegistrar& r) {
  r.Op("Data", "legacy").Input("x", kAll).Output("y", kAll).IntAttr("index", 0).Infer(InferAsDeclared);
  r.Op("RefData", "legacy").Input("x", kAll).Output("y", kAll).IntAttr("index", 0).Infer(InferAsDeclared);
  r.Op("AippData", "legacy").Input("data", kAll).Output("out", kAll).IntAttr("index", 0).Infer(InferAsDeclared);
  r.Op("Variable", "legacy").Input("x", kIntegers | kFloating | kBool).Output("y", kIntegers | kFloating | kBool)
      .IntAttr("index", 0).TensorAttr("value").StringAttr("container", "").StringAttr("shared_name", "")
      .Infer(InferAsDeclared);
  r.Op("NetOutput", "internal").DynamicInput("__input", kAll).Infer(InferAsDeclared);
  r.Op("NoOp", "legacy").Infer(InferAsDeclared);
  r.Op("ControlTrigger", "legacy").Infer(InferAsDeclared);
  r.Op("Const", "legacy").Output("y", kIntegers | kFloating | kBool).TensorAttr("value").Infer(InferConst);
  r.Op("Constant", "math").Output("y", kReal | kI4 | kBool).TensorAttr("value").Infer(InferConst);
  r.Op("ConstPlaceHolder", "legacy").Output("y", kAll).RequiredAttr("origin_shape", AttrType::kListInt)
      .RequiredAttr("origin_format", AttrType::kInt).RequiredAttr("storage_shape", AttrType::kListInt)
      .RequiredAttr("storage_format", AttrType::kInt).RequiredAttr("expand_dim_rules", AttrType::kString)
      .RequiredAttr("dtype", AttrType::kInt).RequiredAttr("addr", AttrType::kInt)
      .RequiredAttr("size", AttrType::kInt).IntAttr("placement", 1).Infer(InferDeclaredByAttrs);
  r.Op("FileConstant", "legacy").Output("y", kIntegers | kFloating | kBool).StringAttr("file_path", "")
      .StringAttr("file_id", "").RequiredAttr("shape", AttrType::kListInt).RequiredAttr("dtype", AttrType::kType)
      .Infer(InferDeclaredByAttrs);
  r.Op("Identity", "math").Input("x", kAll).Output("y", kAll).Infer(InferIdentity);
  r.Op("TensorMove", "math").Input("x", (kOrdinary - kC128) | kF8E4M3 | kF8E5M2 | kHiF8)
      .Output("y", (kOrdinary - kC128) | kF8E4M3 | kF8E5M2 | kHiF8).Infer(InferIdentity);
  r.Op("TensorRedirect", "math").Input("x", kIntegers | kFloats).Output("output_x", kIntegers | kFloats)
      .Infer(InferIdentity);
  r.Op("IdentityN", "math").DynamicInput("x", kIntegers | kFloating | kBool | kString)
      .DynamicOutput("y", kIntegers | kFloating | kBool | kString).Infer(InferIdentityN);
  r.Op("Assign", "math").Input("ref", kBasic | kBool | kString).Input("value", kBasic | kBool | kString)
      .Output("ref", kBasic | kBool | kString).BoolAttr("validate_shape", true).BoolAttr("use_locking", false)
      .Infer(InferAssign);
  r.Op("AssignAdd", "math").Input("ref", kBasic).Input("value", kBasic).Output("ref", kBasic)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("AssignSub", "math").Input("var", kNumber).Input("value", kNumber).Output("var", kNumber)
      .BoolAttr("use_locking", false).Infer(InferLikeFirst);
  r.Op("Switch", "nn").Input("data", kAll).Input("pred", kBool).Output("output_false", kAll)
      .Output("output_true", kAll).Infer(InferSwitch);
  r.Op("SwitchN", "nn").Input("data", kIntegers | kFloating | kBool).Input("pred_value", kI64)
      .DynamicOutput("output", kIntegers | kFloating | kBool).Infer(InferSwitch);
  r.Op("RefSwitch", "nn").Input("data", kAll).Input("pred", kBool).Output("output_false", kAll)
      .Output("output_true", kAll).Infer(InferSwitch);
  r.Op("Merge", "nn").DynamicInput("x", kAll).Output("y", kAll).Output("value_index", kI32).Infer(InferMerge);
  r.Op("RefMerge", "nn").DynamicInput("x", kAll).Output("y", kAll).Output("value_index", kI32).Infer(InferMerge);
  r.Op("SequenceAt", "legacy").Input("handle", kResource).Input("index", kIndex)
      .Output("y", kOrdinary - kBF16 - kC32).Infer(InferAsDeclared);
  r.Op("SequenceConstruct", "legacy").DynamicInput("inputs", kOrdinary - kBF16 - kC32).Output("handle", kResource)
      .Infer(InferHandle);
  r.Op("SequenceEmpty", "legacy").Output("handle", kResource).TypeAttr("dtype", DataType::kFloat).Infer(InferHandle);
  r.Op("SequenceErase", "legacy").Input("handle", kResource).OptionalInput("index", kIndex)
      .Output("handle_y", kResource).Infer(InferHandle);
  r.Op("SequenceInsert", "legacy").Input("handle", kResource).Input("value", kOrdinary - kBF16 - kC32)
      .OptionalInput("index", kIndex).Output("handle_y", kResource).Infer(InferHandle);
  r.Op("SequenceLength", "legacy").Input("handle", kResource).Output("length", kI64).Infer(InferCount);
  r.Op("SplitToSequence", "legacy").Input("x", kOrdinary - kBF16 - kC32).OptionalInput("split", kIndex)
      .Output("handle", kResource).IntAttr("axis", 0).BoolAttr("keepdims", true).Infer(InferHandle);
  r.Op("ConcatFromSequence", "legacy").Input("handle", kResource).Output("y", kOrdinary - kBF16 - kC32)
      .RequiredAttr("axis", AttrType::kInt).IntAttr("new_axis", 0).Infer(InferAsDeclared);
  r.Op("TfIdfVectorizer", "legacy").Input("input", kIndex | kString).Output("output", kF32)
      .RequiredAttr("max_gram_length", AttrType::kInt).RequiredAttr("max_skip_count", AttrType::kInt)
      .RequiredAttr("min_gram_length", AttrType::kInt).RequiredAttr("mode", AttrType::kString)
      .RequiredAttr("ngram_counts", AttrType::kListInt).RequiredAttr("ngram_indexes", AttrType::kListInt)
      .IntsAttr("pool_int64s").StringsAttr("pool_strings").FloatsAttr("weights").Infer(InferTfIdf);
}

}  // namespace ge::ops
