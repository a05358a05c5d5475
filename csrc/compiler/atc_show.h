// Modes of atc that show a model instead of compiling one.
#ifndef GE_COMPILER_ATC_SHOW_H_
#define GE_COMPILER_ATC_SHOW_H_

#include <ostream>
#include <string>

#include "base/status.h"

namespace ge::compiler {

struct ShowRequest {
  int64_t mode = 1;        // 1: model to JSON, 5: text dump to JSON, 6: what an .om says of itself
  int64_t framework = -1;  // of a source model in mode 1; -1: --om is an offline model
  std::string om;
  std::string json;
  bool with_shapes = false;  // mode 1 with --dump_mode=1: the graph of a source model after shape inference
};

// What is wrong with the options of such a mode, before any file is looked at.
Status CheckShowRequest(const ShowRequest& request);
Status Show(const ShowRequest& request, std::ostream& out);

}  // namespace ge::compiler

#endif  // GE_COMPILER_ATC_SHOW_H_
