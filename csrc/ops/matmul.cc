// Matrix products.
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

struct Matrix {
  Dim rows, columns;
};

Matrix LastTwo(const Shape& s, bool transposed) {
  Matrix m{s[s.rank() - 2], s[s.rank() - 1]};
  if (transposed) std::swap(m.rows, m.columns);
  return m;
}

Status CheckInner(const InferContext& ctx, Dim a, Dim b, size_t first, size_t second) {
  Dim same;
  if (MergeDim(a, b, &same)) return Status::Ok();
  return ctx.Error(StrCat("equal inner sizes of ", ctx.InputText(first), " and ", ctx.InputText(second)),
                   StrCat("'", a, "' and '", b, "' in shapes '", ctx.shape(first).ToString(), "' and '",
                          ctx.shape(second).ToString(), "'"),
                   "check the shapes and the transpose attributes");
}

// Integer products may accumulate in a wider type than the operands have.
DataType ProductType(const InferContext& ctx, size_t first) {
  DataType t = PromoteTypes(ctx.dtype(first), ctx.dtype(first + 1));
  return t == DataType::kInt8 ? DataType::kUndefined : t;
}

// Two matrices, no batch.
Status InferPlain(InferContext& ctx, bool transpose_a, bool transpose_b) {
  DataType type = ProductType(ctx, 0);
  const Shape& a = ctx.shape(0);
  const Shape& b = ctx.shape(1);
  GE_RETURN_IF_ERROR(CheckRank(ctx, 0, 2));
  GE_RETURN_IF_ERROR(CheckRank(ctx, 1, 2));
  Dim rows = ir::kUnknownDim, columns = ir::kUnknownDim;
  if (!a.unknown_rank()) rows = LastTwo(a, transpose_a).rows;
  if (!b.unknown_rank()) columns = LastTwo(b, transpose_b).columns;
  if (!a.unknown_rank() && !b.unknown_rank()) {
    GE_RETURN_IF_ERROR(CheckInner(ctx, LastTwo(a, transpose_a).columns, LastTwo(b, transpose_b).rows, 0, 1));
  }
  ctx.SetOutput(0, Shape{rows, columns}, type);
  return Status::Ok();
}

Status InferMatMul(InferContext& ctx) {
  return InferPlain(ctx, ctx.Bool(Names().transpose_x1), ctx.Bool(Names().transpose_x2));
}

// alpha * a x b + beta * c, where c broadcasts to the product and never widens it.
Status InferGemm(InferContext& ctx) {
  GE_RETURN_IF_ERROR(InferPlain(ctx, ctx.Bool(Names().transpose_a), ctx.Bool(Names().transpose_b)));
  if (!ctx.has_input(2)) return Status::Ok();
  const Shape product = ctx.output(0).shape;
  const Shape& c = ctx.shape(2);
  if (c.unknown_rank()) return Status::Ok();
  Shape sum;
  GE_RETURN_IF_ERROR(Broadcast(ctx, product, c, &sum));
  bool widens = c.rank() > 2;
  for (size_t i = 0; i < c.rank() && !widens; ++i) {
    Dim p = product[2 - c.rank() + i];
    widens = ir::IsStatic(p) && ir::IsStatic(c[i]) && c[i] != 1 && c[i] != p;
  }
  if (!widens) return Status::Ok();
  return ctx.Error(StrCat("input 'c' to broadcast to the product '", product.ToString(), "'"),
                   StrCat("shape '", c.ToString(), "'"), "add it with Add after the product instead");
}

}  // namespace

Status InferBatchProduct(InferContext& ctx, const Product& p, DataType type) {
  const Shape& a = ctx.shape(p.a);
  const Shape& b = ctx.shape(p.b);
  if (a.unknown_rank() || b.unknown_rank()) {
    ctx.SetUnknown(0, type);
    return Status::Ok();
  }
  for (size_t i : {p.a, p.b}) {
    if (ctx.shape(i).rank() == 0) return ctx.Error(StrCat(ctx.InputText(i), " of rank 1 or more"), "a scalar");
  }
  Matrix ma = a.rank() == 1 ? Matrix{1, a[0]} : LastTwo(a, p.transpose_a);
  Matrix mb = b.rank() == 1 ? Matrix{b[0], 1} : LastTwo(b, p.transpose_b);
  GE_RETURN_IF_ERROR(CheckInner(ctx, ma.columns, mb.rows, p.a, p.b));
  DimList dims;
  size_t batch_a = a.rank() > 2 ? a.rank() - 2 : 0, batch_b = b.rank() > 2 ? b.rank() - 2 : 0;
  size_t batch = std::max(batch_a, batch_b);
  for (size_t i = 0; i < batch; ++i) {
    Dim da = i + batch_a >= batch ? a[i + batch_a - batch] : 1;
    Dim db = i + batch_b >= batch ? b[i + batch_b - batch] : 1;
    Dim d;
    if (!BroadcastDim(da, db, &d)) {
      return ctx.Error("batch dims that broadcast", StrCat("'", a.ToString(), "' and '", b.ToString(), "'"));
    }
    dims.push_back(d);
  }
  if (a.rank() > 1) dims.push_back(ma.rows);
  if (b.rank() > 1) dims.push_back(mb.columns);
  ctx.SetOutput(0, dims, type);
  return Status::Ok();
}

namespace {

Status InferBatchMatMul(InferContext& ctx) {
  return InferBatchProduct(ctx, {0, 1, ctx.Bool(Names().adj_x1), ctx.Bool(Names().adj_x2)}, ProductType(ctx, 0));
}

Status InferFusedMatMul(InferContext& ctx) {
  return InferBatchProduct(ctx, {0, 1, ctx.Bool(Names().transpose_x1), ctx.Bool(Names().transpose_x2)},
                           ProductType(ctx, 0));
}

Status InferDot(InferContext& ctx) {
  ctx.SetOutput(0, Shape(), ctx.dtype(0));
  return Status::Ok();
}

struct EinsumTerm {
  std::string letters;
  int ellipsis_at = -1;  // position before which "..." stands
};

bool ParseTerm(std::string_view text, EinsumTerm* out) {
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == ' ') continue;
    if (c == '.') {
      if (out->ellipsis_at >= 0 || text.substr(i, 3) != "...") return false;
      out->ellipsis_at = static_cast<int>(out->letters.size());
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      out->letters.push_back(c);
    } else {
      return false;
    }
  }
  return true;
}

Status InferEinsum(InferContext& ctx) {
  std::string_view equation = ctx.String(Names().equation);
  size_t arrow = equation.find("->");
  std::vector<EinsumTerm> terms;
  for (std::string_view piece : Split(equation.substr(0, arrow), ',')) {
    if (!ParseTerm(piece, &terms.emplace_back())) {
      return ctx.Error("an equation of letters, '...', ',' and '->'", StrCat("'", equation, "'"));
    }
  }
  if (terms.size() != ctx.count(0)) {
    return ctx.Error(StrCat(terms.size(), " inputs for equation '", equation, "'"), StrCat(ctx.count(0)));
  }
  Dim sizes[128];
  bool seen[128] = {};
  int uses[128] = {};
  Shape ellipsis;
  bool unknown_ellipsis = false;
  for (size_t t = 0; t < terms.size(); ++t) {
    const EinsumTerm& term = terms[t];
    const Shape& s = ctx.shape(0, t);
    bool has_ellipsis = term.ellipsis_at >= 0;
    for (char c : term.letters) ++uses[static_cast<int>(c)];
    if (s.unknown_rank()) {
      unknown_ellipsis |= has_ellipsis;
      for (char c : term.letters) {
        if (!seen[static_cast<int>(c)]) sizes[static_cast<int>(c)] = ir::kUnknownDim;
        seen[static_cast<int>(c)] = true;
      }
      continue;
    }
    size_t named = term.letters.size();
    if (s.rank() < named || (!has_ellipsis && s.rank() != named)) {
      return ctx.Error(StrCat(ctx.InputText(0, t), " of rank ", named, " for '", equation, "'"),
                       StrCat("shape '", s.ToString(), "'"));
    }
    size_t extra = s.rank() - named;
    for (size_t i = 0; i < named; ++i) {
      size_t at = has_ellipsis && static_cast<int>(i) >= term.ellipsis_at ? i + extra : i;
      auto c = static_cast<int>(term.letters[i]);
      Dim d = s[at];
      if (seen[c] && !BroadcastDim(sizes[c], s[at], &d)) {
        return ctx.Error(StrCat("one size of '", static_cast<char>(c), "' in '", equation, "'"),
                         StrCat("'", sizes[c], "' and '", s[at], "'"));
      }
      sizes[c] = d;
      seen[c] = true;
    }
    if (has_ellipsis) {
      Shape part(s.dims().subspan(static_cast<size_t>(term.ellipsis_at), extra)), both;
      GE_RETURN_IF_ERROR(Broadcast(ctx, ellipsis, part, &both));
      ellipsis = std::move(both);
    }
  }
  EinsumTerm result;
  if (arrow != std::string_view::npos) {
    if (!ParseTerm(equation.substr(arrow + 2), &result)) {
      return ctx.Error("an equation of letters, '...', ',' and '->'", StrCat("'", equation, "'"));
    }
  } else {
    // Without '->' the letters that occur once remain, in alphabetical order, after the ellipsis.
    for (int c = 0; c < 128; ++c) {
      if (uses[c] == 1) result.letters.push_back(static_cast<char>(c));
    }
    for (const EinsumTerm& t : terms) {
      if (t.ellipsis_at >= 0) result.ellipsis_at = 0;
    }
  }
  if (unknown_ellipsis && result.ellipsis_at >= 0) {
    ctx.SetUnknown(0, ctx.dtype(0));
    return Status::Ok();
  }
  DimList dims;
  for (size_t i = 0; i <= result.letters.size(); ++i) {
    if (static_cast<int>(i) == result.ellipsis_at) {
      for (Dim d : ellipsis.dims()) dims.push_back(d);
    }
    if (i == result.letters.size()) break;
    auto c = static_cast<int>(result.letters[i]);
    if (!seen[c]) {
      return ctx.Error(StrCat("result letters that occur in the inputs of '", equation, "'"),
                       StrCat("'", static_cast<char>(c), "'"));
    }
    dims.push_back(sizes[c]);
  }
  ctx.SetOutput(0, dims, ctx.dtype(0));
  return Status::Ok();
}

}  // namespace

void RegisterMatmul(OpRegistrar& r) {
  r.Op("MatMul", "legacy").Input("x1", kFloats | kI32).Input("x2", kFloats | kI32)
      .OptionalInput("bias", kFloats | kI32).Output("y", kFloats | kI32).BoolAttr("transpose_x1", false)
      .BoolAttr("transpose_x2", false).MovesDims().Infer(InferMatMul);
  r.Op("MatMulV2", "nn").Input("x1", kFloats | kI4 | kI8 | kI32 | kHiF8)
      .Input("x2", kFloats | kI4 | kI8 | kI32 | kHiF8).OptionalInput("bias", kFloats | kI32)
      .OptionalInput("offset_w", kI4 | kI8).Output("y", kFloats | kI32 | kHiF8).BoolAttr("transpose_x1", false)
      .BoolAttr("transpose_x2", false).IntAttr("offset_x", 0).MovesDims().Infer(InferMatMul);
  r.Op("MatMulV3", "nn").Input("x1", kFloats).Input("x2", kFloats).OptionalInput("bias", kFloats)
      .OptionalInput("offset_w", kI4 | kI8).Output("y", kFloats).BoolAttr("transpose_x1", false)
      .BoolAttr("transpose_x2", false).IntAttr("offset_x", 0).IntAttr("opImplMode", 1).MovesDims().Infer(InferMatMul);
  r.Op("BatchMatMul", "nn").Input("x1", kFloats | kI32 | kHiF8).Input("x2", kFloats | kI32 | kHiF8)
      .Output("y", kFloats | kI32 | kHiF8).BoolAttr("adj_x1", false).BoolAttr("adj_x2", false)
      .MovesDims().Infer(InferBatchMatMul);
  r.Op("BatchMatMulV2", "nn").Input("x1", kFloats | kI4 | kI8 | kI32 | kHiF8)
      .Input("x2", kFloats | kI4 | kI8 | kI32 | kHiF8).OptionalInput("bias", kFloats | kI32)
      .OptionalInput("offset_w", kI4 | kI8).Output("y", kFloats | kI32 | kHiF8).BoolAttr("adj_x1", false)
      .BoolAttr("adj_x2", false).IntAttr("offset_x", 0).MovesDims().Infer(InferBatchMatMul);
  r.Op("BatchMatMulV3", "nn").Input("x1", kFloats).Input("x2", kFloats).OptionalInput("bias", kFloats)
      .OptionalInput("offset_w", kI4 | kI8).Output("y", kFloats).BoolAttr("adj_x1", false).BoolAttr("adj_x2", false)
      .IntAttr("offset_x", 0).BoolAttr("enable_hf32", false).MovesDims().Infer(InferBatchMatMul);
  r.Op("GEMM", "nn").Input("a", kF32 | kF16 | kI8 | kI32).Input("b", kF32 | kF16 | kI8 | kI32)
      .Input("c", kF32 | kF16 | kI8 | kI32).Input("alpha", kF32 | kF16 | kI8 | kI32)
      .Input("beta", kF32 | kF16 | kI8 | kI32).Output("y", kF32 | kF16 | kI8 | kI32).BoolAttr("transpose_a", false)
      .BoolAttr("transpose_b", false).Infer(InferGemm);
  r.Op("FusedMatMul", "nn").Input("x1", kFloats).Input("x2", kFloats).OptionalInput("bias", kFloats)
      .OptionalInput("x3", kFloats | kU64).Output("y", kFloats | kI8).BoolAttr("transpose_x1", false)
      .BoolAttr("transpose_x2", false).BoolAttr("enable_hf32", false).StringAttr("fused_op_type", "")
      .IntAttr("inner_precise", 1).MovesDims().Infer(InferFusedMatMul);
  r.Op("Dot", "math").Input("input_x", kFloats | kI8 | kI32 | kU8).Input("input_y", kFloats | kI8 | kI32 | kU8)
      .Output("output", kFloats | kI8 | kI32 | kU8).Commutative().Infer(InferDot);
  r.Op("Einsum", "nn").DynamicInput("x", kF32 | kF16 | kI32).Output("y", kF32 | kF16 | kI32)
      .RequiredAttr("equation", AttrType::kString).RequiredAttr("N", AttrType::kInt).MovesDims().Infer(InferEinsum);
}

}  // namespace ge::ops
