// The files that a compile writes: which kinds, under which names, and writing them.
#ifndef GE_COMPILER_EMIT_H_
#define GE_COMPILER_EMIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace ge::compiler {

enum class EmitKind : uint8_t { kOm, kOnnx, kAir, kTxt };

struct EmitTarget {
  EmitKind kind = EmitKind::kOm;
  std::string file;  // with suffix
  std::optional<int64_t> external_data_threshold;  // of kOnnx
};

// `kinds` is the value of --emit ("om,onnx"); empty: an .om. A suffix of one of them at the end of `output` is not
// added twice.
Result<std::vector<EmitTarget>> EmitTargets(const std::string& output, std::string_view kinds);

// The first of that kind; null if there is none.
const EmitTarget* FindTarget(const std::vector<EmitTarget>& targets, EmitKind kind);

// `model_attrs`: what an .om says of its compile.
using ModelAttrs = std::vector<std::pair<std::string, ir::AttrValue>>;
Status Emit(const ir::Graph& graph, const EmitTarget& target, const ModelAttrs& model_attrs);

// What belongs behind the file in the summary: "" or what the file is not.
std::string_view EmitNote(EmitKind kind);

}  // namespace ge::compiler

#endif  // GE_COMPILER_EMIT_H_
