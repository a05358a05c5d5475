// An operator as its Python function calls it, and the making of its nodes.
#ifndef GE_ABI3_BRIDGE_NATIVE_ES_OPERATOR_H_
#define GE_ABI3_BRIDGE_NATIVE_ES_OPERATOR_H_

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ops/op_def.h"

namespace ge::bridge {

struct Operator {
  const ops::OpDef* def = nullptr;
  // In the order of the signature: required ones first.
  std::vector<const ops::AttrDef*> attrs;
  // Numbers and lists of numbers are accepted beside tensors.
  bool tensor_like = false;
  size_t num_dynamic_inputs = 0;
  size_t num_dynamic_outputs = 0;
  // <Op>Output of an operator with several outputs; made by Python with the function.
  nanobind::object output_class;

  explicit Operator(const ops::OpDef* d);
  std::string_view type() const { return def->type().view(); }
};

// The kind of an attribute as Python annotates it: "List[int]".
const char* NameOf(ops::AttrType type);
bool AttrTypeOfName(std::string_view name, ops::AttrType* out);

// Sets the attributes of a new node from a tuple in the order of `Operator::attrs`. Only what differs from the declared
// default is written; required and tensor attributes always. Returns the Tensor objects that now belong to the builder.
std::vector<nanobind::handle> SetOperatorAttrs(const Operator& op, ir::Node* node, nanobind::handle values);

// Makes a node and returns its outputs as the Python function does. `inputs`, `attrs`, `counts` (of dynamic outputs) and
// `subgraphs` are tuples; what the operator does not have may be null.
nanobind::object CallOperator(const Operator& op, nanobind::handle inputs, nanobind::handle attrs,
                              nanobind::handle builder, nanobind::handle counts, nanobind::handle subgraphs);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_ES_OPERATOR_H_
