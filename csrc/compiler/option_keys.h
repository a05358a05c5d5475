// The names that options have in the library, as in --raw_ge_options and in ge.offline_compile.
#ifndef GE_COMPILER_OPTION_KEYS_H_
#define GE_COMPILER_OPTION_KEYS_H_

#include <string_view>

#include "base/export.h"

namespace ge::compiler {

// "ge.socVersion" -> "soc_version"; empty for a key that no option has.
GE_API std::string_view OptionOfKey(std::string_view key);
// "soc_version" -> "ge.socVersion"; the name itself for an option without a key of its own.
std::string_view KeyOfOption(std::string_view option);

}  // namespace ge::compiler

#endif  // GE_COMPILER_OPTION_KEYS_H_
