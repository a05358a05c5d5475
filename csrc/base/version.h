// Which ge-py this library is of.
#ifndef GE_BASE_VERSION_H_
#define GE_BASE_VERSION_H_

#include "base/export.h"

namespace ge {

// "0.1.0", for the whole process.
GE_API const char* ThisVersion();

}  // namespace ge

#endif  // GE_BASE_VERSION_H_
