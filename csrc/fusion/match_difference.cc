// What a failed step of a search says to people; only asked for when a pass is explained.
#include <algorithm>
#include <cstdio>

#include "base/strings.h"
#include "formats/dump/readable.h"
#include "fusion/match_search.h"
#include "ops/op_def.h"

namespace ge::fusion {
namespace {

std::string Shown(const ir::Node& node) { return StrCat("'", node.name(), "' (", node.type().view(), ")"); }

std::string Shown(ir::Anchor a) { return StrCat("output ", a.index, " of ", Shown(*a.node)); }

std::string Shown(const ir::AttrValue* value) {
  if (value == nullptr) return "unset";
  std::string text = formats::dump::ValueText(*value);
  return text.empty() ? "empty" : text;
}

std::string Shown(const ir::Tensor* tensor) {
  if (tensor == nullptr) return "no value";
  // The text only reads the tensor.
  ir::TensorPtr borrowed(std::shared_ptr<void>(), tensor);
  return StrCat(formats::dump::ValueText(ir::AttrValue(borrowed)), " of ", ir::Name(tensor->desc.dtype), " ",
                tensor->desc.shape.ToString());
}

std::string NumberText(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

// Where two constants of one type and length differ first, if the elements can be told apart as numbers or bytes.
std::string FirstDifference(const ir::Tensor* expected, const ir::Tensor* found) {
  if (expected == nullptr || found == nullptr || expected->desc.dtype != found->desc.dtype) return {};
  std::span<const uint8_t> a = expected->data.bytes(), b = found->data.bytes();
  if (a.size() != b.size()) return {};
  size_t byte = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  if (byte == a.size()) return {};
  std::vector<double> x, y;
  if (ir::ReadNumbers(*expected, &x) && ir::ReadNumbers(*found, &y) && x.size() == y.size() && !x.empty()) {
    size_t i = byte / (a.size() / x.size());
    // As many digits as tell the two apart; 17 do for any two numbers.
    for (int digits = 7; digits <= 17; ++digits) {
      std::string left = NumberText(x[i], digits), right = NumberText(y[i], digits);
      if (left != right) return StrCat("; element ", i, " is ", right, " instead of ", left);
    }
  }
  return StrCat("; byte ", byte, " of the data is ", static_cast<int>(b[byte]), " instead of ", static_cast<int>(a[byte]));
}

std::string InputOf(const ir::Node& node, uint32_t slot) {
  const ops::OpDef* def = ops::FindOp(node.type());
  std::string name = def == nullptr ? std::string() : ops::InputSlotName(node, *def, slot);
  return StrCat("input ", slot, name.empty() ? "" : StrCat(" ('", name, "')"), " of ", Shown(node));
}

}  // namespace

std::string ShownNode(const ir::Node& node) { return Shown(node); }

std::string MatchSearch::NodeDifference(const PatternNode& p, const ir::Node& node) const {
  std::string found = StrCat("found ", Shown(node));
  if (p.role == Role::kConst) {
    if (!node.is_const()) return StrCat("expected a constant, ", found);
    return StrCat("expected the constant ", Shown(p.value), ", found ", Shown(node.const_value()), " in '", node.name(), "'",
                  FirstDifference(p.value, node.const_value()));
  }
  if (p.type != node.type()) return StrCat("expected an operator of type '", p.type.view(), "', ", found);
  if (node.num_outputs() < p.min_outputs || (p.exact_outputs && node.num_outputs() != p.node->num_outputs())) {
    return StrCat("expected ", p.exact_outputs ? p.node->num_outputs() : p.min_outputs, " outputs, found ",
                  node.num_outputs(), " at ", Shown(node));
  }
  for (uint32_t i = 0; i < node.num_inputs(); ++i) {
    bool wanted = i < p.num_inputs && p.node->input(i);
    if (node.input(i) && !wanted) {
      return StrCat("expected nothing at ", InputOf(node, i), ", found ", Shown(node.input(i)));
    }
  }
  if (p.dynamic != nullptr && !SameCounts(*p.dynamic, *p.node, node)) {
    return StrCat("expected as many elements in each dynamic input and output as the pattern has, found others at ",
                  Shown(node));
  }
  for (uint32_t i = p.attrs.begin; i < p.attrs.end; ++i) {
    const AttrCheck& check = pattern_.attr_checks[i];
    const ir::AttrValue* value = node.attrs().Find(check.name);
    if (value == nullptr) value = check.fallback;
    if (value != nullptr && check.expected != nullptr && ir::Equal(*value, *check.expected)) continue;
    if (value == nullptr && check.expected == nullptr && !check.required) continue;
    return StrCat("expected attribute '", check.name.view(), "' of ", Shown(node), " to be ", Shown(check.expected),
                  ", found ", Shown(value));
  }
  return StrCat(Shown(node), " stands for another node of the pattern already");
}

std::string MatchSearch::Difference(size_t step) const {
  const Step& s = pattern_.steps[step];
  const PatternNode& p = pattern_.nodes[s.node];
  switch (s.kind) {
    case Step::Kind::kRoot: return StrCat("no node of type '", p.type.view(), "' fits for another output");
    case Step::Kind::kOrder: return "neither order of the inputs fits";
    case Step::Kind::kForward: {
      ir::Anchor from = bound_[s.from];
      if (pattern_.nodes[s.from].role != Role::kWildcard) from.index = s.index;
      std::string found = "nothing";
      if (from.index < from.node->num_outputs()) {
        for (ir::InputSlot& use : from.node->uses(from.index)) {
          bool slot_fits = use.index() == s.slot || (s.slot < 2 && p.commutative && use.index() < 2);
          if (use.node()->type() == p.type && slot_fits) return NodeDifference(p, *use.node());
          if (found == "nothing") found = InputOf(*use.node(), use.index());
        }
      }
      return StrCat("expected ", Shown(from), " to feed input ", s.slot, " of a '", p.type.view(), "', found ", found);
    }
    case Step::Kind::kBack: break;
  }
  const ir::Node& from = *bound_[s.from].node;
  uint32_t slot = GraphSlot(bound_[s.from], s.slot);
  std::string where = slot < from.num_inputs() ? StrCat("at ", InputOf(from, slot), ": ")
                                               : StrCat("at input ", slot, " of ", Shown(from), ": ");
  ir::Anchor source = slot < from.num_inputs() ? from.input(slot) : ir::Anchor();
  if (!source) return StrCat(where, "expected something, found nothing connected");
  if (p.role == Role::kWildcard) {
    return StrCat(where, "expected ", Shown(bound_[s.node]), ", which input ", p.data_index, " of the pattern stands for, found ",
                  Shown(source));
  }
  if (s.bound && bound_[s.node].node != source.node) {
    return StrCat(where, "expected ", Shown(*bound_[s.node].node), ", found ", Shown(source));
  }
  if (p.role == Role::kOp && p.type == source.node->type() && source.index != s.index) {
    return StrCat(where, "expected output ", s.index, " of a '", p.type.view(), "', found ", Shown(source));
  }
  return StrCat(where, NodeDifference(p, *source.node));
}

std::string MatchSearch::ExtraConsumer() const {
  for (const InnerUses& inner : pattern_.inner_uses) {
    const ir::Node* node = bound_[inner.node].node;
    for (uint32_t o = 0; o < node->num_outputs(); ++o) {
      uint32_t expected = o < inner.num_outputs ? pattern_.use_counts[inner.first + o] : 0;
      if (node->num_uses(o) == expected) continue;
      for (ir::InputSlot& use : node->uses(o)) {
        bool inside = false;
        for (size_t i = 0; i < bound_.size(); ++i) {
          inside = inside || (pattern_.nodes[i].role == Role::kOp && bound_[i].node == use.node());
        }
        if (inside) continue;
        return StrCat("output ", o, " of ", Shown(*node), ", which lies inside the pattern, also feeds ",
                      Shown(*use.node()), "; make it an output of the pattern if it should stay");
      }
    }
  }
  return "a tensor inside the pattern is used more often than in the pattern";
}

void MatchSearch::NoteMiss(size_t step) {
  // Of several ways that got equally far the first is told: operands stand as in the pattern there.
  size_t progress = step + 1;
  if (progress <= miss_->progress) return;
  size_t fitted = 0;
  // A step binds a node unless it meets one that is bound already; steps bind in order.
  for (size_t i = 0; i < step; ++i) {
    const Step& s = pattern_.steps[i];
    bool binds = s.kind != Step::Kind::kOrder && !(s.kind == Step::Kind::kBack && s.bound);
    if (binds && pattern_.nodes[s.node].role != Role::kWildcard) ++fitted;
  }
  miss_->progress = progress;
  miss_->fitted = fitted;
  miss_->reason = step == pattern_.steps.size() ? ExtraConsumer() : Difference(step);
}

}  // namespace ge::fusion
