// ConvBatchnormFusionPass: a batch normalisation behind a convolution becomes part of its weights and bias, and so does a
// constant for each channel that is added or multiplied by.
#include <cmath>
#include <string>
#include <vector>

#include "fusion/builtin/conv_fold.h"
#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"
#include "ops/op_def.h"

namespace ge::fusion::builtin {
namespace {

struct Types {
  ir::Symbol batch_norm{"BatchNorm"}, add{"Add"}, mul{"Mul"};
};
const Types& Names() {
  static const auto* names = new Types;
  return *names;
}

bool ReadNorm(const ir::Node& norm, const Constants& constants, Factors* out) {
  static const ir::Symbol epsilon_name("epsilon"), training("is_training"), format("data_format");
  const ops::OpDef* def = ops::FindOp(norm.type());
  if (def == nullptr || norm.num_inputs() != 5) return false;
  const bool* trains = ops::AttrOrDefault<bool>(norm, *def, training);
  const float* epsilon = ops::AttrOrDefault<float>(norm, *def, epsilon_name);
  const std::string* layout = ops::AttrOrDefault<std::string>(norm, *def, format);
  if (trains == nullptr || *trains || epsilon == nullptr || layout == nullptr || *layout != "NCHW") return false;
  std::vector<double> values[4];
  for (uint32_t i = 0; i < 4; ++i) {
    const ir::Tensor* t = constants.Input(norm, i + 1);
    if (t == nullptr || t->desc.shape.rank() != 1 || !ir::ReadNumbers(*t, &values[i])) return false;
    if (values[i].size() != values[0].size()) return false;
  }
  const auto& [scale, offset, mean, variance] = values;
  for (size_t c = 0; c < scale.size(); ++c) {
    double spread = variance[c] + static_cast<double>(*epsilon);
    if (!(spread > 0)) return false;
    double factor = scale[c] / std::sqrt(spread);
    out->scale.push_back(factor);
    out->offset.push_back(offset[c] - mean[c] * factor);
  }
  return true;
}

// One number, or one for each channel of a tensor [N, C, ...] of that rank.
bool ReadPerChannel(const ir::Tensor* t, const FoldableConv& conv, std::vector<double>* out) {
  if (t == nullptr || !ir::ReadNumbers(*t, out)) return false;
  const ir::Shape& shape = t->desc.shape;
  if (shape.rank() > conv.rank()) return false;
  for (size_t d = 0; d < shape.rank(); ++d) {
    bool channel = conv.rank() - shape.rank() + d == 1;
    if (shape[d] != 1 && !(channel && shape[d] == conv.channels())) return false;
  }
  if (out->size() == 1) out->assign(static_cast<size_t>(conv.channels()), out->front());
  return static_cast<int64_t>(out->size()) == conv.channels();
}

bool AreFinite(const std::vector<double>& values) {
  for (double v : values) {
    if (!std::isfinite(v)) return false;
  }
  return true;
}

class ConvBatchNormPass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (!FoldableConv::IsIn(graph)) return kNotChanged;
    if (!Ordered(graph, context)) return kFailed;
    NamedTensors named(graph);
    Constants constants(graph);
    int64_t rewrites = context.rewrites;
    for (ir::Node* node : graph.nodes()) {
      if (IsTail(*node) && Fuse(graph, node, named, constants, context)) ++context.rewrites;
    }
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }

 private:
  static bool IsTail(const ir::Node& node) {
    ir::Symbol type = node.type();
    bool wanted = type == Names().batch_norm || type == Names().add || type == Names().mul;
    if (!wanted || !IsPlain(node) || node.num_outputs() == 0 || node.num_uses(0) == 0) return false;
    for (uint32_t i = 1; i < node.num_outputs(); ++i) {
      if (node.num_uses(i) > 0) return false;
    }
    return true;
  }

  static bool Fuse(ir::Graph& graph, ir::Node* tail, NamedTensors& named, const Constants& constants,
                   PassContext& context) {
    FoldableConv conv;
    Factors factors;
    bool norm = tail->type() == Names().batch_norm;
    uint32_t from = 0;
    bool found = tail->num_inputs() > 0 && conv.Find(tail->input(0), constants, named);
    if (!found && !norm && tail->num_inputs() == 2) {
      from = 1;
      found = conv.Find(tail->input(1), constants, named);
    }
    if (!found) return false;
    ++context.matches;
    if (norm) {
      if (!ReadNorm(*tail, constants, &factors)) return false;
    } else {
      if (tail->num_inputs() != 2 || tail->input(0) == tail->input(1)) return false;
      bool multiplies = tail->type() == Names().mul;
      std::vector<double>* read = multiplies ? &factors.scale : &factors.offset;
      if (!ReadPerChannel(constants.Input(*tail, 1 - from), conv, read)) return false;
      (multiplies ? factors.offset : factors.scale).assign(read->size(), multiplies ? 0.0 : 1.0);
    }
    if (!AreFinite(factors.scale) || !AreFinite(factors.offset)) return false;
    return conv.Absorb(graph, tail, norm ? 2 : 1 - from, factors, named, context.pass_name());
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeConvBatchNormPass() { return std::make_unique<ConvBatchNormPass>(); }

}  // namespace ge::fusion::builtin
