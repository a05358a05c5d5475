// Which ONNX operators GE itself can read; more than those that become GE operators here.
#ifndef GE_FORMATS_ONNX_KNOWN_TO_GE_H_
#define GE_FORMATS_ONNX_KNOWN_TO_GE_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::onnx {

// Whether GE has a mapping for an operator of ai.onnx, or of that domain without being in ONNX.
bool IsKnownToGe(std::string_view onnx_op);
// "<domain>::<operator>" of what GE lacks in an opaque node: its own, or one that its bodies use; "" for nothing.
Result<std::string> LackingInGe(const ir::Node& node);
// The name that the node had in the ONNX model, where two may have one; "" if it had none.
std::string_view NameInModel(const ir::Node& node);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_KNOWN_TO_GE_H_
