// Dumps of the graph at the stages of a compile, as the environment asks for them.
#ifndef GE_FORMATS_DUMP_STAGE_DUMP_H_
#define GE_FORMATS_DUMP_STAGE_DUMP_H_

#include <map>
#include <string>
#include <string_view>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::dump {

// DUMP_GE_GRAPH switches dumps on: 1 with the bytes of weights, 2 without, 3 relations only. `options` are those of the
// compile. DUMP_GRAPH_LEVEL chooses
// the stages: 1 all, 2 the main ones (the default), 3 "Build", 4 "PreRunBegin", or parts of names joined by '|'.
// DUMP_GRAPH_FORMAT chooses the forms: any of ge_proto, onnx (both by default), onnx_model and readable, joined by '|'.
// The status is that of the first file that could not be written.
GE_API Status DumpStage(const ir::Graph& graph, std::string_view stage,
                        const std::map<std::string, std::string>& options);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_STAGE_DUMP_H_
