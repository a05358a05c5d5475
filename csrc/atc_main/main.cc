// atc without a Python process around it: passes written in Python run in an interpreter that the
// library starts.
#include <signal.h>

#include <cstring>

#include "ge/c/ge_atc.h"
#include "ge/c/ge_passes.h"
#include "ge/c/ge_runtime.h"

int main(int argc, char** argv) {
  // Beyond the limit of file sizes a write fails, and that is reported; as Python does it.
  signal(SIGXFSZ, SIG_IGN);
  if (argc == 3 && std::strcmp(argv[1], "--load_pass_library") == 0) ge_pass_library_try(argv[2]);
  int status = ge_atc_main(argc, argv);
  ge_runtime_shutdown();
  return status;
}
