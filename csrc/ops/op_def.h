// Operator definitions: the facts of one GE operator and how its outputs follow from its inputs.
#ifndef GE_OPS_OP_DEF_H_
#define GE_OPS_OP_DEF_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"
#include "ops/type_set.h"

namespace ge::ops {

class InferContext;
using InferFn = Status (*)(InferContext&);

enum class IoKind : uint8_t { kRequired, kOptional, kDynamic };
enum class AttrType : uint8_t {
  kInt, kFloat, kBool, kString, kType, kTensor, kListInt, kListFloat, kListBool, kListString, kListType, kListListInt,
};
enum class SubgraphKind : uint8_t { kStatic, kDynamic };

struct IoDef {
  ir::Symbol name;
  IoKind kind = IoKind::kRequired;
  // Element types the operator accepts.
  TypeSet dtypes;
};

struct AttrDef {
  ir::Symbol name;
  AttrType type = AttrType::kInt;
  bool required = false;
  ir::AttrValue default_value;  // monostate when required
};

struct SubgraphDef {
  ir::Symbol name;
  SubgraphKind kind = SubgraphKind::kStatic;
};

// One operator. Built with the chained setters in the family files, read-only afterwards.
class GE_API OpDef {
 public:
  OpDef(std::string_view type, std::string_view es_group) : type_(type), es_group_(es_group) {}

  OpDef& Input(std::string_view name, TypeSet dtypes = {});
  OpDef& OptionalInput(std::string_view name, TypeSet dtypes = {});
  OpDef& DynamicInput(std::string_view name, TypeSet dtypes = {});
  OpDef& Output(std::string_view name, TypeSet dtypes = {});
  OpDef& DynamicOutput(std::string_view name, TypeSet dtypes = {});
  OpDef& RequiredAttr(std::string_view name, AttrType type);
  OpDef& Attr(std::string_view name, AttrType type, ir::AttrValue default_value);
  // Attributes with a default, in short form.
  OpDef& IntAttr(std::string_view name, int64_t default_value);
  OpDef& FloatAttr(std::string_view name, float default_value);
  OpDef& BoolAttr(std::string_view name, bool default_value);
  OpDef& StringAttr(std::string_view name, std::string_view default_value);
  OpDef& TypeAttr(std::string_view name, ir::DataType default_value);
  OpDef& TensorAttr(std::string_view name);  // the default is a null tensor
  OpDef& IntsAttr(std::string_view name, std::vector<int64_t> default_value = {});
  OpDef& FloatsAttr(std::string_view name, std::vector<float> default_value = {});
  OpDef& BoolsAttr(std::string_view name, std::vector<bool> default_value = {});
  OpDef& StringsAttr(std::string_view name, std::vector<std::string> default_value = {});
  OpDef& TypesAttr(std::string_view name, std::vector<ir::DataType> default_value = {});
  OpDef& IntListsAttr(std::string_view name, std::vector<std::vector<int64_t>> default_value = {});
  OpDef& Subgraph(std::string_view name, SubgraphKind kind = SubgraphKind::kStatic);
  // f(a, b) == f(b, a) for the first two inputs.
  OpDef& Commutative();
  // Dims of the result stand elsewhere than in the inputs, so that it does not have their format.
  OpDef& MovesDims();
  OpDef& Infer(InferFn fn);

  ir::Symbol type() const { return type_; }
  // "math", "nn", "cv", "transformer", "legacy": the ge.es module that offers it (legacy: ge.es.all only).
  std::string_view es_group() const { return es_group_; }
  const std::vector<IoDef>& inputs() const { return inputs_; }
  const std::vector<IoDef>& outputs() const { return outputs_; }
  const std::vector<AttrDef>& attrs() const { return attrs_; }
  const std::vector<SubgraphDef>& subgraphs() const { return subgraphs_; }
  bool commutative() const { return commutative_; }
  bool moves_dims() const { return moves_dims_; }
  InferFn infer() const { return infer_; }  // null: outputs are left as they are
  const AttrDef* FindAttr(ir::Symbol name) const;
  bool has_dynamic_input() const { return dynamic_inputs_ > 0; }
  bool has_dynamic_output() const { return dynamic_outputs_ > 0; }

 private:
  ir::Symbol type_;
  std::string_view es_group_;
  uint32_t dynamic_inputs_ = 0;
  uint32_t dynamic_outputs_ = 0;
  std::vector<IoDef> inputs_, outputs_;
  std::vector<AttrDef> attrs_;
  std::vector<SubgraphDef> subgraphs_;
  bool commutative_ = false;
  bool moves_dims_ = false;
  InferFn infer_ = nullptr;
};

// The definition of that type, or null. The registry is filled at the first call; thread-safe.
GE_API const OpDef* FindOp(ir::Symbol type);
// All definitions, sorted by type name.
GE_API const std::vector<const OpDef*>& AllOps();
// The definitions of one es_group, sorted by type name.
GE_API std::vector<const OpDef*> OpsOfGroup(std::string_view es_group);

// Grows whenever definitions are added, overridden or taken back.
GE_API uint64_t RegistryVersion();

// Adds operators from prototypes of a user, all of them or none; thread-safe, and readers are not held up. An operator that
// is defined already keeps its definition; an error if it would be called differently. `es_group` must outlive the process.
GE_API Status AddUserOps(std::vector<OpDef> defs);

// Puts definitions in the place of those of their types, or beside the others; thread-safe, and readers are not held up.
// They must outlive the process, as whoever found one keeps it. RestoreOps takes them back: what they replaced is there
// again; types that are not overridden are ignored.
GE_API void OverrideOps(std::span<const OpDef* const> defs);
GE_API void RestoreOps(std::span<const ir::Symbol> types);

// Slots [first, first + count) of `node` that belong to the IR input number `input`. Slots of a node follow the IR
// order; required and optional inputs have one slot each, a dynamic input as many as are left over (with several
// dynamic inputs the counts are in the node's ListInt attribute "_dynamic_input_counts", in IR order).
struct SlotRange {
  uint32_t first = 0;
  uint32_t count = 0;
};
GE_API SlotRange InputSlots(const ir::Node& node, const OpDef& def, size_t input);
// "x1", or "x0", "x1", ... for the elements of a dynamic input x; "" past the definition.
GE_API std::string InputSlotName(const ir::Node& node, const OpDef& def, uint32_t slot);

// The attribute as set on the node, else its declared default; null when neither exists or it is of another kind.
template <typename T>
const T* AttrOrDefault(const ir::Node& node, const OpDef& def, ir::Symbol name) {
  if (const ir::AttrValue* v = node.attrs().Find(name)) return std::get_if<T>(v);
  const AttrDef* a = def.FindAttr(name);
  return a ? std::get_if<T>(&a->default_value) : nullptr;
}

}  // namespace ge::ops

#endif  // GE_OPS_OP_DEF_H_
