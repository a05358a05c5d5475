#include "base/version.h"

namespace ge {

const char* ThisVersion() { return GE_VERSION; }

}  // namespace ge
