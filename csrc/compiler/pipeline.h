// The compile: stages of passes with shape inference between them.
#ifndef GE_COMPILER_PIPELINE_H_
#define GE_COMPILER_PIPELINE_H_

#include <map>
#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "fusion/executor.h"
#include "ir/graph.h"

namespace ge::compiler {

struct CompileOptions {
  fusion::ExecutorOptions executor;
  // Input name -> dims (-1: stays unknown); applied before the first stage. A name or rank that does not fit is an error.
  std::map<std::string, std::vector<int64_t>> input_shapes;
  bool infer_shapes = true;
};

struct CompileReport {
  std::vector<fusion::PassReport> passes;
  int64_t nodes_before = 0;  // without Data, Const and NetOutput
  int64_t nodes_after = 0;
  std::map<std::string, int64_t> operators_before;  // by type, when the executor traces
  std::map<std::string, int64_t> operators_after;
  std::string dump_problem;  // why a debug dump could not be written; empty if all could
};

// BeforeInferShape passes, inference, AfterInferShape passes, inference again if they changed something,
// built-in passes, inference likewise, AfterBuiltinFusionPass passes, AfterOriginGraphOptimize passes, last inference. The
// report is filled also on error.
GE_API Status Compile(const ir::GraphPtr& graph, const CompileOptions& options, CompileReport* report);

}  // namespace ge::compiler

#endif  // GE_COMPILER_PIPELINE_H_
