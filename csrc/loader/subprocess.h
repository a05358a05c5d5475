// Runs a program and collects what it writes.
#ifndef GE_LOADER_SUBPROCESS_H_
#define GE_LOADER_SUBPROCESS_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace ge::loader {

struct SubprocessOutput {
  int exit_code = 0;  // 128 + signal number if a signal ended it
  std::string text;   // standard output and error as they came, at most 1 MiB
};

// `command[0]` is looked up on PATH unless it has a slash; standard input is empty. An error if it
// can't be started or takes longer than `timeout_seconds` (it is killed then).
Result<SubprocessOutput> RunSubprocess(const std::vector<std::string>& command,
                                       int timeout_seconds);

}  // namespace ge::loader

#endif  // GE_LOADER_SUBPROCESS_H_
