// --report: the file for people, or for programs.
#ifndef GE_COMPILER_REPORT_PAGE_H_
#define GE_COMPILER_REPORT_PAGE_H_

#include <string>

#include "base/status.h"

namespace ge::compiler {

// E10001 unless the path ends in .html or .json and its folder takes files: found out before the long work.
Status CheckReportPath(const std::string& path);
// Writes JSON as it is, and HTML with `ge._report` in a Python process (`python`: which). The file appears whole or
// not.
Status WriteReport(const std::string& json, const std::string& path, const std::string& python);

}  // namespace ge::compiler

#endif  // GE_COMPILER_REPORT_PAGE_H_
