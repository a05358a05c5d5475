/* The C ABI between libge_compiler.so and the bridge of Python custom operators.
 *
 * The loader dlopens the bridge and asks GeGetPythonCustomOpBridgeApi() for the table at the end. The layout is
 * that of GE and never changes: either side may come from elsewhere. Views are lent for the time of the call; who
 * receives one checks and copies. Text has a length and no terminator. No exception crosses a function. Plain C; in C++
 * inside of ge::custom_op. */
#ifndef GE_LOADER_CUSTOM_OP_BRIDGE_ABI_H_
#define GE_LOADER_CUSTOM_OP_BRIDGE_ABI_H_

#include <stddef.h>
#include <stdint.h>

#define GE_CUSTOM_OP_BRIDGE_ABI_VERSION 1u
#define GE_CUSTOM_OP_BRIDGE_ENTRY "GeGetPythonCustomOpBridgeApi"

#ifdef __cplusplus
#define GE_CUSTOM_OP_BOOL bool
namespace gert {
class AnnotatedArgsContext;
class EagerOpExecutionContext;
}  // namespace gert

namespace ge {
namespace custom_op {
using EagerContext = gert::EagerOpExecutionContext;
using AnnotatedContext = gert::AnnotatedArgsContext;
#else
#define GE_CUSTOM_OP_BOOL _Bool
typedef struct EagerContext EagerContext;
typedef struct AnnotatedContext AnnotatedContext;
#endif

enum PythonCustomOpInputKind { kPythonInputRequired = 0, kPythonInputOptional = 1, kPythonInputDynamic = 2 };

enum PythonCustomOpOutputKind { kPythonOutputRequired = 0, kPythonOutputDynamic = 1 };

enum PythonCustomOpAttrKind {
  kPythonAttrInt = 0,
  kPythonAttrFloat = 1,
  kPythonAttrBool = 2,
  kPythonAttrString = 3,
  kPythonAttrDataType = 4,
  kPythonAttrTensor = 5,
  kPythonAttrListInt = 6,
  kPythonAttrListFloat = 7,
  kPythonAttrListBool = 8,
  kPythonAttrListString = 9,
  kPythonAttrListDataType = 10,
  kPythonAttrListListInt = 11
};

typedef struct PythonCustomOpStringView {
  const char* data;
  size_t size;
} PythonCustomOpStringView;

typedef struct PythonCustomOpInt64ArrayView {
  const int64_t* data;
  size_t count;
} PythonCustomOpInt64ArrayView;

typedef struct PythonCustomOpProtoInputView {
  PythonCustomOpStringView name;
  uint32_t kind; /* PythonCustomOpInputKind */
} PythonCustomOpProtoInputView;

typedef struct PythonCustomOpProtoOutputView {
  PythonCustomOpStringView name;
  uint32_t kind; /* PythonCustomOpOutputKind */
} PythonCustomOpProtoOutputView;

/* Which member counts follows from the kind of the attribute. */
typedef struct PythonCustomOpAttrDefaultView {
  uint8_t has_value;
  int64_t int_value;
  double float_value;
  uint8_t bool_value;
  PythonCustomOpStringView string_value;
  int32_t data_type_value;
  const int64_t* list_int_values;
  const double* list_float_values;
  const uint8_t* list_bool_values;
  const PythonCustomOpStringView* list_string_values;
  const int32_t* list_data_type_values;
  const PythonCustomOpInt64ArrayView* list_list_int_values;
  size_t count; /* of whichever list is used */
} PythonCustomOpAttrDefaultView;

typedef struct PythonCustomOpProtoAttrView {
  PythonCustomOpStringView name;
  uint32_t kind; /* PythonCustomOpAttrKind */
  uint8_t is_required;
  PythonCustomOpAttrDefaultView default_value;
} PythonCustomOpProtoAttrView;

typedef struct PythonCustomOpProtoDescriptorView {
  PythonCustomOpStringView descriptor_key;
  PythonCustomOpStringView op_type;
  const PythonCustomOpProtoInputView* inputs;
  size_t input_count;
  const PythonCustomOpProtoAttrView* attrs;
  size_t attr_count;
  const PythonCustomOpProtoOutputView* outputs;
  size_t output_count;
} PythonCustomOpProtoDescriptorView;

typedef struct PythonCustomOpAdapterDescriptorView {
  PythonCustomOpStringView op_type;
  PythonCustomOpStringView impl_descriptor_key;
  uint32_t capabilities; /* bits of ge::CustomOpCapability */
} PythonCustomOpAdapterDescriptorView;

/* A holder is one Python instance. The functions take the GIL themselves; statuses are ge::graphStatus. */
typedef struct PythonCustomOpAdapterCallbacks {
  void* (*create_impl_holder)(const PythonCustomOpAdapterDescriptorView* descriptor); /* NULL on failure */
  void (*destroy_impl_holder)(void* holder);
  uint32_t (*execute)(const void* holder, EagerContext* context);                 /* for capability bit 1 */
  uint32_t (*declare_launch_args)(const void* holder, AnnotatedContext* context); /* for capability bit 32 */
} PythonCustomOpAdapterCallbacks;

/* Takes prototypes and implementations over; false ends the registration. */
typedef struct PythonCustomOpRegistrar {
  GE_CUSTOM_OP_BOOL (*register_op_proto)(const PythonCustomOpProtoDescriptorView* proto);
  GE_CUSTOM_OP_BOOL (*register_op_adapter)(const PythonCustomOpAdapterDescriptorView* descriptor,
                                           const PythonCustomOpAdapterCallbacks* callbacks);
} PythonCustomOpRegistrar;

typedef struct PythonCustomOpBridgeArtifactConfig {
  const char* artifact_root;
  const char* native_module_path; /* NULL when unknown */
} PythonCustomOpBridgeArtifactConfig;

/* Statuses are 0 or a code of failure. */
typedef struct PythonCustomOpBridgeApi {
  uint32_t abi_version; /* GE_CUSTOM_OP_BRIDGE_ABI_VERSION */
  /* Tells the bridge where its files are; once, right after it was opened. */
  uint32_t (*set_artifact_config)(const PythonCustomOpBridgeArtifactConfig* config);
  /* Imports the plugins of ASCEND_CUSTOM_OPP_PATH and hands over all prototypes, then all implementations. */
  uint32_t (*register_custom_ops)(const PythonCustomOpRegistrar* registrar);
  /* Drops holders, imported plugin modules and both Python registries. */
  void (*reset_bridge_state)(void);
  /* The same; finalises the interpreter if the bridge made it. */
  void (*shutdown_bridge)(void);
} PythonCustomOpBridgeApi;

typedef const PythonCustomOpBridgeApi* (*GeGetPythonCustomOpBridgeApiFn)(void);

#ifdef __cplusplus
}  // namespace custom_op
}  // namespace ge
#endif

#endif /* GE_LOADER_CUSTOM_OP_BRIDGE_ABI_H_ */
