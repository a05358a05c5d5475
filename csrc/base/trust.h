// Who may change the code that a process is about to run.
#ifndef GE_BASE_TRUST_H_
#define GE_BASE_TRUST_H_

#include <string>

#include "base/export.h"

namespace ge {

// "" or which of `path` and, if that is a file, its folder others than the owner may write to:
// "'/x' can be written to by its group". A folder with the sticky bit only counts for what is directly named.
GE_API std::string WritableByOthers(const std::string& path);

}  // namespace ge

#endif  // GE_BASE_TRUST_H_
