// Attribute names that files of GE's IR give a meaning, and those under which this reader keeps what the graph has no
// place for. Passes may copy them, never need them.
#ifndef GE_FORMATS_AIR_NAMES_H_
#define GE_FORMATS_AIR_NAMES_H_

#include <string_view>

#include "ir/symbol.h"

namespace ge::formats::air {

// In the attributes of a TensorDescriptor.
struct DescNames {
  ir::Symbol origin_format{"origin_format"}, origin_format_for_int{"origin_format_for_int"};
  ir::Symbol format_for_int{"format_for_int"};
  ir::Symbol origin_shape{"origin_shape"}, origin_shape_initialized{"origin_shape_initialized"};
  // Name of the tensor in the source model.
  ir::Symbol tensor_name{"_origin_output_tensor_name"};
  // Names of the dims; "" for those without. The format itself knows only that a dim is unknown.
  ir::Symbol dim_names{"_dim_names"}, origin_dim_names{"_origin_dim_names"};
  // The source model declared type and shape of the tensor.
  ir::Symbol declared{"_declared_in_model"};
  ir::Symbol fields{"_ge_proto_fields"};  // other fields of the message, as they lie in the file
};

// In the attributes of nodes and graphs.
struct NodeNames {
  ir::Symbol input_name_key{"_input_name_key"}, input_name_value{"_input_name_value"};
  ir::Symbol output_name_key{"_output_name_key"}, output_name_value{"_output_name_value"};
  ir::Symbol opt_input{"_opt_input"}, ir_attr_names{"_ir_attr_names"};
  ir::Symbol ir_inputs_key{"_ir_inputs_key"}, ir_inputs_value{"_ir_inputs_value"};
  ir::Symbol ir_outputs_key{"_ir_outputs_key"}, ir_outputs_value{"_ir_outputs_value"};
  // Slots of the node's subgraphs where these are not the ones its operator declares.
  ir::Symbol subgraph_slots{"_subgraph_slots"};
  // Symbolic shapes, as they lie in the file (field attr_groups).
  ir::Symbol attr_groups{"_attr_groups"};
  // The only entry of a NamedAttrs that stands for a symbolic expression, and the name of one that has a name.
  ir::Symbol expression{"_expression"}, named_attrs_name{"_named_attrs_name"};
  // In dumps: for each entry of `input`, which place that edge has among those that leave the same output.
  ir::Symbol consumer_places{"_src_out_peer_index_for_ge_txt_load"};
  // What dumps without data leave out beside the values of constants: what the source model said of a node.
  ir::Symbol node_def{"node_def"}, op_def{"op_def"}, func_def{"func_def"};
  // In a subgraph: which input of the owning node a Data stands for, which output an input of NetOutput.
  ir::Symbol parent_node_index{"_parent_node_index"};
  // In the attributes of a model: what the ONNX model had beside its graph.
  ir::Symbol onnx_model{"_onnx_model"};
  // Where the content of a FileConstant lies.
  ir::Symbol location{"location"}, offset{"offset"}, length{"length"};
};

const DescNames& DescAttrs();
const NodeNames& NodeAttrs();
// Written from the operator's definition at save time, with val_type 0, and dropped again at load.
bool IsIndexMetadata(ir::Symbol name);

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_NAMES_H_
