// Turns one ONNX node into GE nodes; what the import halves of the mapping rules work with.
//
// A rule first checks and takes everything (Arity, Int, Rules, ..., Rest) and only then creates nodes, so that a node it
// cannot keep exactly stays untouched and becomes opaque.
#ifndef GE_FORMATS_ONNX_NODE_IMPORTER_H_
#define GE_FORMATS_ONNX_NODE_IMPORTER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/onnx/graph_importer.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_view.h"

namespace ge::formats::onnx {

class NodeImporter {
 public:
  explicit NodeImporter(GraphImporter* graph) : g_(*graph) {}
  Status Import(const NodeView& view);

  // ---- the ONNX node -------------------------------------------------------------------------------------------------
  const NodeView& view() const { return *view_; }
  int64_t opset() const { return g_.opset(); }
  // Inputs and outputs without empty ones at the end.
  size_t num_inputs() const { return num_inputs_; }
  size_t num_outputs() const { return num_outputs_; }
  bool has_input(size_t i) const { return i < num_inputs_ && !view_->inputs[i].empty(); }
  // Whether the first `required` inputs are there, there are at most `max` and at most `max_outputs` outputs.
  bool Arity(size_t required, size_t max, size_t max_outputs = 1) const;
  // What the producer of input `i` says about it; null if not read yet.
  const ir::TensorDesc* Desc(size_t i) const;
  // Value of input `i` if a Const feeds it; null otherwise.
  const ir::Tensor* ConstInput(size_t i) const;

  // Integers of the Const that feeds input `i`, for an attribute of the GE node. False if they could change (an
  // initializer that is a graph input) or are no list of int64.
  bool FixedInts(size_t i, std::vector<int64_t>* out) const;
  // That Const is written again only where the attribute's export reads it.
  void NoteFolded(size_t i) { g_.NoteFolded(g_.Producer(view_->inputs[i]).node); }

  // ---- attributes: each call marks one as taken; false if it is there in another kind ---------------------------------
  bool Int(std::string_view name, int64_t absent, int64_t* out);
  bool Float(std::string_view name, float absent, float* out);
  bool String(std::string_view name, std::string_view absent, std::string* out);
  bool Ints(std::string_view name, std::vector<int64_t>* out, bool* present);
  bool Floats(std::string_view name, std::vector<float>* out, bool* present);
  // A tensor attribute that is there.
  bool Tensor(std::string_view name, ir::AttrValue* out);
  // The same, whatever the tensor is called; its name is lost.
  bool UnnamedTensor(std::string_view name, ir::AttrValue* out);
  // True if the attribute is absent or has this value (then nothing has to be kept of it but its presence).
  bool IntIs(std::string_view name, int64_t absent, int64_t wanted);
  // By rule, into the GE node to be created. `ge_type` decides which defaults need to be written down.
  bool Rules(ir::Symbol ge_type, const std::vector<AttrRule>& rules);
  bool Rules(std::string_view ge_type, const std::vector<AttrRule>& rules) { return Rules(ir::Symbol(ge_type), rules); }
  // An attribute of the GE node to be created.
  void Set(ir::Symbol name, ir::AttrValue value) { pending_.emplace_back(name, std::move(value)); }
  void Set(std::string_view name, ir::AttrValue value) { Set(ir::Symbol(name), std::move(value)); }
  // Marks a GE attribute as standing for an absent ONNX one.
  void SetDefaulted(std::string_view ge_name) { defaulted_.emplace_back(ge_name); }
  // Keeps all attributes not taken so far under their own names. False if that is not possible for one of them.
  bool Rest();

  // As an attribute of no rule is kept; does not mark it as taken.
  bool Free(const AttrView& attr, ir::AttrValue* out) { return ConvertFreely(attr, out); }
  // Ends the import of the model with this reason, which names the node; returns false.
  bool Refuse(std::string_view why);
  int64_t OpsetOf(std::string_view domain) const { return g_.OpsetOf(domain); }
  // New nodes of this type go to the domain of this one.
  void NoteCustomDomain() { g_.NoteCustomDomain(view_->op_type, view_->domain); }

  // ---- creation ------------------------------------------------------------------------------------------------------
  // A constant for a GE input that ONNX has as an attribute.
  ir::Anchor Const(ir::TensorPtr value, std::string_view suffix);
  // The GE node with the ONNX node's name, attributes and outputs.
  ir::Node* Create(ir::Symbol ge_type, uint32_t inputs, uint32_t outputs);
  ir::Node* Create(std::string_view ge_type, uint32_t inputs, uint32_t outputs) {
    return Create(ir::Symbol(ge_type), inputs, outputs);
  }
  // Feeds a slot of the created node: with ONNX input `i` (nothing if absent), or with an anchor.
  void Connect(uint32_t slot, size_t i) {
    if (has_input(i)) g_.Use(view_->inputs[i], node_, slot);
  }
  void Connect(uint32_t slot, ir::Anchor source) { g_.graph().Connect(source, node_, slot); }
  // Slots 0 to `count` - 1 with the ONNX inputs of the same numbers.
  void ConnectInOrder(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) Connect(i, size_t{i});
  }
  ir::Graph& graph() { return g_.graph(); }
  // All of it for an operator that a row describes.
  bool ImportRow(const OpRow& row);

 private:
  const AttrView* Take(std::string_view name);
  bool ConvertByRule(const AttrRule& rule, const AttrView& attr, ir::AttrValue* out);
  bool ConvertFreely(const AttrView& attr, ir::AttrValue* out);
  bool ImportConstant();
  Status ImportOpaque();

  GraphImporter& g_;
  const NodeView* view_ = nullptr;
  size_t num_inputs_ = 0, num_outputs_ = 0;
  uint64_t taken_ = 0;  // bit per attribute
  std::vector<std::pair<ir::Symbol, ir::AttrValue>> pending_;
  std::vector<std::string> defaulted_, extras_;
  ir::Node* node_ = nullptr;
  Status status_;
  NameTable<ir::Symbol> opaque_types_;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_NODE_IMPORTER_H_
