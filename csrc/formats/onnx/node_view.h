// NodeProto and AttributeProto seen in place.
#ifndef GE_FORMATS_ONNX_NODE_VIEW_H_
#define GE_FORMATS_ONNX_NODE_VIEW_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/onnx/fields.h"

namespace ge::formats::onnx {

struct AttrView {
  std::string_view name;
  AttrKind kind = AttrKind::kUndefined;
  int64_t i = 0;
  float f = 0;
  std::string_view s;      // of kString
  std::string_view t;      // TensorProto bytes of kTensor
  std::string_view proto;  // the AttributeProto
  // False if it has parts that a GE attribute cannot hold (doc_string, a reference to a function's attribute).
  bool plain = true;

  // Appends the elements; false on malformed data.
  bool Ints(std::vector<int64_t>* out) const;
  bool Floats(std::vector<float>* out) const;
  bool Strings(std::vector<std::string>* out) const;
  // Bytes of each TensorProto of kTensors.
  bool Tensors(std::vector<std::string_view>* out) const;
};

Result<AttrView> ParseAttr(std::string_view proto);

struct NodeView {
  std::string_view name, op_type, domain;  // domain "" for ai.onnx
  std::vector<std::string_view> inputs, outputs;
  std::vector<AttrView> attrs;
  // Fields without a member of their own (doc_string, overload, metadata, unknown ones), as they lie in the file.
  std::string other_fields;

  const AttrView* Find(std::string_view attr) const {
    for (const AttrView& a : attrs) {
      if (a.name == attr) return &a;
    }
    return nullptr;
  }
  // Reuses the vectors' memory.
  Status Parse(std::string_view proto);
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_NODE_VIEW_H_
