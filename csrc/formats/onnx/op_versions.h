// Which opset an operator needs, and what may not be carried from one opset to another.
#ifndef GE_FORMATS_ONNX_OP_VERSIONS_H_
#define GE_FORMATS_ONNX_OP_VERSIONS_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ir/types.h"

namespace ge::formats::onnx {

struct OpVersion {
  int since;
  const char* changes;
  uint32_t types;
};
struct OpVersions {
  const char* op;
  std::vector<OpVersion> versions;
};
const std::vector<OpVersions>& AllOpVersions();

// The least opset >= `opset` that has `op` with first inputs of type `type` (kUndefined: any). The opset itself if the
// operator is unknown or no opset accepts the type.
int64_t LeastOpset(std::string_view op, int64_t opset, ir::DataType type);

// Whether a node of `op` written for opset `from` means the same in opset `to`; `has_attr` tells which attributes it has.
// For unknown operators true.
bool SameMeaning(std::string_view op, int64_t from, int64_t to, const std::function<bool(std::string_view)>& has_attr);

// Whether `op` lost the attribute `attr` in some opset up to `opset`.
bool AttrRemoved(std::string_view op, std::string_view attr, int64_t opset);

// The least IR version that goes with an opset.
int64_t IrVersionOf(int64_t opset);

// For graphs that come from no model.
inline constexpr int64_t kDefaultOpset = 18;
// What the tables know of.
inline constexpr int64_t kNewestOpset = 28;

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_OP_VERSIONS_H_
