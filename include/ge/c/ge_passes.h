/* Python passes of a native host: loaded once for many compiles, or loaded anew from elsewhere. */
#ifndef GE_C_GE_PASSES_H_
#define GE_C_GE_PASSES_H_

#include "ge/c/ge_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A plugin that could not be loaded; the others were. The texts live during the call only. */
typedef struct ge_passes_problem {
  uint32_t struct_size;
  uint32_t interrupt;     /* 1: it was KeyboardInterrupt or SystemExit */
  const char* source;     /* the file, or "file: class" */
  const char* hook;       /* "path", "import" or "register" */
  const char* message;    /* one line */
  const char* traceback;  /* as Python prints it, or "" */
} ge_passes_problem_t;

/* Is told of each problem, on the calling thread, before ge_passes_load returns. */
typedef struct ge_passes_observer {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  void* user;
  void (*problem)(void* user, const ge_passes_problem_t* problem);
} ge_passes_observer_t;

/* Imports what ASCEND_GE_PY_PASS_PATH names and registers its passes: every ge_atc_run of this
 * process runs them until ge_passes_unload. Borrows or starts the interpreter as
 * ge_runtime_acquire does. Counted: each successful call needs one unload. A call while passes are
 * loaded adds what the variable names beyond them.
 *
 * Number of Python passes that are registered now, or -1 with the reason why no Python pass can
 * run in this process; compiles go on without them then. `observer` may be NULL. Any thread,
 * without the GIL. */
GE_C_API int ge_passes_load(const ge_passes_observer_t* observer, ge_error_t** error);
/* Undoes one load. The last one drops passes, their modules and all that they registered, so that
 * the next load starts afresh; the interpreter goes on running. Not while a compile runs that
 * relies on the passes. */
GE_C_API void ge_passes_unload(void);

/* Loads a library of C++ passes and ends the process: what its initialisers do is seen from outside.
 * For `ge/bin/atc.bin --load_pass_library PATH`, by which libraries are tried before they are loaded
 * in earnest. */
GE_C_API void ge_pass_library_try(const char* path);

#ifdef __cplusplus
}
#endif

#endif /* GE_C_GE_PASSES_H_ */
