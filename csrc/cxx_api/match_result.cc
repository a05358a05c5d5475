#include <optional>

#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace fusion {

// Lent (`match` belongs to somebody else), a copy (`match` is `copy`), or made of pairs (`match` is null).
struct MatchResult::Data {
  const ge_core::fusion::MatchResult *match = nullptr;
  std::optional<ge_core::fusion::MatchResult> copy;
  cxx_api::MatchPairs pairs;
  const ge_core::fusion::Pattern *pattern = nullptr;
  // Made when asked for.
  std::optional<Graph> graph;

  ge_core::Result<ge_core::fusion::SubgraphBoundary> Boundary() const {
    if (match != nullptr) return match->ToBoundary();
    if (pattern == nullptr) return ge_core::Status::Error("the match has no pattern");
    return pairs.ToBoundary(*pattern);
  }
};

MatchResult::MatchResult(const Pattern *pattern) : data_(std::make_unique<Data>()) {
  if (pattern != nullptr) data_->pattern = &Access::Core(*pattern);
}

MatchResult::~MatchResult() = default;

MatchResult::MatchResult(const MatchResult &other) : data_(std::make_unique<Data>()) { *this = other; }

MatchResult &MatchResult::operator=(const MatchResult &other) {
  if (this == &other) return *this;
  auto fresh = std::make_unique<Data>();
  if (other.data_ != nullptr) {
    *fresh = *other.data_;
    if (other.data_->match != nullptr) {
      fresh->copy = *other.data_->match;
      fresh->match = &*fresh->copy;
    }
  }
  data_ = std::move(fresh);
  return *this;
}

MatchResult::MatchResult(MatchResult &&other) noexcept = default;
MatchResult &MatchResult::operator=(MatchResult &&other) noexcept = default;

Status MatchResult::AppendNodeMatchPair(const NodeIo &pattern_node, const NodeIo &target_node) {
  if (data_->match != nullptr) return FAILED;
  return v1::detail::StatusOf(data_->pairs.Append(Access::Core(pattern_node), Access::Core(target_node)));
}

Status MatchResult::GetMatchedNode(const GNode &pattern_node, GNode &target_node) const {
  ge_core::ir::Node *node = Access::Core(pattern_node);
  if (node == nullptr) return FAILED;
  ge_core::ir::Node *target =
      data_->match != nullptr ? data_->match->MatchedNode(node) : data_->pairs.Bound(node).node;
  if (target == nullptr) return FAILED;
  target_node = Access::Make(target);
  return SUCCESS;
}

std::vector<GNode> MatchResult::GetMatchedNodes() const {
  std::vector<GNode> out;
  for (ge_core::ir::Node *n : data_->match != nullptr ? data_->match->MatchedNodes() : data_->pairs.Nodes()) {
    out.push_back(Access::Make(n));
  }
  return out;
}

Status MatchResult::GetCapturedTensor(size_t index, NodeIo &tensor) const {
  if (data_->match != nullptr) {
    auto captured = data_->match->CapturedTensor(index);
    if (captured.ok()) tensor = Access::Make(captured.value());
    return v1::detail::StatusOf(captured.status());
  }
  if (data_->pattern == nullptr || index >= data_->pattern->captures().size()) return FAILED;
  ge_core::ir::Anchor capture = data_->pattern->captures()[index];
  ge_core::ir::Anchor bound = capture ? data_->pairs.Bound(capture.node) : ge_core::ir::Anchor();
  if (!bound) return FAILED;
  if (!capture.node->is_data()) bound.index = capture.index;
  tensor = Access::Make(bound);
  return SUCCESS;
}

const Graph &MatchResult::GetPatternGraph() const {
  const ge_core::fusion::Pattern *pattern = data_->match != nullptr ? &data_->match->pattern() : data_->pattern;
  ge_core::ir::GraphPtr graph = pattern == nullptr ? nullptr : pattern->graph_ptr();
  if (!data_->graph || Access::Core(*data_->graph) != graph) data_->graph = Access::Make(std::move(graph));
  return *data_->graph;
}

std::unique_ptr<SubgraphBoundary> MatchResult::ToSubgraphBoundary() const {
  auto boundary = data_->Boundary();
  if (v1::detail::StatusOf(boundary.status()) != SUCCESS) return nullptr;
  return std::make_unique<SubgraphBoundary>(Access::Make(boundary.value()));
}

AscendString MatchResult::ToAscendString() const {
  if (data_->match != nullptr) return Access::Text(data_->match->ToString());
  std::string text = data_->pattern == nullptr ? std::string() : data_->pattern->graph().name();
  for (const auto &[pattern, target] : data_->pairs.pairs()) {
    text += ge_core::StrCat(" (", pattern.node->type().view(), ":", target.node->name(), ")");
  }
  return Access::Text(text);
}

}  // namespace fusion

namespace detail {

void Access::Lend(fusion::MatchResult &view, const ge_core::fusion::MatchResult *match) {
  // A hook may have moved from the last one.
  if (view.data_ == nullptr) view = fusion::MatchResult(nullptr);
  view.data_->match = match;
}

std::unique_ptr<fusion::MatchResult> Access::Copy(const ge_core::fusion::MatchResult &match,
                                                  const fusion::Pattern *pattern) {
  auto made = std::make_unique<fusion::MatchResult>(pattern);
  made->data_->copy = match;
  made->data_->match = &*made->data_->copy;
  return made;
}

const ge_core::fusion::MatchResult *Access::Core(const fusion::MatchResult &match) { return match.data_->match; }

}  // namespace detail
}  // namespace v1
}  // namespace ge
