#include "formats/air/schema.h"

namespace ge::formats::air {
namespace {

using wire::FieldKind;
using wire::FieldSpec;
using wire::MessageSpec;

constexpr auto kString = FieldKind::kString;
constexpr auto kBytes = FieldKind::kBytes;
constexpr auto kInt = FieldKind::kInt;
constexpr auto kBool = FieldKind::kBool;
constexpr auto kFloat = FieldKind::kFloat;
constexpr auto kEnum = FieldKind::kEnum;
constexpr auto kMessage = FieldKind::kMessage;

// By the numbers of TensorDescriptor.dtype.
constexpr std::string_view kDataTypes[] = {
    "DT_UNDEFINED", "DT_FLOAT", "DT_FLOAT16", "DT_INT8", "DT_UINT8", "DT_INT16", "DT_UINT16", "DT_INT32", "DT_INT64",
    "DT_UINT32", "DT_UINT64", "DT_BOOL", "DT_DOUBLE", "DT_STRING", "DT_DUAL_SUB_INT8", "DT_DUAL_SUB_UINT8",
    "DT_COMPLEX64", "DT_COMPLEX128", "DT_QINT8", "DT_QINT16", "DT_QINT32", "DT_QUINT8", "DT_QUINT16", "DT_RESOURCE",
    "DT_STRING_REF", "DT_DUAL", "DT_VARIANT", "DT_BF16", "DT_INT4", "DT_UINT1", "DT_INT2", "DT_UINT2",
    "DT_COMPLEX32", "DT_HIFLOAT8", "DT_FLOAT8_E5M2", "DT_FLOAT8_E4M3FN", "DT_FLOAT8_E8M0", "DT_FLOAT6_E3M2",
    "DT_FLOAT6_E2M3", "DT_FLOAT4_E2M1", "DT_FLOAT4_E1M2", "DT_HIFLOAT4",
};

constexpr std::string_view kListKinds[] = {
    "VT_LIST_NONE", "VT_LIST_STRING", "VT_LIST_INT", "VT_LIST_FLOAT", "VT_LIST_BOOL", "VT_LIST_BYTES",
    "VT_LIST_TENSOR_DESC", "VT_LIST_TENSOR", "VT_LIST_GRAPH", "VT_LIST_NAMED_ATTRS", "VT_LIST_DATA_TYPE",
};

extern const MessageSpec kModelDef;
extern const MessageSpec kGraphDef;
extern const MessageSpec kOpDef;
extern const MessageSpec kTensorDescriptor;
extern const MessageSpec kShapeDef;
extern const MessageSpec kTensorDef;
extern const MessageSpec kAttrEntry;
extern const MessageSpec kAttrDef;
extern const MessageSpec kListValue;
extern const MessageSpec kListListInt;
extern const MessageSpec kListInt;
extern const MessageSpec kListListFloat;
extern const MessageSpec kListFloat;
extern const MessageSpec kNamedAttrs;
extern const MessageSpec kAttrGroups;
extern const MessageSpec kOtherGroupDef;
extern const MessageSpec kAttributeEntry;
extern const MessageSpec kAttributeDef;
extern const MessageSpec kAttrGroupDef;
extern const MessageSpec kTensorDescAttrGroupsDef;
extern const MessageSpec kShapeEnvAttrGroupsDef;
extern const MessageSpec kSymbolValueEntry;
extern const MessageSpec kValueSymbolEntry;
extern const MessageSpec kSymbolSourceEntry;
extern const MessageSpec kReplacementEntry;
extern const MessageSpec kSymbolInfoDef;
extern const MessageSpec kInputSourceDef;
extern const MessageSpec kReplacementDef;
extern const MessageSpec kSymbolCheckInfoDef;
extern const MessageSpec kShapeEnvSettingDef;

constexpr FieldSpec kModelDefFields[] = {
    {1, "name", kString}, {2, "version", kInt}, {3, "custom_version", kString},
    {7, "graph", kMessage, true, false, &kGraphDef}, {11, "attr", kMessage, true, false, &kAttrEntry},
    {12, "attr_groups", kMessage, false, false, &kAttrGroups},
};
const MessageSpec kModelDef{"ModelDef", kModelDefFields};

constexpr FieldSpec kGraphDefFields[] = {
    {1, "name", kString}, {4, "input", kString, true}, {5, "output", kString, true},
    {6, "op", kMessage, true, false, &kOpDef}, {11, "attr", kMessage, true, false, &kAttrEntry},
    {12, "attr_groups", kMessage, false, false, &kAttrGroups},
};
const MessageSpec kGraphDef{"GraphDef", kGraphDefFields};

constexpr FieldSpec kOpDefFields[] = {
    {1, "name", kString}, {2, "type", kString}, {5, "input", kString, true},
    {10, "attr", kMessage, true, false, &kAttrEntry}, {11, "attr_groups", kMessage, false, false, &kAttrGroups},
    {20, "has_out_attr", kBool}, {21, "id", kInt}, {22, "stream_id", kInt}, {23, "input_name", kString, true},
    {24, "src_name", kString, true}, {25, "src_index", kInt, true}, {26, "dst_name", kString, true},
    {27, "dst_index", kInt, true}, {28, "input_i", kInt, true}, {29, "output_i", kInt, true},
    {30, "workspace", kInt, true}, {31, "workspace_bytes", kInt, true}, {32, "is_input_const", kBool, true},
    {33, "input_desc", kMessage, true, false, &kTensorDescriptor},
    {34, "output_desc", kMessage, true, false, &kTensorDescriptor}, {35, "subgraph_name", kString, true},
};
const MessageSpec kOpDef{"OpDef", kOpDefFields};

constexpr FieldSpec kTensorDescriptorFields[] = {
    {1, "name", kString}, {2, "dtype", kEnum, false, false, nullptr, kDataTypes},
    {3, "shape", kMessage, false, false, &kShapeDef}, {4, "layout", kString},
    {5, "attr", kMessage, true, false, &kAttrEntry}, {6, "attr_groups", kMessage, false, false, &kAttrGroups},
    {9, "has_out_attr", kBool}, {10, "size", kInt}, {11, "weight_size", kInt}, {12, "reuse_input", kBool},
    {13, "output_tensor", kBool}, {14, "device_type", kString}, {15, "input_tensor", kBool},
    {16, "real_dim_cnt", kInt}, {17, "reuse_input_index", kInt}, {18, "data_offset", kInt}, {19, "cmps_size", kInt},
    {20, "cmps_tab", kString}, {21, "cmps_tab_offset", kInt},
};
const MessageSpec kTensorDescriptor{"TensorDescriptor", kTensorDescriptorFields};

constexpr FieldSpec kShapeDefFields[] = {
    {1, "dim", kInt, true},
};
const MessageSpec kShapeDef{"ShapeDef", kShapeDefFields};

constexpr FieldSpec kTensorDefFields[] = {
    {1, "desc", kMessage, false, false, &kTensorDescriptor}, {2, "data", kBytes},
};
const MessageSpec kTensorDef{"TensorDef", kTensorDefFields};

constexpr FieldSpec kAttrEntryFields[] = {
    {1, "key", kString}, {2, "value", kMessage, false, false, &kAttrDef},
};
const MessageSpec kAttrEntry{"AttrEntry", kAttrEntryFields};

constexpr FieldSpec kAttrDefFields[] = {
    {1, "list", kMessage, false, true, &kListValue}, {2, "s", kBytes, false, true}, {3, "i", kInt, false, true},
    {4, "f", kFloat, false, true}, {5, "b", kBool, false, true}, {7, "bt", kBytes, false, true},
    {10, "func", kMessage, false, true, &kNamedAttrs}, {11, "td", kMessage, false, true, &kTensorDescriptor},
    {12, "t", kMessage, false, true, &kTensorDef}, {13, "g", kMessage, false, true, &kGraphDef},
    {14, "list_list_int", kMessage, false, true, &kListListInt}, {15, "dt", kInt, false, true},
    {16, "list_list_float", kMessage, false, true, &kListListFloat}, {17, "expression", kBytes, false, true},
};
const MessageSpec kAttrDef{"AttrDef", kAttrDefFields};

constexpr FieldSpec kListValueFields[] = {
    {2, "s", kBytes, true}, {3, "i", kInt, true}, {4, "f", kFloat, true}, {5, "b", kBool, true},
    {7, "bt", kBytes, true}, {8, "td", kMessage, true, false, &kTensorDescriptor},
    {9, "t", kMessage, true, false, &kTensorDef}, {10, "g", kMessage, true, false, &kGraphDef},
    {11, "na", kMessage, true, false, &kNamedAttrs}, {12, "dt", kInt, true},
    {20, "val_type", kEnum, false, false, nullptr, kListKinds},
};
const MessageSpec kListValue{"ListValue", kListValueFields};

constexpr FieldSpec kListListIntFields[] = {
    {1, "list_list_i", kMessage, true, false, &kListInt},
};
const MessageSpec kListListInt{"ListListInt", kListListIntFields};

constexpr FieldSpec kListIntFields[] = {
    {1, "list_i", kInt, true},
};
const MessageSpec kListInt{"ListInt", kListIntFields};

constexpr FieldSpec kListListFloatFields[] = {
    {1, "list_list_f", kMessage, true, false, &kListFloat},
};
const MessageSpec kListListFloat{"ListListFloat", kListListFloatFields};

constexpr FieldSpec kListFloatFields[] = {
    {1, "list_f", kFloat, true},
};
const MessageSpec kListFloat{"ListFloat", kListFloatFields};

constexpr FieldSpec kNamedAttrsFields[] = {
    {1, "name", kString}, {2, "attr", kMessage, true, false, &kAttrEntry},
};
const MessageSpec kNamedAttrs{"NamedAttrs", kNamedAttrsFields};

constexpr FieldSpec kAttrGroupsFields[] = {
    {1, "other_group_def", kMessage, false, false, &kOtherGroupDef},
    {2, "attr_group_def", kMessage, true, false, &kAttrGroupDef},
};
const MessageSpec kAttrGroups{"AttrGroups", kAttrGroupsFields};

constexpr FieldSpec kOtherGroupDefFields[] = {
    {1, "attr", kMessage, true, false, &kAttributeEntry},
};
const MessageSpec kOtherGroupDef{"OtherGroupDef", kOtherGroupDefFields};

constexpr FieldSpec kAttributeEntryFields[] = {
    {1, "key", kString}, {2, "value", kMessage, false, false, &kAttributeDef},
};
const MessageSpec kAttributeEntry{"AttributeEntry", kAttributeEntryFields};

constexpr FieldSpec kAttributeDefFields[] = {
    {1, "s", kBytes, false, true}, {2, "i", kInt, false, true}, {3, "f", kFloat, false, true},
    {4, "b", kBool, false, true}, {5, "bt", kBytes, false, true},
};
const MessageSpec kAttributeDef{"AttributeDef", kAttributeDefFields};

constexpr FieldSpec kAttrGroupDefFields[] = {
    {3, "tensor_attr_group", kMessage, false, true, &kTensorDescAttrGroupsDef},
    {4, "shape_env_attr_group", kMessage, false, true, &kShapeEnvAttrGroupsDef},
};
const MessageSpec kAttrGroupDef{"AttrGroupDef", kAttrGroupDefFields};

constexpr FieldSpec kTensorDescAttrGroupsDefFields[] = {
    {1, "origin_symbol_shape", kString, true}, {2, "symbolic_value", kString, true},
};
const MessageSpec kTensorDescAttrGroupsDef{"TensorDescAttrGroupsDef", kTensorDescAttrGroupsDefFields};

constexpr FieldSpec kShapeEnvAttrGroupsDefFields[] = {
    {1, "symbol_to_value", kMessage, true, false, &kSymbolValueEntry},
    {2, "value_to_symbol", kMessage, true, false, &kValueSymbolEntry},
    {3, "symbol_to_source", kMessage, true, false, &kSymbolSourceEntry},
    {4, "replacements", kMessage, true, false, &kReplacementEntry},
    {5, "symbol_check_infos", kMessage, true, false, &kSymbolCheckInfoDef},
    {6, "symbol_assert_infos", kMessage, true, false, &kSymbolCheckInfoDef},
    {7, "shape_setting", kMessage, false, false, &kShapeEnvSettingDef}, {8, "unique_sym_id", kInt},
};
const MessageSpec kShapeEnvAttrGroupsDef{"ShapeEnvAttrGroupsDef", kShapeEnvAttrGroupsDefFields};

constexpr FieldSpec kSymbolValueEntryFields[] = {
    {1, "key", kString}, {2, "value", kInt},
};
const MessageSpec kSymbolValueEntry{"SymbolValueEntry", kSymbolValueEntryFields};

constexpr FieldSpec kValueSymbolEntryFields[] = {
    {1, "key", kInt}, {2, "value", kMessage, false, false, &kSymbolInfoDef},
};
const MessageSpec kValueSymbolEntry{"ValueSymbolEntry", kValueSymbolEntryFields};

constexpr FieldSpec kSymbolSourceEntryFields[] = {
    {1, "key", kString}, {2, "value", kMessage, false, false, &kInputSourceDef},
};
const MessageSpec kSymbolSourceEntry{"SymbolSourceEntry", kSymbolSourceEntryFields};

constexpr FieldSpec kReplacementEntryFields[] = {
    {1, "key", kString}, {2, "value", kMessage, false, false, &kReplacementDef},
};
const MessageSpec kReplacementEntry{"ReplacementEntry", kReplacementEntryFields};

constexpr FieldSpec kSymbolInfoDefFields[] = {
    {1, "symbols", kString, true},
};
const MessageSpec kSymbolInfoDef{"SymbolInfoDef", kSymbolInfoDefFields};

constexpr FieldSpec kInputSourceDefFields[] = {
    {1, "input_data_idx", kInt}, {2, "dim_idx", kInt},
};
const MessageSpec kInputSourceDef{"InputSourceDef", kInputSourceDefFields};

constexpr FieldSpec kReplacementDefFields[] = {
    {1, "replace_expr", kString}, {2, "rank", kInt},
};
const MessageSpec kReplacementDef{"ReplacementDef", kReplacementDefFields};

constexpr FieldSpec kSymbolCheckInfoDefFields[] = {
    {1, "expr", kString}, {2, "file", kString}, {3, "line", kInt}, {4, "dfx", kString},
};
const MessageSpec kSymbolCheckInfoDef{"SymbolCheckInfoDef", kSymbolCheckInfoDefFields};

constexpr FieldSpec kShapeEnvSettingDefFields[] = {
    {1, "specialize_zero_one", kBool}, {2, "dynamic_mode", kInt},
};
const MessageSpec kShapeEnvSettingDef{"ShapeEnvSettingDef", kShapeEnvSettingDefFields};

}  // namespace

const wire::MessageSpec& ModelSchema() { return kModelDef; }

}  // namespace ge::formats::air
