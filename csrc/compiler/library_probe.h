// Whether a process survives loading a library: nobody can catch what an initialiser throws while dlopen is at work.
#ifndef GE_COMPILER_LIBRARY_PROBE_H_
#define GE_COMPILER_LIBRARY_PROBE_H_

#include <string>

#include "base/export.h"

namespace ge::compiler {

// The work of the process that is to survive it: loads the library and says so on standard output. Ends the
// process.
GE_API [[noreturn]] void LoadAndTell(const char* library);

// "" or how a process of its own (ge/bin/atc.bin) ended that loaded the library; "" also when the dynamic linker refused it,
// since loading it here gives the better reason. Asked once for a file as it is.
std::string WhyItKills(const std::string& library);

}  // namespace ge::compiler

#endif  // GE_COMPILER_LIBRARY_PROBE_H_
