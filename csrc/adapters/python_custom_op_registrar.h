// Takes over what a bridge of custom operators declares: prototypes and implementations, and gives it all back.
#ifndef GE_ADAPTERS_PYTHON_CUSTOM_OP_REGISTRAR_H_
#define GE_ADAPTERS_PYTHON_CUSTOM_OP_REGISTRAR_H_

#include "base/export.h"
#include "loader/python_custom_ops.h"

namespace ge::adapters {

// A prototype or implementation that was taken over before is accepted again if it is the same; another one for its
// operator type is refused, and so are both for a type that has a C++ operator. Nothing is left of what is refused.
GE_API const loader::CustomOpHooks& PythonCustomOpHooks();

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_PYTHON_CUSTOM_OP_REGISTRAR_H_
