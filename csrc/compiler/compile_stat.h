// fusion_result.json: how often each pass matched and replaced something.
#ifndef GE_COMPILER_COMPILE_STAT_H_
#define GE_COMPILER_COMPILE_STAT_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "fusion/executor.h"

namespace ge::compiler {

// $ASCEND_WORK_PATH/FE/<process>/fusion_result.json, else fusion_result.json in the current folder.
std::string CompileStatPath();
// The file's text; empty when no pass has anything to tell.
std::string CompileStatText(const std::vector<fusion::PassReport>& passes);
// Writes it, making folders on the way; nothing when there is nothing to tell.
Status WriteCompileStat(const std::vector<fusion::PassReport>& passes);

}  // namespace ge::compiler

#endif  // GE_COMPILER_COMPILE_STAT_H_
