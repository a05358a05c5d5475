// --raw_ge_options: options under their library names, from a JSON file.
#ifndef GE_COMPILER_RAW_OPTIONS_H_
#define GE_COMPILER_RAW_OPTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace ge::compiler {

struct RawOptions {
  std::vector<std::pair<std::string, std::string>> options;  // option -> value
  std::vector<std::string> skipped;                          // keys that nothing here knows
};

// {"compile options": {"global": {key: text}, "session": {...}, "graph": {...}}}; graph over session over global. Codes
// E10001 (a key that only the command line sets), E10032 (content), E10055 (unknown key, unless `skip_unknown`),
// E13001.
Result<RawOptions> ReadRawOptions(const std::string& path, bool skip_unknown);

}  // namespace ge::compiler

#endif  // GE_COMPILER_RAW_OPTIONS_H_
