/* The C ABI between libge_compiler.so and the Python pass bridge.
 *
 * The loader dlopens the bridge and asks ge_python_pass_bridge() for this table. Both sides come
 * from one wheel; the version says so before anything is called. Fields are only ever appended.
 * Text is UTF-8, NUL-terminated. No exception crosses a function of this table. Opaque pointers are
 * C++ objects of libge_compiler.so, named beside each parameter. */
#ifndef GE_LOADER_BRIDGE_ABI_H_
#define GE_LOADER_BRIDGE_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GE_BRIDGE_ABI_VERSION 2u
#define GE_BRIDGE_ENTRY "ge_python_pass_bridge"

typedef enum ge_pass_kind {
  GE_PASS_FUSION_BASE = 0,
  GE_PASS_PATTERN_FUSION = 1,
  GE_PASS_DECOMPOSE = 2,
  /* run on the top graph, before the fusion passes of its stage */
  GE_PASS_LEGACY_CUSTOM = 3
} ge_pass_kind;

typedef enum ge_pass_flags {
  /* Runs only in a compile that asks for passes by name: it belongs to one call of apply. */
  GE_PASS_ON_DEMAND = 1
} ge_pass_flags;

/* One registered Python pass. The texts are valid during the call only. */
typedef struct ge_pass_descriptor {
  uint32_t struct_size;
  const char* descriptor_key;
  const char* pass_name;
  const char* module_name;
  const char* class_name;
  const char* source_file;
  uint32_t stage; /* number of fusion::Stage */
  uint32_t kind;  /* ge_pass_kind */
  const char* const* op_types;
  size_t num_op_types;
  /* Names of passes that wait for this one, and of those that this one waits for. */
  const char* const* before;
  size_t num_before;
  const char* const* after;
  size_t num_after;
  uint32_t flags; /* of ge_pass_flags */
} ge_pass_descriptor;

/* Receives what went wrong in Python. Called once by a failing function, before it returns;
 * register_passes calls it once for every problem it met. */
typedef struct ge_error_sink {
  void* user;
  void (*report)(void* user, const char* source, const char* hook, const char* message,
                 const char* traceback, int32_t interrupt);
} ge_error_sink;

typedef struct ge_matcher_config {
  uint32_t const_value_match;
  uint32_t ir_attr_match;
  uint32_t commutative_match;
  uint32_t static_replacement; /* replacement is asked once in a run */
} ge_matcher_config;

/* Hooks of Python passes. `holder` is what create returned: one Python instance, one session. Each
 * function takes the GIL itself. */
typedef struct ge_pass_hooks {
  uint32_t struct_size;
  void* (*create)(const char* descriptor_key, const ge_error_sink* errors); /* NULL on failure */
  void (*destroy)(void* holder);
  /* Status code of the run (fusion/pass.h); ir::Graph*, fusion::PassContext*. */
  uint32_t (*run)(void* holder, void* graph, void* context, const ge_error_sink* errors);
  int32_t (*matcher_config)(void* holder, ge_matcher_config* out,
                            const ge_error_sink* errors); /* 0 ok, -1 failed */
  /* emit gets owned fusion::Pattern* one by one. 0 ok, -1 failed. */
  int32_t (*patterns)(void* holder, void (*emit)(void* user, void* pattern), void* user,
                      const ge_error_sink* errors);
  /* 1 yes, 0 no, -1 failed; const fusion::MatchResult*, fusion::PassContext*. */
  int32_t (*meet_requirements)(void* holder, const void* match, void* context,
                               const ge_error_sink* errors);
  /* An owned ir::GraphPtr* (made with new), or NULL on failure. */
  void* (*replacement)(void* holder, const void* match, void* context, const ge_error_sink* errors);
  /* The same two for decompose passes; ir::Node*. */
  int32_t (*decompose_meet_requirements)(void* holder, void* node, void* context,
                                         const ge_error_sink* errors);
  void* (*decompose_replacement)(void* holder, void* node, void* context,
                                 const ge_error_sink* errors);
} ge_pass_hooks;

/* Takes passes over. register_pass returns 0, or -1 after telling `errors` why it was refused;
 * unregister_pass is called for a pass that was handed over and is gone from the Python registry,
 * or was replaced there, since. */
typedef struct ge_pass_registrar {
  void* user;
  int32_t (*register_pass)(void* user, const ge_pass_descriptor* descriptor,
                           const ge_pass_hooks* hooks, const ge_error_sink* errors);
  void (*unregister_pass)(void* user, const char* descriptor_key);
} ge_pass_registrar;

typedef struct ge_python_bridge {
  uint32_t struct_size;
  uint32_t abi_version; /* GE_BRIDGE_ABI_VERSION */
  /* Folder of the artifact set, folder that holds the package `ge`; makes both known to Python and
   * loads the native module. Before register_passes, with a running interpreter. 0 ok, -1 failed.
   */
  int32_t (*set_artifacts)(const char* artifact_dir, const char* package_parent,
                           const ge_error_sink* errors);
  /* Runs discovery (ASCEND_GE_PY_PASS_PATH) and hands every registered pass that was not handed
   * over yet to the registrar. A plugin that fails to import is reported to `errors` and does not
   * stop the others. Number of passes handed over, or -1 when nothing could be done at all. */
  int32_t (*register_passes)(const ge_pass_registrar* registrar, const ge_error_sink* errors);
  /* Drops holders, loaded pass modules and the Python registry; the interpreter stays. */
  void (*reset)(void);
  /* reset, then forget everything that keeps Python objects alive; the interpreter is not finalised
   * here. */
  void (*shutdown)(void);
} ge_python_bridge;

typedef const ge_python_bridge* (*ge_python_bridge_fn)(void);

#ifdef __cplusplus
}
#endif

#endif /* GE_LOADER_BRIDGE_ABI_H_ */
