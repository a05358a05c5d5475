// What went wrong inside a callback of a custom operator: the C ABI gives a code, the text is left here.
#ifndef GE_CUSTOM_OP_ERROR_H_
#define GE_CUSTOM_OP_ERROR_H_

#include <string>

#include "base/export.h"

namespace ge::custom_op {

// Keeps the text (operator, file, class, traceback) for whoever called the callback; replaces one that nobody took.
// Each thread has its own.
GE_API void ReportCallbackError(std::string text);
// The text of this thread's last failure, which is forgotten then; empty without one.
GE_API std::string TakeCallbackError();

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_ERROR_H_
