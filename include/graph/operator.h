// Operator: the description of a node that Graph::AddNodeByOp adds.
#ifndef GE_GRAPH_OPERATOR_H_
#define GE_GRAPH_OPERATOR_H_

#include <cstdint>
#include <memory>

#include "ge/export.h"
#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"

namespace ge {
inline namespace v1 {

namespace detail {
struct Access;
struct OperatorData;
}  // namespace detail

// A handle; copies mean the same description. Inputs, outputs and attribute names are those of the operator's definition; a
// type without one starts without inputs and outputs.
class GE_API Operator {
 public:
  Operator(const char *name, const char *type) : Operator(AscendString(name), AscendString(type)) {}
  Operator(const AscendString &name, const AscendString &type);

  AscendString GetName() const;
  AscendString GetOpType() const;

  // The number of elements of a dynamic input or output, before descs are set.
  Operator &DynamicInputRegister(const AscendString &name, uint32_t count);
  Operator &DynamicOutputRegister(const AscendString &name, uint32_t count);
  graphStatus UpdateInputDesc(uint32_t index, const TensorDesc &desc);
  graphStatus UpdateOutputDesc(uint32_t index, const TensorDesc &desc);
  // "x1"; "x0", "x1", ... for the elements of a dynamic one.
  graphStatus UpdateInputDesc(const AscendString &name, const TensorDesc &desc);
  graphStatus UpdateOutputDesc(const AscendString &name, const TensorDesc &desc);

  Operator &SetAttr(const AscendString &name, const AttrValue &value);
  template <typename T>
  Operator &SetAttr(const AscendString &name, const T &value) {
    AttrValue any;
    if (any.SetAttrValue(value) == GRAPH_SUCCESS) SetAttr(name, any);
    return *this;
  }
  graphStatus GetAttr(const AscendString &name, AttrValue &value) const;

 private:
  friend struct detail::Access;

  std::shared_ptr<detail::OperatorData> data_;
};

class OperatorFactory {
 public:
  static Operator CreateOperator(const char *name, const char *type) { return Operator(name, type); }
  static Operator CreateOperator(const AscendString &name, const AscendString &type) { return Operator(name, type); }
};

}  // namespace v1
}  // namespace ge

#endif  // GE_GRAPH_OPERATOR_H_
