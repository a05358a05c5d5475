// atc without a Python process around it: passes written in Python run in an interpreter that the
// library starts.
#include "ge/c/ge_atc.h"
#include "ge/c/ge_runtime.h"

int main(int argc, char** argv) {
  int status = ge_atc_main(argc, argv);
  ge_runtime_shutdown();
  return status;
}
