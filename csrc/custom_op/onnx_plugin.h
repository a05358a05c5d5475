// ONNX plugins: which operator a node of ONNX becomes, said by a callback outside of the core.
#ifndef GE_CUSTOM_OP_ONNX_PLUGIN_H_
#define GE_CUSTOM_OP_ONNX_PLUGIN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "ir/attr.h"

namespace ge::custom_op {

// An ONNX node as a plugin sees it. Attributes are floats, ints, strings or lists of them.
struct OnnxNode {
  std::string name;
  std::string origin_type;  // "domain::opset::Type"
  std::vector<std::string> inputs, outputs;
  std::vector<std::pair<std::string, ir::AttrValue>> attrs;
};

// What the plugin makes of it: attributes of the target, and how many elements its dynamic ports have.
struct ParsedNode {
  struct Port {
    std::string name;
    uint32_t count = 1;
    bool dynamic = false;
  };
  ir::AttrMap attrs;
  std::vector<Port> inputs;  // empty: those of the prototype
};

struct OnnxPlugin {
  std::string descriptor_key;
  std::string target;  // operator type
  std::vector<std::string> origin_types;
  Status (*parse)(const OnnxPlugin& plugin, const OnnxNode& node, ParsedNode* out) = nullptr;
};

// Thread-safe. The error says which plugin has one of the origin types already; the same key is no error.
GE_API Status RegisterOnnxPlugin(OnnxPlugin plugin);
GE_API void ClearOnnxPlugins();
// Null if no plugin is for this operator of this opset. `domain` is "ai.onnx" for ONNX's own.
GE_API std::shared_ptr<const OnnxPlugin> FindOnnxPlugin(std::string_view domain, int64_t opset, std::string_view type);
// Whether there is any, so that models without custom operators pay nothing.
GE_API bool HasOnnxPlugins();

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_ONNX_PLUGIN_H_
