// The linker's identity of this library.
#ifndef GE_LOADER_BUILD_ID_H_
#define GE_LOADER_BUILD_ID_H_

#include <string>

#include "base/export.h"

namespace ge::loader {

// In hexadecimal digits; empty if it was linked without one.
GE_API std::string ThisBuildId();

}  // namespace ge::loader

#endif  // GE_LOADER_BUILD_ID_H_
