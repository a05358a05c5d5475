// The texts in which atc tells what it did.
#ifndef GE_COMPILER_ATC_REPORT_H_
#define GE_COMPILER_ATC_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/pipeline.h"
#include "loader/python_passes.h"

namespace ge::compiler {

struct AtcTimes {
  double load = 0;  // seconds
  double compile = 0;
  double save = 0;
};

// "12.3 ms", "1234 ms".
std::string Milliseconds(double seconds);
// Size of a file: "512 bytes", "4.5 MB"; "" when it cannot be had.
std::string FileSize(const std::string& path);
// One line for each pass: stage, name, matches, rewrites, change of nodes, time. Empty without
// passes.
std::string PassTable(const std::vector<fusion::PassReport>& passes);
// What the named pass found and missed, or a warning that it did not run.
std::string PassExplanation(const std::vector<fusion::PassReport>& passes, std::string_view name);
// "[WARNING] E13028: ..." for each failed pass and each hook that was skipped, with the user's
// traceback.
std::string PassProblems(const std::vector<fusion::PassReport>& passes);
std::string LoadProblems(const std::vector<loader::LoadProblem>& problems);
// "matches 3, 2 failed": what went wrong, for the end of the summary; "" when nothing did.
std::string ProblemCount(const std::vector<fusion::PassReport>& passes, size_t sources_left_out);
struct OutputLine {
  std::string file;
  std::string_view note;  // what the file is not; may be empty
};
// "Nodes", "Time" and "Output" lines.
std::string Totals(const CompileReport& report, const AtcTimes& times, const std::vector<OutputLine>& outputs);
// "/x/pass.py: FuseAdd, hook 'replacement': "; parts that are unknown are left out.
std::string HookPlace(const fusion::HookError& error);
// A traceback under its heading line, indented.
std::string Indented(std::string_view text);

}  // namespace ge::compiler

#endif  // GE_COMPILER_ATC_REPORT_H_
