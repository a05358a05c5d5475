#include "abi3_bridge/custom_op_bridge/meta_values.h"

#include "abi3_bridge/lease.h"
#include "abi3_bridge/native/convert.h"
#include "custom_op/precise_float.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;
namespace {

nb::object ToPython(int64_t v) { return nb::int_(v); }
nb::object ToPython(double v) { return nb::float_(v); }
nb::object ToPython(bool v) { return nb::bool_(v); }
nb::object ToPython(const std::string& v) { return bridge::NewText(v); }
nb::object ToPython(ir::DataType v) { return bridge::Member(v); }
template <typename T>
nb::object ToPython(const std::vector<T>& values) {
  nb::list out;
  for (const auto& v : values) out.append(ToPython(static_cast<const T&>(v)));
  return out;
}

nb::object ToPython(const ir::TensorPtr& value) {
  if (value == nullptr) return nb::none();
  gert::Tensor tensor = custom_op::ConstTensor(value);
  return nb::cast(bridge::Held<gert::Tensor>(std::move(tensor)), nb::rv_policy::move);
}

template <typename T, typename... Ts>
inline constexpr bool kOneOf = (std::is_same_v<T, Ts> || ...);
// The kinds that a prototype's attribute can have, but for floats.
template <typename T>
inline constexpr bool kHasForm =
    kOneOf<T, int64_t, bool, std::string, ir::DataType, ir::TensorPtr, std::vector<int64_t>, std::vector<bool>,
           std::vector<std::string>, std::vector<ir::DataType>, std::vector<std::vector<int64_t>>>;

nb::object Value(const custom_op::NodeInfo& node, size_t i) {
  const ir::AttrValue& value = *node.attrs[i];
  if (const auto* v = std::get_if<float>(&value)) return ToPython(custom_op::PreciseFloat(node, i, *v));
  if (const auto* v = std::get_if<std::vector<float>>(&value)) return ToPython(custom_op::PreciseFloats(node, i, *v));
  return std::visit(
      [&](const auto& v) -> nb::object {
        if constexpr (kHasForm<std::decay_t<decltype(v)>>) {
          return ToPython(v);
        } else {
          bridge::RaiseRuntimeError(
              StrCat("attribute '", node.def->attrs()[i].name.view(), "' of node '", node.name, "' has no Python form"));
        }
      },
      value);
}

}  // namespace

nb::dict AttrsByName(const custom_op::NodeInfo& node) {
  nb::dict attrs;
  for (size_t i = 0; i < node.attrs.size(); ++i) {
    const ir::Symbol name = node.def->attrs()[i].name;
    if (node.attrs[i] == nullptr)
      bridge::RaiseRuntimeError(StrCat("attribute '", name.view(), "' of node '", node.name, "' is required and not set"));
    attrs[bridge::NewText(name)] = Value(node, i);
  }
  return attrs;
}

}  // namespace ge::custom_op_bridge
