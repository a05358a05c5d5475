// Rules about values that a list can't tell, and between options, as far as they need no model.
#ifndef GE_COMPILER_OPTION_RULES_H_
#define GE_COMPILER_OPTION_RULES_H_

#include "base/status.h"
#include "compiler/atc_options.h"

namespace ge::compiler {

// In the order in which GE checks them, so that of several mistakes the same one is told.
Status CheckOptionRules(const ParsedCommandLine& line);
// Options that can't be passed over, since the result would be another model than the one asked for. Codes E10001,
// E10055.
Status CheckRefusedOptions(const ParsedCommandLine& line);

}  // namespace ge::compiler

#endif  // GE_COMPILER_OPTION_RULES_H_
