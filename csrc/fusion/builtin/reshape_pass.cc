// NoUseReshapeRemovePass: takes out what gives a tensor the shape it has, and merges what reshapes it twice.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"
#include "ops/op_def.h"

namespace ge::fusion::builtin {
namespace {

const ir::Symbol& ReshapeType() {
  static const ir::Symbol type("Reshape");
  return type;
}

// Only the shape changes: the elements stay, in their order.
std::span<const ir::Symbol> Types() {
  static const ir::Symbol types[] = {ReshapeType(),           ir::Symbol("Flatten"),   ir::Symbol("Squeeze"),
                                     ir::Symbol("SqueezeV3"), ir::Symbol("Unsqueeze"), ir::Symbol("UnsqueezeV3"),
                                     ir::Symbol("ExpandDims"), ir::Symbol("ai.onnx::Reshape")};
  return types;
}

bool IsReshape(const ir::Node& node) {
  if (std::find(Types().begin(), Types().end(), node.type()) == Types().end()) return false;
  return node.num_outputs() == 1 && node.num_inputs() > 0 && node.input(0) && IsPlain(node);
}

const ir::Shape& ShapeOf(ir::Anchor a) { return a.node->output_desc(a.index).shape; }

// Whether two shapes of equally many elements are one, whatever sizes the open dims have. Names of dims prove nothing:
// models use them carelessly.
bool Same(const ir::Shape& a, const ir::Shape& b) {
  if (a.unknown_rank() || b.unknown_rank() || a.rank() != b.rank()) return false;
  int open = 0;
  bool empty = false;
  for (size_t d = 0; d < a.rank(); ++d) {
    bool static_a = ir::IsStatic(a[d]), static_b = ir::IsStatic(b[d]);
    if (static_a != static_b || (static_a && a[d] != b[d])) return false;
    open += static_a ? 0 : 1;
    empty |= a[d] == 0;
  }
  return open == 0 || (open == 1 && !empty);
}

// Sizes for a Reshape to this shape: at most one open dim, none that is empty, since 0 has a meaning of its own there.
std::optional<std::vector<int64_t>> Sizes(const ir::Shape& shape) {
  if (shape.unknown_rank()) return std::nullopt;
  std::vector<int64_t> sizes;
  int open = 0;
  for (ir::Dim d : shape.dims()) {
    if (d == 0) return std::nullopt;
    open += ir::IsStatic(d) ? 0 : 1;
    sizes.push_back(ir::IsStatic(d) ? d : -1);
  }
  if (open > 1) return std::nullopt;
  return sizes;
}

class ReshapePass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (!HasAny(graph, Types())) return kNotChanged;
    if (!Ordered(graph, context)) return kFailed;
    NamedTensors named(graph);
    Constants constants(graph);
    if (!constants.AllFixed()) return kNotChanged;  // shapes may be others
    int64_t rewrites = context.rewrites;
    for (ir::Node* node : graph.nodes()) {
      if (IsReshape(*node) && Simplify(graph, node, named, constants, context)) ++context.rewrites;
    }
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }

 private:
  static bool Simplify(ir::Graph& graph, ir::Node* node, NamedTensors& named, const Constants& constants,
                       PassContext& context) {
    const ir::Shape& shape = node->output_desc(0).shape;
    ir::Anchor source = node->input(0);
    if (Same(ShapeOf(source), shape)) return Bypass(graph, node, source, named, context);
    ir::Node* before = source.node;
    if (!IsReshape(*before)) return false;
    ir::Anchor first = before->input(0);
    if (Same(ShapeOf(first), shape)) return Bypass(graph, node, first, named, context);
    if (before->num_uses(0) != 1 || named.IsNamed(source)) return false;
    ++context.matches;
    bool keeps_sizes = node->type() == ReshapeType() && HasPlainSizes(*node, constants);
    if (keeps_sizes) {
      graph.Disconnect(node, 0);
      graph.Connect(first, node, 0);
      RemoveDead(graph, before);
      return true;
    }
    auto sizes = Sizes(shape);
    if (sizes) PutReshape(graph, node, first, *sizes, named);
    return sizes.has_value();
  }

  // Constant sizes that do not depend on the shape of the input.
  static bool HasPlainSizes(const ir::Node& node, const Constants& constants) {
    std::vector<int64_t> sizes;
    if (node.num_inputs() != 2 || !constants.Ints(node, 1, &sizes)) return false;
    static const ir::Symbol axis("axis"), num_axes("num_axes");
    const int64_t* from = node.attr<int64_t>(axis);
    const int64_t* count = node.attr<int64_t>(num_axes);
    if ((from != nullptr && *from != 0) || (count != nullptr && *count != -1)) return false;
    for (int64_t s : sizes) {
      if (s == 0) return false;
    }
    return true;
  }

  static void PutReshape(ir::Graph& graph, ir::Node* node, ir::Anchor source, const std::vector<int64_t>& sizes,
                         NamedTensors& named) {
    ir::TensorPtr value =
        ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(sizes.size())}, sizes);
    std::string name = graph.UniqueName(std::string(node->name()) + "_shape");
    ir::Node* shape = AddConst(graph, node, name, std::move(value));
    ir::Node* reshape = graph.InsertNodeAfter(shape, ReshapeType(), node->name(), 2, 1);
    graph.InitOutput(reshape, 0, node->output_desc(0), node->tensor_name(0), node->declared(0));
    graph.Connect(source, reshape, 0);
    graph.Connect({shape, 0}, reshape, 1);
    named.Move({node, 0}, {reshape, 0});
    graph.SetTensorName(node, 0, "");
    graph.ReplaceUses({node, 0}, {reshape, 0});
    RemoveDead(graph, node);
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeReshapePass() { return std::make_unique<ReshapePass>(); }

}  // namespace ge::fusion::builtin
