// Attributes under which the ONNX format keeps what GE nodes have no place for. Passes may copy them, never need them.
#ifndef GE_FORMATS_ONNX_PRIVATE_ATTRS_H_
#define GE_FORMATS_ONNX_PRIVATE_ATTRS_H_

#include "ir/symbol.h"

namespace ge::formats::onnx {

struct PrivateAttrs {
  // [GE name, ONNX name]: the node got another name because its own was empty or taken.
  ir::Symbol renamed{"_onnx_name"};
  // The ONNX operator a node came from where its GE type has several.
  ir::Symbol origin{"_onnx_op"};
  // The domain of an opaque node if there are colons in it, which end a domain otherwise.
  ir::Symbol domain{"_onnx_domain"};
  // Names of GE attributes set to the ONNX default because the node left them out.
  ir::Symbol defaulted{"_onnx_defaulted"};
  // Names of attributes that ONNX alone knows.
  ir::Symbol extras{"_onnx_attributes"};
  // NodeProto fields without a meaning for GE, as protobuf bytes.
  ir::Symbol node_fields{"_onnx_node_fields"};
  // Outer tensors used by the node's subgraphs: the last inputs of the node, by these names.
  ir::Symbol captures{"_onnx_captures"};
  // A Const that was a Constant node: the attribute that held its value.
  ir::Symbol constant{"_onnx_constant"};
  // TensorProto fields without a meaning for GE.
  ir::Symbol tensor_fields{"_onnx_tensor_fields"};
  // Number of an element type that GE lacks.
  ir::Symbol elem_type{"_onnx_elem_type"};
  // A Const that is also a graph input: its place among them.
  ir::Symbol input_position{"_onnx_input_position"};
  // A ValueInfoProto that a TensorDesc cannot hold.
  ir::Symbol value_info{"_onnx_value_info"};
  // The tensor that fed an input which is an attribute of the GE node; its Const stays in the graph.
  ir::Symbol axes_tensor{"_onnx_axes"};
  // A Const without consumers in the source model.
  ir::Symbol unused{"_onnx_unused"};
  // A SparseTensorProto among the initializers.
  ir::Symbol sparse{"_onnx_sparse"};
  // "domain::type" of a node that a plugin has mapped, its attributes (AttributeProtos), and what the plugin made of them.
  ir::Symbol plugin_origin{"_onnx_plugin_origin"};
  ir::Symbol plugin_attributes{"_onnx_plugin_attributes"};
  ir::Symbol plugin_result{"_onnx_plugin_result"};
  // On NetOutput: names of the graph outputs.
  ir::Symbol output_names{"_onnx_output_names"};
};
const PrivateAttrs& Private();

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_PRIVATE_ATTRS_H_
