#include "custom_op/precise_float.h"

#include <optional>

#include "base/bits.h"
#include "base/strings.h"
#include "custom_op/prototype.h"

namespace ge::custom_op {
namespace {

// A float attribute that is not a number is none in 64 bits either.
bool Narrows(double precise, float value) {
  return static_cast<float>(precise) == value || (precise != precise && value != value);
}

// The default of the prototype if the node leaves the attribute out.
const AttrDefault* DefaultOf(const NodeInfo& node, size_t attr) {
  const Prototype* prototype = FindPrototype(node.type.view());
  if (prototype == nullptr || attr >= prototype->attrs.size()) return nullptr;
  return &prototype->attrs[attr].default_value;
}

}  // namespace

ir::Symbol PreciseName(ir::Symbol attr) { return ir::Symbol(StrCat("_double_", attr.view())); }

double PreciseFloat(const NodeInfo& node, size_t attr, float value) {
  if (const auto* bits = std::get_if<int64_t>(node.precise(attr))) {
    const auto precise = BitCast<double>(*bits);
    if (Narrows(precise, value)) return precise;
  } else if (const AttrDefault* d = DefaultOf(node, attr)) {
    const auto* precise = std::get_if<double>(d);
    if (precise != nullptr && Narrows(*precise, value)) return *precise;
  }
  return static_cast<double>(value);
}

std::vector<double> PreciseFloats(const NodeInfo& node, size_t attr, const std::vector<float>& values) {
  std::vector<double> precise;
  if (const auto* bits = std::get_if<std::vector<int64_t>>(node.precise(attr))) {
    for (int64_t b : *bits) precise.push_back(BitCast<double>(b));
  } else if (const AttrDefault* d = DefaultOf(node, attr)) {
    if (const auto* list = std::get_if<std::vector<double>>(d)) precise = *list;
  }
  bool same = precise.size() == values.size();
  for (size_t i = 0; same && i < values.size(); ++i) same = Narrows(precise[i], values[i]);
  return same ? precise : std::vector<double>(values.begin(), values.end());
}

}  // namespace ge::custom_op
