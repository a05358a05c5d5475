/* The command atc as a function. */
#ifndef GE_C_GE_ATC_H_
#define GE_C_GE_ATC_H_

#include "ge/c/ge_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of ge_atc_host_t. */
enum {
  /* Python passes may be registered in this process already: run them without
     ASCEND_GE_PY_PASS_PATH too. */
  GE_ATC_HOST_HAS_PASSES = 1,
  /* Python operators or ONNX plugins may be registered in this process already: use them without
     ASCEND_CUSTOM_OPP_PATH too. */
  GE_ATC_HOST_HAS_CUSTOM_OPS = 2
};

/* What the calling process brings along; ge_atc_run takes NULL for nothing. */
typedef struct ge_atc_host {
  uint32_t struct_size;
  uint32_t flags;
  /* Interpreter that runs --verify; NULL: GE_PYTHON_EXECUTABLE, else that of VIRTUAL_ENV, else
   * python3 on PATH. */
  const char* python_executable;
} ge_atc_host_t;

/* Runs one command line; argv[0] is the name the texts call the command by. Prints to the process's
 * stdout and stderr. Returns the exit status: 0, 255 on failure, 130 when SIGINT stopped it, 1
 * without arguments or with a NULL among them.
 *
 * Where the process handles SIGINT, the first one stops the run at its next step and is passed on
 * to that handler, the second one ends the process; of several calls at once it stops all. Any
 * thread, any number of calls at once with outputs of their own, without the GIL: Python passes
 * take it. */
GE_C_API int ge_atc_run(int argc, const char* const* argv, const ge_atc_host_t* host);
/* The same with no host information. */
GE_C_API int ge_atc_main(int argc, const char* const* argv);

#ifdef __cplusplus
}
#endif

#endif /* GE_C_GE_ATC_H_ */
