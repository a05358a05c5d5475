// CastRemovePass: takes out casts to the type that is there, and pairs of casts that lead back to it without loss.
#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"

namespace ge::fusion::builtin {
namespace {

using ir::DataType;

// Bits of a whole number that a type holds, with its sign; 0 for other types.
struct Whole {
  int bits = 0;
  bool is_signed = false;
};

// How many whole numbers a type can tell apart from each other.
Whole WholeOf(DataType t) {
  switch (t) {
    case DataType::kBool: return {1, false};
    case DataType::kUint8: return {8, false};
    case DataType::kUint16: return {16, false};
    case DataType::kUint32: return {32, false};
    case DataType::kUint64: return {64, false};
    case DataType::kInt8: return {7, true};
    case DataType::kInt16: return {15, true};
    case DataType::kInt32: return {31, true};
    case DataType::kInt64: return {63, true};
    default: return {};
  }
}

// Bits of the fraction, the leading one counted.
int Precision(DataType t) {
  switch (t) {
    case DataType::kBf16: return 8;
    case DataType::kFloat16: return 11;
    case DataType::kFloat: return 24;
    case DataType::kDouble: return 53;
    default: return 0;
  }
}

// Whether every value of `from` is one of `to`.
bool Holds(DataType to, DataType from) {
  Whole small = WholeOf(from), large = WholeOf(to);
  if (small.bits > 0 && large.bits > 0) return small.bits <= large.bits && (large.is_signed || !small.is_signed);
  // float16 ends at 65504, which bounds it below its precision only for larger numbers.
  if (small.bits > 0) return small.bits <= Precision(to);
  if (to == DataType::kDouble) return Precision(from) > 0;
  return to == DataType::kFloat && (from == DataType::kFloat16 || from == DataType::kBf16);
}

bool IsCast(const ir::Node& node) {
  static const ir::Symbol cast("Cast");
  return node.type() == cast && node.num_inputs() == 1 && node.num_outputs() == 1 && node.input(0);
}

DataType TypeOf(ir::Anchor a) { return a.node->output_desc(a.index).dtype; }

class CastRemovePass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    static const ir::Symbol cast("Cast");
    if (graph.CountOfType(cast) == 0) return kNotChanged;
    if (!Ordered(graph, context)) return kFailed;
    NamedTensors named(graph);
    int64_t rewrites = context.rewrites;
    for (ir::Node* node : graph.nodes()) {
      if (!IsCast(*node) || !IsPlain(*node)) continue;
      ir::Anchor source = Original(*node);
      if (source && Bypass(graph, node, source, named, context)) ++context.rewrites;
    }
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }

 private:
  // The tensor that has the values of the cast's result already.
  static ir::Anchor Original(const ir::Node& node) {
    DataType type = node.output_desc(0).dtype;
    if (type == DataType::kUndefined) return {};
    ir::Anchor source = node.input(0);
    if (TypeOf(source) == type) return source;
    if (!IsCast(*source.node) || !IsPlain(*source.node)) return {};
    ir::Anchor first = source.node->input(0);
    return TypeOf(first) == type && Holds(TypeOf(source), type) ? first : ir::Anchor();
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeCastRemovePass() { return std::make_unique<CastRemovePass>(); }

}  // namespace ge::fusion::builtin
