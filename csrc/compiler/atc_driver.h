// What the command atc does: one model in, passes, one model out.
#ifndef GE_COMPILER_ATC_DRIVER_H_
#define GE_COMPILER_ATC_DRIVER_H_

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "base/export.h"

namespace ge::compiler {

inline constexpr int kAtcSuccess = 0;
inline constexpr int kAtcFailure = 255;
inline constexpr int kAtcInterrupted = 130;  // as a shell reports SIGINT

// What the surrounding process brings along.
struct AtcHost {
  // Interpreter that runs --verify; empty: the one that Python passes would get.
  std::string python;
  // Whether Python passes may be registered in the process already, so that they are asked for
  // without ASCEND_GE_PY_PASS_PATH too.
  bool has_registered_passes = false;
  // The same for Python operators and ONNX plugins, and ASCEND_CUSTOM_OPP_PATH.
  bool has_registered_custom_ops = false;
  // Terminal for lines about the progress of long work; -1: none.
  int terminal = -1;
  // Asked between steps; true stops the work with kAtcInterrupted.
  std::function<bool()> interrupted;
};

// Runs one command line (`argv[0]` is the command as typed). Results and errors go to `out`; words
// of the command line that cannot be read and log lines go to `err`. One run a process at a time:
// log level and sink are the process's.
GE_API int RunAtc(const std::vector<std::string>& argv, std::ostream& out, std::ostream& err,
                  const AtcHost& host = {});

}  // namespace ge::compiler

#endif  // GE_COMPILER_ATC_DRIVER_H_
