// From public handles to the core's objects and back.
#ifndef GE_CXX_API_ACCESS_H_
#define GE_CXX_API_ACCESS_H_

#include "cxx_api/core.h"
// After core.h, see there.
#include "ge/fusion/match_result.h"
#include "ge/fusion/pass/decompose_pass.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/fusion/subgraph_boundary.h"
#include "graph/graph.h"
#include "register/register_custom_pass.h"

namespace ge {
inline namespace v1 {
namespace detail {

struct TensorData {
  ge_core::ir::Tensor tensor;
  // The bytes, while nobody else can have them.
  std::shared_ptr<std::vector<uint8_t>> own;
};

struct AttrData {
  ge_core::ir::AttrValue value;
};

struct ContextData {
  ge_core::fusion::PassContext own;
  ge_core::fusion::PassContext *context = &own;
};

struct OperatorData {
  std::string name;
  ge_core::ir::Symbol type;
  // Null for a type without a definition.
  const ge_core::ops::OpDef *def = nullptr;
  std::map<std::string, uint32_t, std::less<>> dynamic_counts;
  std::map<uint32_t, ge_core::ir::TensorDesc> inputs, outputs;
  std::vector<std::pair<ge_core::ir::Symbol, ge_core::ir::AttrValue>> attrs;
};

struct Access {
  // ---- graphs and nodes ---------------------------------------------------------------------------------------------
  static ge_core::ir::GraphPtr Core(const Graph &graph) {
    return std::static_pointer_cast<ge_core::ir::Graph>(graph.graph_);
  }
  static Graph Make(ge_core::ir::GraphPtr graph) {
    Graph made;
    made.graph_ = std::move(graph);
    return made;
  }
  static GraphPtr MakePtr(ge_core::ir::GraphPtr graph) { return std::make_shared<Graph>(Make(std::move(graph))); }
  // Null for an empty handle and for one whose graph is gone.
  static ge_core::ir::Node *Core(const GNode &node) {
    auto *lives = static_cast<const std::atomic<bool> *>(node.graph_lives_.get());
    if (lives == nullptr || !lives->load(std::memory_order_acquire)) return nullptr;
    return static_cast<ge_core::ir::Node *>(node.node_);
  }
  // The empty handle for a null pointer and for a node that was removed.
  static GNode Make(ge_core::ir::Node *node) {
    GNode made;
    if (node == nullptr || node->graph() == nullptr) return made;
    made.node_ = node;
    made.graph_lives_ = node->graph()->liveness();
    return made;
  }
  static GNodePtr MakePtr(ge_core::ir::Node *node) { return std::make_shared<GNode>(Make(node)); }
  static fusion::NodeIo Make(ge_core::ir::Anchor anchor) { return {Make(anchor.node), anchor.index}; }
  // Empty unless the node is there and the index can be one.
  static ge_core::ir::Anchor Core(const fusion::NodeIo &io) {
    ge_core::ir::Node *node = Core(io.node);
    if (node == nullptr || io.index < 0 || io.index > UINT32_MAX) return {};
    return {node, static_cast<uint32_t>(io.index)};
  }

  // ---- values -------------------------------------------------------------------------------------------------------
  static TensorDesc Make(const ge_core::ir::TensorDesc &desc);
  static ge_core::ir::TensorDesc Core(const TensorDesc &desc);
  static Tensor Make(const ge_core::ir::Tensor &tensor);
  static ge_core::ir::TensorPtr Core(const Tensor &tensor);
  static AttrValue Make(const ge_core::ir::AttrValue &value);
  // Null for an empty AttrValue.
  static const ge_core::ir::AttrValue *Core(const AttrValue &value) { return value.data_ ? &value.data_->value : nullptr; }
  static std::string_view View(const AscendString &text) { return {text.GetString(), text.GetLength()}; }
  static AscendString Text(std::string_view text) { return AscendString(text.data(), text.size()); }
  static OperatorData &Core(const Operator &op) { return *op.data_; }

  // ---- passes -------------------------------------------------------------------------------------------------------
  static ge_core::fusion::PassContext &Core(CustomPassContext &context) { return *context.data_->context; }
  static void Lend(CustomPassContext &context, ge_core::fusion::PassContext *core) { context.data_->context = core; }
  static ge_core::Result<ge_core::fusion::SubgraphBoundary> Core(const fusion::SubgraphBoundary &boundary);
  static fusion::SubgraphBoundary Make(const ge_core::fusion::SubgraphBoundary &boundary);
  static ge_core::fusion::Pattern &Core(const fusion::Pattern &pattern);
  // Makes it a view of a match that a hook is given.
  static void Lend(fusion::MatchResult &view, const ge_core::fusion::MatchResult *match);
  // A match of its own.
  static std::unique_ptr<fusion::MatchResult> Copy(const ge_core::fusion::MatchResult &match,
                                                   const fusion::Pattern *pattern);
  // Null when it is made of pairs.
  static const ge_core::fusion::MatchResult *Core(const fusion::MatchResult &match);
  // Node and stream id, in the order in which they were set.
  static std::vector<std::string> Streams(const StreamPassContext &context);

  template <typename P>
  static ge_core::fusion::PatternMatcherConfig Config(const P &pass) {
    return Core(pass.config_.get());
  }
  static ge_core::fusion::PatternMatcherConfig Core(const fusion::PatternMatcherConfig *config) {
    if (config == nullptr) return {};
    return {config->IsEnableConstValueMatch(), config->IsEnableIrAttrMatch(), config->IsEnableCommutativeMatch()};
  }
  template <typename P>
  static const std::vector<AscendString> &OpTypes(const P &pass) {
    return pass.op_types_;
  }
  template <typename P>
  static auto Patterns(P &pass) {
    return pass.Patterns();
  }
  // What the pass is asked about: a match or a node.
  template <typename P, typename Place>
  static bool Meets(P &pass, const Place &place, CustomPassContext &context) {
    if constexpr (std::is_same_v<P, fusion::PatternFusionPass> || std::is_same_v<P, fusion::DecomposePass>) {
      return pass.MeetRequirements(place);
    } else {
      return pass.MeetRequirements(place, context);
    }
  }
  template <typename P, typename Place>
  static fusion::GraphUniqPtr Replacement(P &pass, const Place &place, CustomPassContext &context) {
    if constexpr (std::is_same_v<P, fusion::PatternFusionPass> || std::is_same_v<P, fusion::DecomposePass>) {
      return pass.Replacement(place);
    } else {
      return pass.Replacement(place, context);
    }
  }
};

// Remembers why a call of this thread failed, for the error line of the hook that it happened in, and logs it.
void NoteProblem(std::string text);
// The last one since ClearProblem.
const std::string &Problem();
void ClearProblem();
// 0, or a failure after noting its reason.
uint32_t StatusOf(const ge_core::Status &status);

}  // namespace detail
}  // namespace v1
}  // namespace ge

#endif  // GE_CXX_API_ACCESS_H_
