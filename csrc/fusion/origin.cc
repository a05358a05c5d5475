#include "fusion/origin.h"

#include <algorithm>

#include "fusion/inherited_attrs.h"

namespace ge::fusion {
namespace {

using Rule = InheritedAttr::Rule;

constexpr size_t kMaxJoinedNames = 120;
// Lists of origins stop growing here: a chain that is fused step by step would copy ever longer ones otherwise.
constexpr size_t kMaxOrigins = 128;

const std::vector<InheritedAttr>& Table() {
  static const auto* table = new std::vector<InheritedAttr>{
      {ir::Symbol("_user_stream_label"), Rule::kAgree},
      {ir::Symbol("_super_kernel_scope"), Rule::kAgree},
      {ir::Symbol("_super_kernel_options"), Rule::kAgree},
      {ir::Symbol("_op_aicore_num"), Rule::kAgree},
      {ir::Symbol("_op_vectorcore_num"), Rule::kAgree},
      {ir::Symbol("_deterministic"), Rule::kAgree, 1},
      {ir::Symbol("_deterministic_level"), Rule::kAgree, 3},
      {ir::Symbol("_op_compile_strategy"), Rule::kFirst},
      {ir::Symbol("_keep_dtype"), Rule::kNonZero},
      {ir::Symbol("_op_debug_compile"), Rule::kFirst},
      {ir::Symbol("_op_custom_impl_mode_enum"), Rule::kPrecision},
      {ir::Symbol("_parallel_group_id"), Rule::kHeavyOps},
      {ir::Symbol("_backward"), Rule::kTrue},
      {ir::Symbol("_recompute"), Rule::kTrue},
      {ir::Symbol("_optimizer"), Rule::kTrue},
  };
  return *table;
}

// Indexed by symbol id. Symbols made later are none of these.
const std::vector<bool>& FrameworkSymbols() {
  static const auto* marks = [] {
    auto* m = new std::vector<bool>;
    auto mark = [m](ir::Symbol s) {
      if (s.id() >= m->size()) m->resize(s.id() + 1);
      (*m)[s.id()] = true;
    };
    for (const InheritedAttr& a : Table()) mark(a.name);
    const ir::CommonSymbols& c = ir::Common();
    for (ir::Symbol s : {c.pass_name, c.original_op_names, c.original_op_types}) mark(s);
    return m;
  }();
  return *marks;
}

bool IsHeavy(ir::Symbol type) {
  static const ir::Symbol types[] = {ir::Symbol("MatMul"),        ir::Symbol("MatMulV2"),    ir::Symbol("MatMulV3"),
                                     ir::Symbol("BatchMatMul"),   ir::Symbol("BatchMatMulV2"),
                                     ir::Symbol("BatchMatMulV3"), ir::Symbol("GEMM"),        ir::Symbol("Conv2D"),
                                     ir::Symbol("Conv2DV2"),      ir::Symbol("Conv3D"),
                                     ir::Symbol("Conv2DTranspose"), ir::Symbol("FullyConnection")};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

int PrecisionRank(int64_t mode) {
  static constexpr int64_t order[] = {0x40, 0x20, 0x4, 0x2, 0x10, 0x8};
  return static_cast<int>(std::find(std::begin(order), std::end(order), mode) - std::begin(order));
}

bool Counts(const InheritedAttr& attr, const ir::AttrValue& value) {
  if (attr.rule == Rule::kNonZero) {
    const auto* i = std::get_if<int64_t>(&value);
    const auto* b = std::get_if<bool>(&value);
    return (i && *i != 0) || (b && *b);
  }
  if (attr.rule == Rule::kTrue) {
    const auto* b = std::get_if<bool>(&value);
    return b && *b;
  }
  return true;
}

void AppendList(const ir::Node& node, ir::Symbol attr, std::vector<std::string>* out) {
  const auto* list = node.attr<std::vector<std::string>>(attr);
  if (list == nullptr) return;
  for (const std::string& s : *list) {
    if (out->size() >= kMaxOrigins) return;
    out->push_back(s);
  }
}

}  // namespace

std::span<const InheritedAttr> InheritedAttrs() { return Table(); }

bool HasFrameworkAttrs(const ir::Node& node) {
  const std::vector<bool>& marks = FrameworkSymbols();
  for (const auto& entry : node.attrs()) {
    if (entry.first.id() < marks.size() && marks[entry.first.id()]) return true;
  }
  return false;
}

void Origin::Collect(std::span<ir::Node* const> old_nodes, std::string_view pass_name) {
  const ir::CommonSymbols& c = ir::Common();
  names_.clear();
  types_.clear();
  passes_.clear();
  inherited_.clear();
  precisions_.clear();
  group_ = std::monostate();
  names_.reserve(old_nodes.size());
  types_.reserve(old_nodes.size());
  bool any = false;
  for (const ir::Node* n : old_nodes) {
    bool framework = HasFrameworkAttrs(*n);
    any = any || framework;
    size_t before = names_.size();
    if (framework) {
      AppendList(*n, c.original_op_names, &names_);
      AppendList(*n, c.original_op_types, &types_);
      AppendList(*n, c.pass_name, &passes_);
    }
    if (names_.size() == before && names_.size() < kMaxOrigins) {
      names_.emplace_back(n->name());
      types_.emplace_back(n->type().view());
    }
  }
  // The same pass again adds nothing.
  if (!pass_name.empty()) passes_.emplace_back(pass_name);
  passes_.erase(std::unique(passes_.begin(), passes_.end()), passes_.end());
  JoinNames(old_nodes);
  if (any) CollectInherited(old_nodes);
}

void Origin::JoinNames(std::span<ir::Node* const> old_nodes) {
  joined_.clear();
  for (const ir::Node* n : old_nodes) {
    if (!joined_.empty()) joined_.push_back('_');
    joined_.append(n->name());
    if (joined_.size() > kMaxJoinedNames) break;
  }
  if (joined_.size() <= kMaxJoinedNames) return;
  size_t end = kMaxJoinedNames;
  while (end > 0 && (joined_[end] & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
  joined_.resize(end);
}

void Origin::CollectInherited(std::span<ir::Node* const> old_nodes) {
  for (const InheritedAttr& attr : InheritedAttrs()) {
    for (const ir::Node* n : old_nodes) {
      const ir::AttrValue* value = n->attrs().Find(attr.name);
      if (value == nullptr || !Counts(attr, *value)) continue;
      if (attr.rule == Rule::kPrecision) {
        if (const auto* mode = std::get_if<int64_t>(value)) precisions_.emplace_back(n->name(), *mode);
        continue;
      }
      if (attr.rule == Rule::kHeavyOps) {
        group_ = *value;
      } else {
        inherited_.emplace_back(attr.name, *value);
      }
      break;
    }
  }
}

template <typename Set>
void Origin::ForEachAttr(const ir::Node& node, Set set) const {
  const ir::CommonSymbols& c = ir::Common();
  if (!passes_.empty()) set(c.pass_name, ir::AttrValue(passes_));
  set(c.original_op_names, ir::AttrValue(names_));
  set(c.original_op_types, ir::AttrValue(types_));
  if (inherited_.empty() && precisions_.empty() && group_.index() == 0) return;
  for (const auto& [name, value] : inherited_) {
    if (node.attrs().Find(name) == nullptr) set(name, value);
  }
  static const ir::Symbol group("_parallel_group_id");
  static const ir::Symbol precision("_op_custom_impl_mode_enum");
  if (group_.index() != 0 && IsHeavy(node.type()) && node.attrs().Find(group) == nullptr) set(group, group_);
  if (precisions_.empty() || node.attrs().Find(precision) != nullptr) return;
  auto best = std::min_element(precisions_.begin(), precisions_.end(), [&](const auto& a, const auto& b) {
    return std::make_pair(a.first != node.name(), PrecisionRank(a.second)) <
           std::make_pair(b.first != node.name(), PrecisionRank(b.second));
  });
  set(precision, ir::AttrValue(best->second));
}

void Origin::ApplyToNew(ir::Graph& graph, ir::Node* node) const {
  ir::AttrMap& attrs = graph.NewNodeAttrs(node);
  ForEachAttr(*node, [&](ir::Symbol name, ir::AttrValue value) { attrs.Set(name, std::move(value)); });
}

void Origin::Apply(ir::Graph& graph, ir::Node* node) const {
  ForEachAttr(*node, [&](ir::Symbol name, ir::AttrValue value) { graph.SetAttr(node, name, std::move(value)); });
}

}  // namespace ge::fusion
