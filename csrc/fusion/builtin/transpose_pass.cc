// TransOpSymmetryEliminationPass: merges a transpose with the one before it; both go when they cancel each other.
#include <vector>

#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"

namespace ge::fusion::builtin {
namespace {

using Perm = std::vector<int64_t>;

struct Types {
  ir::Symbol transpose{"Transpose"}, transpose_d{"TransposeD"}, perm{"perm"};
};
const Types& Names() {
  static const auto* names = new Types;
  return *names;
}

bool IsTranspose(const ir::Node& node) {
  return (node.type() == Names().transpose || node.type() == Names().transpose_d) && node.num_outputs() == 1 &&
         node.num_inputs() > 0 && node.input(0) && IsPlain(node);
}

// With axes counted from the front; false if it is not known or no permutation.
bool PermOf(const ir::Node& node, const Constants& constants, Perm* out) {
  if (node.type() == Names().transpose) {
    if (node.num_inputs() != 2 || !constants.Ints(node, 1, out)) return false;
  } else {
    const Perm* perm = node.attr<Perm>(Names().perm);
    if (perm == nullptr) return false;
    *out = *perm;
  }
  std::vector<bool> seen(out->size(), false);
  for (int64_t& p : *out) {
    if (p < 0) p += static_cast<int64_t>(out->size());
    if (p < 0 || p >= static_cast<int64_t>(out->size()) || seen[static_cast<size_t>(p)]) return false;
    seen[static_cast<size_t>(p)] = true;
  }
  return true;
}

bool IsIdentity(const Perm& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

class TransposePass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (graph.CountOfType(Names().transpose) + graph.CountOfType(Names().transpose_d) == 0) return kNotChanged;
    if (!Ordered(graph, context)) return kFailed;
    NamedTensors named(graph);
    Constants constants(graph);
    int64_t rewrites = context.rewrites;
    for (ir::Node* node : graph.nodes()) {
      Perm perm;
      if (!IsTranspose(*node) || !PermOf(*node, constants, &perm)) continue;
      bool done = IsIdentity(perm) ? Bypass(graph, node, node->input(0), named, context)
                                   : MergeWithPrevious(graph, node, perm, named, constants, context);
      if (done) ++context.rewrites;
    }
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }

 private:
  static bool MergeWithPrevious(ir::Graph& graph, ir::Node* node, const Perm& perm, NamedTensors& named,
                                const Constants& constants, PassContext& context) {
    ir::Anchor middle = node->input(0);
    ir::Node* before = middle.node;
    Perm first;
    if (!IsTranspose(*before) || !PermOf(*before, constants, &first) || first.size() != perm.size()) return false;
    Perm both(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) both[i] = first[static_cast<size_t>(perm[i])];
    ir::Anchor source = before->input(0);
    if (IsIdentity(both)) return Bypass(graph, node, source, named, context);
    // Otherwise one transpose remains, and nothing is won where others read the tensor in between.
    ++context.matches;
    if (before->num_uses(0) != 1 || named.IsNamed(middle)) return false;
    graph.Disconnect(node, 0);
    graph.Connect(source, node, 0);
    if (node->type() == Names().transpose_d) {
      graph.SetAttr(node, Names().perm, both);
    } else {
      std::vector<int32_t> narrow(both.begin(), both.end());
      ir::Node* old = node->input(1).node;
      ir::TensorPtr value =
          ir::MakeTensor<int32_t>(ir::DataType::kInt32, {static_cast<ir::Dim>(narrow.size())}, narrow);
      ir::Node* constant = AddConst(graph, before, graph.UniqueName(old->name()), std::move(value));
      graph.Disconnect(node, 1);
      graph.Connect({constant, 0}, node, 1);
      RemoveIfUnusedConst(graph, old);
    }
    RemoveDead(graph, before);
    return true;
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeTransposePass() { return std::make_unique<TransposePass>(); }

}  // namespace ge::fusion::builtin
