// Whether a file that an option names can be read, found out before the long work.
#ifndef GE_COMPILER_INPUT_FILE_H_
#define GE_COMPILER_INPUT_FILE_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace ge::compiler {

// `option` is the name with dashes, `what` the kind of file it should name. (E10001)
Status CheckReadable(const std::string& path, std::string_view option, std::string_view what);

}  // namespace ge::compiler

#endif  // GE_COMPILER_INPUT_FILE_H_
