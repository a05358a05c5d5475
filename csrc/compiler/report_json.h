// What --report tells, as JSON.
#ifndef GE_COMPILER_REPORT_JSON_H_
#define GE_COMPILER_REPORT_JSON_H_

#include <string>
#include <vector>

#include "compiler/pipeline.h"
#include "compiler/progress.h"

namespace ge::compiler {

struct ReportData {
  std::string command_line;
  std::string model;
  std::vector<std::string> outputs;  // files written
  std::string failure;               // why the run failed; empty: it did not
  CompileReport compile;
  std::vector<Step> steps;
  std::vector<std::string> comparisons;  // JSON texts of ge._verify
};

// One object; its keys are described in docs/report.md.
std::string ReportJson(const ReportData& data);

}  // namespace ge::compiler

#endif  // GE_COMPILER_REPORT_JSON_H_
