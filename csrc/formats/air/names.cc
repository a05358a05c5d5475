#include "formats/air/names.h"

namespace ge::formats::air {

const DescNames& DescAttrs() {
  static const DescNames names;
  return names;
}

const NodeNames& NodeAttrs() {
  static const NodeNames names;
  return names;
}

bool IsIndexMetadata(ir::Symbol name) {
  if (name.empty() || name.view()[0] != '_') return false;
  const NodeNames& n = NodeAttrs();
  for (ir::Symbol s : {n.input_name_key, n.input_name_value, n.output_name_key, n.output_name_value, n.opt_input,
                       n.ir_attr_names, n.ir_inputs_key, n.ir_inputs_value, n.ir_outputs_key, n.ir_outputs_value}) {
    if (name == s) return true;
  }
  return false;
}

}  // namespace ge::formats::air
