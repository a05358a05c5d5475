// The prototype of a custom operator: inputs, attributes and outputs, as its bridge declared them.
#ifndef GE_CUSTOM_OP_PROTOTYPE_H_
#define GE_CUSTOM_OP_PROTOTYPE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "loader/custom_op_bridge_abi.h"
#include "ops/op_def.h"

namespace ge::custom_op {

// Floats as they were declared; the operator definition made of them has them in 32 bits.
using AttrDefault = std::variant<std::monostate, int64_t, double, bool, std::string, ir::DataType, std::vector<int64_t>,
                                 std::vector<double>, std::vector<bool>, std::vector<std::string>,
                                 std::vector<ir::DataType>, std::vector<std::vector<int64_t>>>;

struct PrototypeIo {
  std::string name;
  ops::IoKind kind = ops::IoKind::kRequired;
};

struct PrototypeAttr {
  std::string name;
  ops::AttrType type = ops::AttrType::kInt;
  AttrDefault default_value;  // monostate when the attribute is required

  bool required() const { return std::holds_alternative<std::monostate>(default_value); }
};

struct Prototype {
  std::string descriptor_key;
  std::string op_type;
  std::vector<PrototypeIo> inputs;
  std::vector<PrototypeAttr> attrs;
  std::vector<PrototypeIo> outputs;
};

// An owned copy of what the view lends. The error names the operator, the part of it, what was expected and found.
GE_API Result<Prototype> ParsePrototype(const PythonCustomOpProtoDescriptorView& view);

// Equal in key, type and all parts in their order. A default that is NaN is equal to one that is.
GE_API bool IsSame(const Prototype& a, const Prototype& b);

// The definition with which the operator is built, read and inferred: group "custom".
GE_API ops::OpDef MakeOpDef(const Prototype& prototype);

// Makes the operator known to the core, in place of a built-in or earlier one of that type. An error when a custom
// operator of that type has a creator already: its prototype may not change below it.
GE_API Status PublishPrototype(const Prototype& prototype);
// Takes published prototypes back; definitions that they replaced are there again. Others are ignored.
GE_API void UnpublishPrototypes(const std::vector<std::string>& op_types);
// Where the definitions of custom operators belong: the module ge.es.custom.
inline constexpr std::string_view kOpGroup = "custom";
// What is published for the type, or null. Stays good until the process ends, published or not.
GE_API const Prototype* FindPrototype(std::string_view op_type);

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_PROTOTYPE_H_
