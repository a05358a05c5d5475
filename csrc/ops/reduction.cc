// Reductions along axes, and the positions of extremes.
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/follow.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Shape;

std::optional<DimList> AxesOfInput(const InferContext& ctx, size_t input) {
  return ctx.has_input(input) ? ctx.ints(input) : DimList();
}

Status InferReduction(InferContext& ctx, const Reduction& r, DataType type) {
  const Shape& x = ctx.shape(0);
  if (x.unknown_rank()) {
    bool all = r.axes && r.axes->empty() && !r.empty_means_none;
    ctx.SetOutput(0, all && !r.keep_dims ? Shape() : x, type);
    return Status::Ok();
  }
  if (!r.axes) {
    if (!r.keep_dims) {
      ctx.SetUnknown(0, type);
    } else {
      ctx.SetOutput(0, DimList(x.rank(), ir::kUnknownDim), type);
    }
    return Status::Ok();
  }
  std::vector<bool> reduced;
  GE_RETURN_IF_ERROR(AxisFlags(ctx, *r.axes, x.rank(), &reduced));
  if (r.axes->empty()) reduced.assign(x.rank(), !r.empty_means_none);
  DimList dims;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (!reduced[i]) {
      dims.push_back(x[i]);
    } else if (r.keep_dims) {
      dims.push_back(1);
    }
  }
  ctx.SetOutput(0, dims, type);
  return Status::Ok();
}

namespace {

DimList AxesOfAttr(const InferContext& ctx, ir::Symbol name) { return DimList(ctx.Ints(name)); }

Status Reduce(InferContext& ctx, std::optional<DimList> axes, bool keep, bool empty_means_none, DataType type) {
  return InferReduction(ctx, {std::move(axes), keep, empty_means_none}, type);
}

// Axes in the second input.
Status InferReduce(InferContext& ctx) {
  return Reduce(ctx, AxesOfInput(ctx, 1), ctx.Bool(Names().keep_dims), ctx.Bool(Names().noop_with_empty_axes),
                ctx.dtype(0));
}

Status InferReduceTruth(InferContext& ctx) {
  return Reduce(ctx, AxesOfInput(ctx, 1), ctx.Bool(Names().keep_dims), false, DataType::kBool);
}

// A shape whose sizes are multiplied gives the number of elements.
Status InferReduceProd(InferContext& ctx) {
  const Values* v = ctx.values(0);
  if (v != nullptr && !v->scalar && (!ctx.has_input(1) || ctx.ints(1).has_value())) {
    bool all = !ctx.has_input(1) || ctx.ints(1)->size() > 0 || !ctx.Bool(Names().noop_with_empty_axes);
    if (all) {
      std::span<Scalar> out = ctx.NewValues(1);
      out[0] = Scalar::Int(1);
      for (const Scalar& s : v->items) out[0] = scalar::Mul(out[0], s);
      // Runtimes multiply in doubles.
      constexpr int64_t kExact = int64_t{1} << 53;
      if (out[0].is_int() && (out[0].i > kExact || out[0].i < -kExact)) out[0] = Scalar::Unknown();
      ctx.SetValues(0, {out, !ctx.Bool(Names().keep_dims)});
    }
  }
  return InferReduce(ctx);
}

// Axes in the attribute "axes".
Status InferReduceByAttr(InferContext& ctx) {
  return Reduce(ctx, AxesOfAttr(ctx, Names().axes), ctx.Bool(Names().keep_dims),
                ctx.Bool(Names().noop_with_empty_axes), ctx.dtype(0));
}

Status InferReduceTruthByAttr(InferContext& ctx) {
  return Reduce(ctx, AxesOfAttr(ctx, Names().axes), ctx.Bool(Names().keep_dims), false, DataType::kBool);
}

Status InferSquareSum(InferContext& ctx) {
  return Reduce(ctx, AxesOfAttr(ctx, Names().axis), ctx.Bool(Names().keep_dims),
                ctx.Bool(Names().noop_with_empty_axes), ctx.dtype(0));
}

Status InferLpNorm(InferContext& ctx) {
  return Reduce(ctx, AxesOfAttr(ctx, Names().axes), ctx.Bool(Names().keepdim), false, ctx.dtype(0));
}

// Standard deviation or variance, and the mean beside it.
Status InferSpread(InferContext& ctx) {
  GE_RETURN_IF_ERROR(Reduce(ctx, AxesOfAttr(ctx, Names().dim), ctx.Bool(Names().keepdim), false, ctx.dtype(0)));
  if (ctx.num_outputs() > 1) ctx.SetOutput(1, Shape(ctx.output(0).shape), ctx.dtype(0));
  return Status::Ok();
}

Status InferScalar(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), ctx.dtype(0));
  return Status::Ok();
}

// Position of the extreme along the axis that the second input gives. An importer may set keepdims beside the IR.
Status InferArg(InferContext& ctx) {
  std::optional<DimList> axes = AxesOfInput(ctx, 1);
  if (axes && axes->empty()) axes->push_back(0);
  return Reduce(ctx, axes, ctx.Bool(Names().keepdims), false, ctx.Type(Names().dtype, DataType::kInt64));
}

Status InferArgByAttr(InferContext& ctx) {
  return Reduce(ctx, DimList(1, ctx.Int(Names().dimension)), false, false,
                ctx.Type(Names().dtype, DataType::kInt32));
}

Status InferArgWithValue(InferContext& ctx) {
  GE_RETURN_IF_ERROR(Reduce(ctx, DimList(1, ctx.Int(Names().dimension)), ctx.Bool(Names().keep_dims), false,
                            ctx.Type(Names().indice_dtype, DataType::kInt32)));
  ctx.SetOutput(1, Shape(ctx.output(0).shape), ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void RegisterReduction(OpRegistrar& r) {
  r.Op("ReduceMax", "math").Input("x", kNumber).Input("axes", kIndex).Output("y", kNumber)
      .BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", true).Infer(InferReduce);
  r.Op("ReduceMean", "math").Input("x", kNumber).Input("axes", kIndex).Output("y", kNumber)
      .BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", true).Infer(InferReduce);
  r.Op("ReduceMin", "math").Input("x", kNumber).Input("axes", kIndex).Output("y", kNumber)
      .BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", true).Infer(InferReduce);
  r.Op("ReduceSum", "math").Input("x", kNumber).Input("axes", kIndex).Output("y", kNumber)
      .BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", true).Infer(InferReduce);
  r.Op("ReduceLogSum", "legacy").Input("x", kNumber).Input("axes", kIndex).Output("y", kNumber)
      .BoolAttr("keep_dims", false).Infer(InferReduce);
  r.Op("ReduceLogSumExp", "math").Input("x", kFloats).Input("axes", kIndex).Output("y", kFloats)
      .BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", false).Infer(InferReduce);
  r.Op("EuclideanNorm", "nn").Input("x", kNumber).Input("axes", kIndex).Output("y", kNumber)
      .BoolAttr("keep_dims", false).Infer(InferReduce);
  r.Op("ReduceProd", "math").Input("x", kNumber).Input("axes", kIndex).Output("y", kNumber)
      .BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", true).Infer(InferReduceProd);
  r.Op("ReduceAll", "math").Input("x", kFloats | kBool).Input("axes", kIndex).Output("y", kBool)
      .BoolAttr("keep_dims", false).Infer(InferReduceTruth);
  r.Op("ReduceAny", "math").Input("x", kF32 | kBool).Input("axes", kIndex).Output("y", kBool)
      .BoolAttr("keep_dims", false).Infer(InferReduceTruth);
  r.Op("ReduceMaxD", "legacy").Input("x", kF32 | kF16 | kI8 | kI32 | kU8)
      .Output("y", kF32 | kF16 | kI8 | kI32 | kU8).RequiredAttr("axes", AttrType::kListInt)
      .BoolAttr("keep_dims", false).Infer(InferReduceByAttr);
  r.Op("ReduceMeanD", "legacy").Input("x", kF32 | kF16).Output("y", kF32 | kF16)
      .RequiredAttr("axes", AttrType::kListInt).BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", false)
      .Infer(InferReduceByAttr);
  r.Op("ReduceMinD", "legacy").Input("x", kF32 | kF16 | kI8 | kI32 | kU8)
      .Output("y", kF32 | kF16 | kI8 | kI32 | kU8).RequiredAttr("axes", AttrType::kListInt)
      .BoolAttr("keep_dims", false).Infer(InferReduceByAttr);
  r.Op("ReduceProdD", "legacy").Input("x", kF32 | kF16 | kI8 | kI32 | kU8)
      .Output("y", kF32 | kF16 | kI8 | kI32 | kU8).RequiredAttr("axes", AttrType::kListInt)
      .BoolAttr("keep_dims", false).Infer(InferReduceByAttr);
  r.Op("ReduceSumD", "legacy").Input("x", kFloats).Output("y", kFloats).RequiredAttr("axes", AttrType::kListInt)
      .BoolAttr("keep_dims", false).Infer(InferReduceByAttr);
  r.Op("EuclideanNormD", "legacy").Input("x", kF32 | kF16 | kI32).Output("y", kF32 | kF16 | kI32).IntsAttr("axes")
      .BoolAttr("keep_dims", false).Infer(InferReduceByAttr);
  r.Op("ReduceAllD", "legacy").Input("x", kBool).Output("y", kBool).RequiredAttr("axes", AttrType::kListInt)
      .BoolAttr("keep_dims", false).Infer(InferReduceTruthByAttr);
  r.Op("ReduceAnyD", "legacy").Input("x", kBool).Output("y", kBool).RequiredAttr("axes", AttrType::kListInt)
      .BoolAttr("keep_dims", false).Infer(InferReduceTruthByAttr);
  r.Op("SquareSumV1", "math").Input("x", kFloats).Output("y", kFloats).RequiredAttr("axis", AttrType::kListInt)
      .BoolAttr("keep_dims", false).BoolAttr("noop_with_empty_axes", false).Infer(InferSquareSum);
  r.Op("LpNormV2", "nn").Input("x", kFloats).Output("y", kFloats).FloatAttr("p", 2.0f).IntsAttr("axes")
      .BoolAttr("keepdim", false).FloatAttr("epsilon", 1e-12f).Infer(InferLpNorm);
  r.Op("ReduceStdV2", "math").Input("x", kFloats).Output("std", kFloats).Output("mean", kFloats).IntsAttr("dim")
      .IntAttr("correction", 1).BoolAttr("keepdim", false).BoolAttr("is_mean_out", true).Infer(InferSpread);
  r.Op("ReduceVar", "math").Input("x", kFloats).Output("var", kFloats).Output("mean", kFloats).IntsAttr("dim")
      .IntAttr("correction", 1).BoolAttr("keepdim", false).BoolAttr("is_mean_out", true).Infer(InferSpread);
  r.Op("L2Loss", "nn").Input("x", kFloatsAndDouble).Output("y", kFloatsAndDouble).Infer(InferScalar);
  r.Op("ArgMaxV2", "math").Input("x", kNumber).Input("dimension", kIndex).Output("y", kIndex)
      .TypeAttr("dtype", DataType::kInt64).Infer(InferArg);
  r.Op("ArgMin", "math").Input("x", kNumber).Input("dimension", kIndex).Output("y", kIndex)
      .TypeAttr("dtype", DataType::kInt64).Infer(InferArg);
  r.Op("ArgMaxD", "legacy").Input("x", kF32 | kF16).Output("y", kI32).RequiredAttr("dimension", AttrType::kInt)
      .TypeAttr("dtype", DataType::kInt64).Infer(InferArgByAttr);
  r.Op("ArgMinD", "legacy").Input("x", kF32 | kF16).Output("y", kI32).RequiredAttr("dimension", AttrType::kInt)
      .TypeAttr("dtype", DataType::kInt64).Infer(InferArgByAttr);
  r.Op("ArgMaxWithValue", "math").Input("x", kFloats | kIndex).Output("indice", kIndex)
      .Output("values", kFloats | kIndex).RequiredAttr("dimension", AttrType::kInt).BoolAttr("keep_dims", false)
      .TypeAttr("indice_dtype", DataType::kInt32).Infer(InferArgWithValue);
  r.Op("ArgMinWithValue", "math").Input("x", kFloats | kIndex).Output("indice", kIndex)
      .Output("values", kFloats | kIndex).RequiredAttr("dimension", AttrType::kInt).BoolAttr("keep_dims", false)
      .TypeAttr("indice_dtype", DataType::kInt32).Infer(InferArgWithValue);
}

}  // namespace ge::ops
