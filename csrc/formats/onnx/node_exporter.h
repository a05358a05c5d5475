// Writes one GE node as ONNX nodes; what the export halves of the mapping rules work with.
#ifndef GE_FORMATS_ONNX_NODE_EXPORTER_H_
#define GE_FORMATS_ONNX_NODE_EXPORTER_H_

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/onnx/graph_exporter.h"
#include "formats/onnx/mapping.h"

namespace ge::formats::onnx {

class NodeExporter {
 public:
  explicit NodeExporter(GraphExporter* graph) : g_(*graph) {}
  Status Export(const ir::Node& node);
  // A node outside the rules, such as an Identity that gives an output its name.
  void WriteExtra(std::string_view op_type, std::string_view base_name, std::string_view input,
                  std::string_view output);

  // ---- the GE node ---------------------------------------------------------------------------------------------------
  const ir::Node& node() const { return *node_; }
  int64_t opset() const { return g_.opset(); }
  bool has(uint32_t slot) const { return slot < node_->num_inputs() && node_->input(slot); }
  const ir::TensorDesc& desc(uint32_t slot) const { return node_->input_desc(slot); }
  // Its value if a Const feeds the slot; null otherwise.
  const ir::Tensor* Const(uint32_t slot) const;
  // Integers of the Const that feeds the slot; false if there is none.
  bool ConstInts(uint32_t slot, std::vector<int64_t>* out) const;
  // The attribute, else the default of the GE operator, else `absent`.
  int64_t Int(std::string_view name, int64_t absent) const;
  bool Bool(std::string_view name, bool absent) const;
  float Float(std::string_view name, float absent) const;
  std::string String(std::string_view name, std::string_view absent) const;
  std::vector<int64_t> Ints(std::string_view name) const;
  bool HasAttr(std::string_view name) const { return node_->attrs().Find(ir::Symbol(name)) != nullptr; }
  // Whether the GE attribute (or input) stands for an ONNX one that was left out.
  bool Defaulted(std::string_view ge_name) const;
  // The domain in which the model had nodes of that custom operator; "" if it had none.
  std::string_view NotedDomain(ir::Symbol type) const { return g_.NotedDomain(type.view()); }
  // Whether the node came from this ONNX operator.
  bool CameFrom(std::string_view onnx_op) const;
  // The error of a node that ONNX cannot express.
  Status Fail(std::string_view why) const;

  // ---- tensors: made before the node that uses them is begun -------------------------------------------------------------
  // Name of the tensor that feeds the slot; "" if not connected.
  std::string_view In(uint32_t slot);
  // As In, converted to another element type if need be (constants at once, other tensors by a Cast).
  std::string_view InAs(uint32_t slot, ir::DataType type);
  std::string_view InInt64(uint32_t slot) { return InAs(slot, ir::DataType::kInt64); }
  std::string_view Out(uint32_t i = 0) { return g_.OutputName(*node_, i, true); }
  // Empty if nothing reads the output and the model gave it no name.
  std::string_view OutIfUsed(uint32_t i, bool required) { return g_.OutputName(*node_, i, required); }
  // A list of int64 that was the tensor `name` in the source model: that Const if it still holds the values, or a new
  // one.
  std::string_view OldConst(std::string_view name, const std::vector<int64_t>& values);
  std::string_view NewConst(std::string_view suffix, ir::TensorPtr value);
  // A scalar of the element type of input `like`.
  std::string_view NewScalar(std::string_view suffix, double value, ir::DataType type);
  std::string_view Temp(std::string_view suffix);

  // ---- writing: Begin, attributes, End -----------------------------------------------------------------------------------
  // The ONNX node that stands for the GE node: its name, kept attributes and fields.
  void Begin(std::string_view op_type, std::span<const std::string_view> inputs,
             std::span<const std::string_view> outputs);
  void Begin(std::string_view op_type, std::initializer_list<std::string_view> inputs) {
    std::string_view out = Out();
    Begin(op_type, std::span(inputs.begin(), inputs.size()), std::span(&out, 1));
  }
  // The same for an operator of another domain.
  void BeginIn(std::string_view domain, std::string_view op_type, std::span<const std::string_view> inputs,
               std::span<const std::string_view> outputs);
  // A helper node beside it, called <name>_<suffix>.
  void BeginHelper(std::string_view suffix, std::string_view op_type, std::initializer_list<std::string_view> inputs,
                   std::string_view output);
  void WriteInt(std::string_view name, int64_t value);
  void WriteFloat(std::string_view name, float value);
  void WriteString(std::string_view name, std::string_view value);
  void WriteInts(std::string_view name, std::span<const int64_t> values);
  void WriteFloats(std::string_view name, std::span<const float> values);
  void WriteTensor(std::string_view name, const ir::Tensor& value);
  void WriteValue(std::string_view name, const ir::AttrValue& value);
  // Attributes by rule. An error if a value has no ONNX form.
  Status WriteRules(const std::vector<AttrRule>& rules);
  void End();
  // All of it for an operator that a row describes.
  Status ExportRow(const OpRow& row);

 private:
  void Open(std::string_view op_type, std::string_view domain, std::string_view name,
            std::span<const std::string_view> inputs, std::span<const std::string_view> outputs);
  std::string_view OnnxName() const;
  Status Require(const FixedAttr& fixed, std::string_view onnx_op) const;
  Status ExportOpaque();
  Status ExportConstant();

  GraphExporter& g_;
  const ir::Node* node_ = nullptr;
  bool main_ = false;
  std::string_view op_type_, domain_;
  wire::Writer::Mark mark_{};
  std::vector<std::string_view> inputs_, outputs_;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_NODE_EXPORTER_H_
