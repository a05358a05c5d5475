/* The Python interpreter of the process, shared between the compiler and other users of it. */
#ifndef GE_C_GE_RUNTIME_H_
#define GE_C_GE_RUNTIME_H_

#include "ge/c/ge_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Borrows the interpreter that runs in this process, or starts the one that GE_PYTHON_EXECUTABLE,
 * VIRTUAL_ENV or PATH give, and counts `user` (a name for messages, "my host"). 0, or -1 with the
 * reason. Any thread; the caller need not hold the GIL, and does not hold it afterwards if the
 * interpreter was started here. */
GE_C_API int ge_runtime_acquire(const char* user, ge_error_t** error);
/* Undoes one acquire of that name. The interpreter goes on running. */
GE_C_API void ge_runtime_release(const char* user);
/* To be called once before a native host ends: unloads Python passes and custom operators and, if
 * this library started the interpreter and nobody uses it, finalises it. Idempotent. On the thread
 * that acquired first. */
GE_C_API void ge_runtime_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif /* GE_C_GE_RUNTIME_H_ */
