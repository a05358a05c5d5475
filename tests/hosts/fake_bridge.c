/* Bridges with one defect each; -D chooses it: ABI=n, SIZE=n, ENTRY=name, NO_TABLE, or empty slots without any. */
#include <stdint.h>

#include "../../csrc/loader/bridge_abi.h"

#ifndef ABI
#define ABI GE_BRIDGE_ABI_VERSION
#endif
#ifndef SIZE
#define SIZE sizeof(ge_python_bridge)
#endif
#ifndef ENTRY
#define ENTRY ge_python_pass_bridge
#endif

const ge_python_bridge* ENTRY(void) {
#ifdef NO_TABLE
  return 0;
#else
  static const ge_python_bridge table = {SIZE, ABI, 0, 0, 0, 0};
  return &table;
#endif
}
