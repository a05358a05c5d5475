// The report of --mode=3: which operators of a model GE can read.
#ifndef GE_COMPILER_CHECK_REPORT_H_
#define GE_COMPILER_CHECK_REPORT_H_

#include <string>

#include "base/status.h"
#include "ir/graph.h"

namespace ge::compiler {

// Where the report goes: the value of --check_report, or its default, which ASCEND_WORK_PATH moves.
std::string CheckReportFile(const std::string& given);

struct CheckResult {
  int64_t total = 0;
  int64_t failed = 0;
  int64_t unknown = 0;          // of the failed ones: operators that GE lacks
  std::string first_unknown;    // operator type
  std::string first_repeated;   // a name that several nodes have; "" if there is none
};
// Looks at every operator of the graph and writes the report.
Result<CheckResult> WriteCheckReport(const ir::Graph& graph, const std::string& file);

}  // namespace ge::compiler

#endif  // GE_COMPILER_CHECK_REPORT_H_
