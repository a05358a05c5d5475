// Where tensors come from and stay beside constants and inputs: queues, variables, stacks, placeholders; control flow by
// single nodes; and what lays tensors out anew.
#include <algorithm>

#include "base/strings.h"
#include "ops/attr_names.h"
#include "ops/families.h"
#include "ops/rules.h"
#include "ops/shape_math.h"

namespace ge::ops {
namespace {

using namespace types;  // NOLINT: the definitions read as tables
using ir::DataType;
using ir::Dim;
using ir::Shape;

Status InferSame(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(0), ctx.dtype(0));
  return Status::Ok();
}

Status InferNothing(InferContext&) { return Status::Ok(); }

Status InferHandle(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), DataType::kResource);
  return Status::Ok();
}

// ---- variables, stacks, queues --------------------------------------------------------------------------------------

// A variable is not followed to where it is set.
Status InferReadVariable(InferContext& ctx) {
  ctx.SetUnknown(0, ctx.Type(Names().dtype, DataType::kInt32));
  return Status::Ok();
}

Status InferStackPush(InferContext& ctx) {
  ctx.SetOutput(0, ctx.shape(1), ctx.dtype(1));
  return Status::Ok();
}

Status InferStackPop(InferContext& ctx) {
  static const ir::Symbol elem_type("elem_type");
  ctx.SetUnknown(0, ctx.Type(elem_type));
  return Status::Ok();
}

// Types and shapes are attributes, an entry an output; what is not said stays open.
Status InferFromQueue(InferContext& ctx) {
  static const ir::Symbol types_name("output_types"), shapes_name("output_shapes");
  const auto* all_types = AttrOrDefault<std::vector<DataType>>(*ctx.node(), ctx.def(), types_name);
  const auto* shapes = AttrOrDefault<std::vector<std::vector<int64_t>>>(*ctx.node(), ctx.def(), shapes_name);
  for (size_t k = 0; k < ctx.num_outputs(); ++k) {
    bool typed = all_types != nullptr && k < all_types->size();
    DataType type = typed ? (*all_types)[k] : DataType::kUndefined;
    // The default of shapes has empty entries that mean nothing.
    if (shapes != nullptr && k < shapes->size() && typed) {
      ctx.SetOutput(k, SizesOf((*shapes)[k]), type);
    } else {
      ctx.SetUnknown(k, type);
    }
  }
  return Status::Ok();
}

// Its input unless another tensor of the shape in the attribute is fed.
Status InferPlaceholderWithDefault(InferContext& ctx) {
  ctx.SetOutput(0, SizesOf(ctx.Ints(Names().shape)), ctx.dtype(0));
  return Status::Ok();
}

// ---- sizes and layouts ----------------------------------------------------------------------------------------------

// Pairs of an input and one of its dims, as a vector.
Status InferGatherShapes(InferContext& ctx) {
  const auto* axes = AttrOrDefault<std::vector<std::vector<int64_t>>>(*ctx.node(), ctx.def(), Names().axes);
  size_t n = axes == nullptr ? 0 : axes->size();
  ctx.SetOutput(0, Shape{static_cast<Dim>(n)}, ctx.Type(Names().dtype, DataType::kInt32));
  if (n > kMaxFollowed) return Status::Ok();
  std::span<Scalar> sizes = ctx.NewValues(n);
  for (size_t i = 0; i < n; ++i) {
    const std::vector<int64_t>& at = (*axes)[i];
    sizes[i] = Scalar::Size(ir::kUnknownDim);
    if (at.size() != 2 || at[0] < 0 || at[0] >= static_cast<int64_t>(ctx.count(0))) {
      return ctx.Error("pairs of an input's number and a dim's in 'axes'", StrCat("entry ", i));
    }
    const Shape& x = ctx.shape(0, static_cast<size_t>(at[0]));
    if (x.unknown_rank()) continue;
    size_t axis = 0;
    GE_RETURN_IF_ERROR(NormalizeAxis(ctx, at[1], x.rank(), &axis));
    sizes[i] = Scalar::Size(x[axis]);
  }
  ctx.SetValues(0, {sizes, false});
  return Status::Ok();
}

// Formats whose letters stand for one dim each.
bool IsPlain(std::string_view format) {
  return std::all_of(format.begin(), format.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) && format != "ND";
}

// From one plain layout to another the dims change places; a blocked one has dims that its kernel decides.
Status InferTransData(InferContext& ctx) {
  static const ir::Symbol src_format("src_format"), dst_format("dst_format");
  std::string_view from = ctx.String(src_format), to = ctx.String(dst_format);
  const Shape& x = ctx.shape(0);
  if (from == to) return InferSame(ctx);
  DimList dims;
  bool fits = !x.unknown_rank() && IsPlain(from) && IsPlain(to) && x.rank() == from.size() && to.size() == from.size();
  for (size_t i = 0; fits && i < to.size(); ++i) {
    size_t at = from.find(to[i]);
    fits = at != std::string_view::npos;
    if (fits) dims.push_back(x[at]);
  }
  if (fits) {
    ctx.SetOutput(0, dims, ctx.dtype(0));
  } else {
    ctx.SetUnknown(0, ctx.dtype(0));
  }
  return Status::Ok();
}

// Joined without being copied, along one dim or in blocks along several.
Status InferPhonyConcat(InferContext& ctx) {
  static const ir::Symbol concat_dim("concat_dim");
  std::span<const int64_t> dims = ctx.Ints(concat_dim);
  return ConcatBy(ctx, 0, dims.size() == 1 ? std::optional<int64_t>(dims[0]) : std::nullopt);
}

Status InferPhonySplit(InferContext& ctx) {
  static const ir::Symbol split_dim("split_dim"), num_split("num_split");
  const Shape& x = ctx.shape(0);
  std::span<const int64_t> axes = ctx.Ints(split_dim), parts = ctx.Ints(num_split);
  Shape part = x;
  for (size_t i = 0; !x.unknown_rank() && i < axes.size(); ++i) {
    size_t axis = 0;
    GE_RETURN_IF_ERROR(NormalizeAxis(ctx, axes[i], x.rank(), &axis));
    Dim d = part[axis];
    bool even = i < parts.size() && parts[i] > 0 && ir::IsStatic(d) && d % parts[i] == 0;
    part.Set(axis, even ? d / parts[i] : ir::kUnknownDim);
  }
  for (size_t k = 0; k < ctx.num_outputs(); ++k) ctx.SetOutput(k, part, ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void RegisterFrameworkData(OpRegistrar& r) {
  constexpr TypeSet kNumeric = kIntegers | kFloating | kBool;
  r.Op("VarHandleOp", "legacy").Output("y", kResource).StringAttr("container", "").StringAttr("shared_name", "")
      .RequiredAttr("dtype", AttrType::kType).IntsAttr("shape", {-1}).Infer(InferHandle);
  r.Op("ReadVariableOp", "legacy").Input("x", kNumeric).Output("y", kNumeric)
      .IntAttr("dtype", TypeNumber(DataType::kInt32)).MovesDims().Infer(InferReadVariable);
  r.Op("AssignVariableOp", "legacy").Input("resource", kResource).Input("value", kNumeric - kU32 - kU64)
      .RequiredAttr("dtype", AttrType::kType).Infer(InferNothing);
  r.Op("Stack", "legacy").Input("max_size", kI32).Output("handle", kResource).StringAttr("stack_name", "")
      .RequiredAttr("elem_type", AttrType::kType).Infer(InferHandle);
  r.Op("StackPush", "legacy").Input("handle", kResource).Input("element", kNumeric).Output("y", kNumeric)
      .BoolAttr("swap_memory", false).Infer(InferStackPush);
  r.Op("StackPop", "legacy").Input("handle", kResource).Output("element", kNumeric)
      .RequiredAttr("elem_type", AttrType::kType).Infer(InferStackPop);
  r.Op("StackClose", "legacy").Input("handle", kResource).Infer(InferNothing);
  r.Op("QueueData", "legacy").Output("y", kU8).IntAttr("index", 0).StringAttr("queue_name", "")
      .TypesAttr("output_types").IntListsAttr("output_shapes", {{}, {}}).Infer(InferFromQueue);
  r.Op("InitData", "legacy").StringAttr("channel_name", "").Infer(InferNothing);
  r.Op("GetNext", "legacy").DynamicOutput("y", kNumeric).TypesAttr("output_types").IntListsAttr("output_shapes")
      .IntAttr("output_num", 1).StringAttr("channel_name", "").Infer(InferFromQueue);
  r.Op("PlaceHolder", "legacy").Input("x", kAll).Output("y", kAll).IntAttr("peerIndex", 0).StringAttr("parentId", "")
      .StringAttr("parentOpType", "").IntAttr("anchorIndex", 0).Infer(InferSame);
  r.Op("End", "legacy").Input("x", kAll).Output("y", kAll).IntAttr("peerIndex", 0).StringAttr("parentOpType", "")
      .Infer(InferSame);
  r.Op("PlaceholderWithDefault", "legacy").Input("x", kAll).Output("y", kAll)
      .RequiredAttr("shape", AttrType::kListInt).Infer(InferPlaceholderWithDefault);

  for (const char* type : {"Enter", "RefEnter"}) {
    r.Op(type, std::string_view(type) == "Enter" ? "nn" : "legacy").Input("x", kNumeric).Output("y", kNumeric)
        .RequiredAttr("frame_name", AttrType::kString).RequiredAttr("is_constant", AttrType::kBool).Infer(InferSame);
  }
  r.Op("Exit", "legacy").Input("x", kNumeric).Output("y", kNumeric).Infer(InferSame);
  r.Op("RefExit", "legacy").Input("x", kNumeric).Output("y", kNumeric).Infer(InferSame);
  r.Op("NextIteration", "nn").Input("x", kNumeric).Output("y", kNumeric).Infer(InferSame);
  r.Op("RefNextIteration", "legacy").Input("x", kNumeric).Output("y", kNumeric).Infer(InferSame);
  r.Op("LoopCond", "legacy").Input("x", kBool).Output("y", kBool).Infer(InferSame);

  r.Op("GatherShapes", "nn").DynamicInput("x", kAll).Output("shape", kIndex)
      .RequiredAttr("axes", AttrType::kListListInt).IntAttr("dtype", TypeNumber(DataType::kInt32)).MovesDims()
      .Infer(InferGatherShapes);
  r.Op("TransData", "math").Input("src", kBasic | kF4E1M2 | kF4E2M1).Output("dst", kBasic | kF4E1M2 | kF4E2M1)
      .RequiredAttr("src_format", AttrType::kString).RequiredAttr("dst_format", AttrType::kString)
      .IntAttr("src_subformat", 0).IntAttr("dst_subformat", 0).IntAttr("groups", 1).MovesDims().Infer(InferTransData);
  r.Op("PhonyConcat", "math").DynamicInput("x", kAll).Output("y", kAll)
      .RequiredAttr("concat_dim", AttrType::kListInt).RequiredAttr("N", AttrType::kListInt)
      .BoolAttr("keep_input_offset", true).Infer(InferPhonyConcat);
  r.Op("PhonySplit", "math").Input("x", kAll).DynamicOutput("y", kAll).RequiredAttr("split_dim", AttrType::kListInt)
      .RequiredAttr("num_split", AttrType::kListInt).BoolAttr("keep_output_offset", true).Infer(InferPhonySplit);
  r.Op("Cmo", "nn").Input("src", kNumber).RequiredAttr("max_size", AttrType::kInt).IntAttr("type", 6)
      .IntAttr("offset", 0).Infer(InferNothing);
  r.Op("MemSet", "math").RequiredAttr("sizes", AttrType::kListInt).TypesAttr("dtypes").IntsAttr("values_int")
      .FloatsAttr("values_float").Infer(InferNothing);
}

}  // namespace ge::ops
