/* A bridge of custom operators without a Python: the test says what it registers and counts its calls.
 *
 * -D plants a defect: ABI=n, ENTRY=name, NO_TABLE, EMPTY_SLOT, REFUSE (the configuration). */
#include "../../csrc/loader/custom_op_bridge_abi.h"

#include <stdio.h>

#ifndef ABI
#define ABI GE_CUSTOM_OP_BRIDGE_ABI_VERSION
#endif
#ifndef ENTRY
#define ENTRY GeGetPythonCustomOpBridgeApi
#endif

/* Of the test. */
int fake_configs, fake_registers, fake_resets, fake_shutdowns;
char fake_artifact_root[4096], fake_native_module[4096];
uint32_t (*fake_register)(const PythonCustomOpRegistrar* registrar);

static uint32_t configure(const PythonCustomOpBridgeArtifactConfig* config) {
  ++fake_configs;
#ifdef REFUSE
  (void)config;
  return 7;
#else
  snprintf(fake_artifact_root, sizeof fake_artifact_root, "%s", config->artifact_root);
  snprintf(fake_native_module, sizeof fake_native_module, "%s", config->native_module_path);
  return 0;
#endif
}

static uint32_t register_all(const PythonCustomOpRegistrar* registrar) {
  ++fake_registers;
  return fake_register ? fake_register(registrar) : 0;
}

static void reset(void) { ++fake_resets; }
static void shutdown(void) { ++fake_shutdowns; }

const PythonCustomOpBridgeApi* ENTRY(void) {
#ifdef NO_TABLE
  (void)configure, (void)register_all, (void)reset, (void)shutdown;
  return 0;
#elif defined EMPTY_SLOT
  static const PythonCustomOpBridgeApi api = {ABI, configure, register_all, 0, shutdown};
  (void)reset;
  return &api;
#else
  static const PythonCustomOpBridgeApi api = {ABI, configure, register_all, reset, shutdown};
  return &api;
#endif
}
