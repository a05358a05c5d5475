#include "formats/dump/onnx_schema.h"

namespace ge::formats::dump {
namespace {

using wire::FieldKind;
using wire::FieldSpec;
using wire::MessageSpec;

constexpr auto kString = FieldKind::kString;
constexpr auto kBytes = FieldKind::kBytes;
constexpr auto kInt = FieldKind::kInt;
constexpr auto kFloat = FieldKind::kFloat;
constexpr auto kEnum = FieldKind::kEnum;
constexpr auto kMessage = FieldKind::kMessage;

constexpr std::string_view kAttributeTypes[] = {
    "UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS", "TENSORS", "GRAPHS",
    "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS",
};
constexpr std::string_view kLocations[] = {
    "DEFAULT", "EXTERNAL",
};

extern const MessageSpec kModel;
extern const MessageSpec kOpset;
extern const MessageSpec kStringEntry;
extern const MessageSpec kTrainingInfo;
extern const MessageSpec kFunction;
extern const MessageSpec kGraph;
extern const MessageSpec kAnnotation;
extern const MessageSpec kNode;
extern const MessageSpec kAttribute;
extern const MessageSpec kTensor;
extern const MessageSpec kSparseTensor;
extern const MessageSpec kValueInfo;
extern const MessageSpec kType;
extern const MessageSpec kTensorType;
extern const MessageSpec kSequence;
extern const MessageSpec kMap;
extern const MessageSpec kShape;
extern const MessageSpec kDim;

constexpr FieldSpec kModelFields[] = {
    {1, "ir_version", kInt}, {2, "producer_name", kString}, {3, "producer_version", kString}, {4, "domain", kString},
    {5, "model_version", kInt}, {6, "doc_string", kString}, {7, "graph", kMessage, false, false, &kGraph},
    {8, "opset_import", kMessage, true, false, &kOpset},
    {14, "metadata_props", kMessage, true, false, &kStringEntry},
    {20, "training_info", kMessage, true, false, &kTrainingInfo},
    {25, "functions", kMessage, true, false, &kFunction},
};
const MessageSpec kModel{"ModelProto", kModelFields};

constexpr FieldSpec kOpsetFields[] = {
    {1, "domain", kString}, {2, "version", kInt},
};
const MessageSpec kOpset{"OperatorSetIdProto", kOpsetFields};

constexpr FieldSpec kStringEntryFields[] = {
    {1, "key", kString}, {2, "value", kString},
};
const MessageSpec kStringEntry{"StringStringEntryProto", kStringEntryFields};

constexpr FieldSpec kTrainingInfoFields[] = {
    {1, "initialization", kMessage, false, false, &kGraph}, {2, "algorithm", kMessage, false, false, &kGraph},
    {3, "initialization_binding", kMessage, true, false, &kStringEntry},
    {4, "update_binding", kMessage, true, false, &kStringEntry},
};
const MessageSpec kTrainingInfo{"TrainingInfoProto", kTrainingInfoFields};

constexpr FieldSpec kFunctionFields[] = {
    {1, "name", kString}, {4, "input", kString, true}, {5, "output", kString, true}, {6, "attribute", kString, true},
    {7, "node", kMessage, true, false, &kNode}, {8, "doc_string", kString},
    {9, "opset_import", kMessage, true, false, &kOpset}, {10, "domain", kString},
    {11, "attribute_proto", kMessage, true, false, &kAttribute},
    {12, "value_info", kMessage, true, false, &kValueInfo}, {13, "overload", kString},
    {14, "metadata_props", kMessage, true, false, &kStringEntry},
};
const MessageSpec kFunction{"FunctionProto", kFunctionFields};

constexpr FieldSpec kGraphFields[] = {
    {1, "node", kMessage, true, false, &kNode}, {2, "name", kString},
    {5, "initializer", kMessage, true, false, &kTensor}, {10, "doc_string", kString},
    {11, "input", kMessage, true, false, &kValueInfo}, {12, "output", kMessage, true, false, &kValueInfo},
    {13, "value_info", kMessage, true, false, &kValueInfo},
    {14, "quantization_annotation", kMessage, true, false, &kAnnotation},
    {15, "sparse_initializer", kMessage, true, false, &kSparseTensor},
    {16, "metadata_props", kMessage, true, false, &kStringEntry},
};
const MessageSpec kGraph{"GraphProto", kGraphFields};

constexpr FieldSpec kAnnotationFields[] = {
    {1, "tensor_name", kString}, {2, "quant_parameter_tensor_names", kMessage, true, false, &kStringEntry},
};
const MessageSpec kAnnotation{"AnnotationProto", kAnnotationFields};

constexpr FieldSpec kNodeFields[] = {
    {1, "input", kString, true}, {2, "output", kString, true}, {3, "name", kString}, {4, "op_type", kString},
    {5, "attribute", kMessage, true, false, &kAttribute}, {6, "doc_string", kString}, {7, "domain", kString},
    {8, "overload", kString}, {9, "metadata_props", kMessage, true, false, &kStringEntry},
};
const MessageSpec kNode{"NodeProto", kNodeFields};

constexpr FieldSpec kAttributeFields[] = {
    {1, "name", kString}, {2, "f", kFloat, false, true}, {3, "i", kInt, false, true}, {4, "s", kBytes, false, true},
    {5, "t", kMessage, false, false, &kTensor}, {6, "g", kMessage, false, false, &kGraph},
    {7, "floats", kFloat, true}, {8, "ints", kInt, true}, {9, "strings", kBytes, true},
    {10, "tensors", kMessage, true, false, &kTensor}, {11, "graphs", kMessage, true, false, &kGraph},
    {13, "doc_string", kString}, {14, "tp", kMessage, false, false, &kType},
    {15, "type_protos", kMessage, true, false, &kType}, {20, "type", kEnum, false, false, nullptr, kAttributeTypes},
    {21, "ref_attr_name", kString}, {22, "sparse_tensor", kMessage, false, false, &kSparseTensor},
    {23, "sparse_tensors", kMessage, true, false, &kSparseTensor},
};
const MessageSpec kAttribute{"AttributeProto", kAttributeFields};

constexpr FieldSpec kTensorFields[] = {
    {1, "dims", kInt, true}, {2, "data_type", kInt}, {4, "float_data", kFloat, true}, {5, "int32_data", kInt, true},
    {6, "string_data", kBytes, true}, {7, "int64_data", kInt, true}, {8, "name", kString}, {9, "raw_data", kBytes},
    {11, "uint64_data", kInt, true}, {12, "doc_string", kString},
    {13, "external_data", kMessage, true, false, &kStringEntry},
    {14, "data_location", kEnum, false, false, nullptr, kLocations},
    {16, "metadata_props", kMessage, true, false, &kStringEntry},
};
const MessageSpec kTensor{"TensorProto", kTensorFields};

constexpr FieldSpec kSparseTensorFields[] = {
    {1, "values", kMessage, false, false, &kTensor}, {2, "indices", kMessage, false, false, &kTensor},
    {3, "dims", kInt, true},
};
const MessageSpec kSparseTensor{"SparseTensorProto", kSparseTensorFields};

constexpr FieldSpec kValueInfoFields[] = {
    {1, "name", kString}, {2, "type", kMessage, false, false, &kType}, {3, "doc_string", kString},
    {4, "metadata_props", kMessage, true, false, &kStringEntry},
};
const MessageSpec kValueInfo{"ValueInfoProto", kValueInfoFields};

constexpr FieldSpec kTypeFields[] = {
    {1, "tensor_type", kMessage, false, true, &kTensorType}, {4, "sequence_type", kMessage, false, true, &kSequence},
    {5, "map_type", kMessage, false, true, &kMap}, {6, "denotation", kString},
    {8, "sparse_tensor_type", kMessage, false, true, &kTensorType},
    {9, "optional_type", kMessage, false, true, &kSequence},
};
const MessageSpec kType{"TypeProto", kTypeFields};

constexpr FieldSpec kTensorTypeFields[] = {
    {1, "elem_type", kInt}, {2, "shape", kMessage, false, false, &kShape},
};
const MessageSpec kTensorType{"TensorTypeProto", kTensorTypeFields};

constexpr FieldSpec kSequenceFields[] = {
    {1, "elem_type", kMessage, false, false, &kType},
};
const MessageSpec kSequence{"SequenceProto", kSequenceFields};

constexpr FieldSpec kMapFields[] = {
    {1, "key_type", kInt}, {2, "value_type", kMessage, false, false, &kType},
};
const MessageSpec kMap{"MapProto", kMapFields};

constexpr FieldSpec kShapeFields[] = {
    {1, "dim", kMessage, true, false, &kDim},
};
const MessageSpec kShape{"ShapeProto", kShapeFields};

constexpr FieldSpec kDimFields[] = {
    {1, "dim_value", kInt, false, true}, {2, "dim_param", kString, false, true}, {3, "denotation", kString},
};
const MessageSpec kDim{"DimProto", kDimFields};

}  // namespace

const wire::MessageSpec& OnnxSchema() { return kModel; }

}  // namespace ge::formats::dump
