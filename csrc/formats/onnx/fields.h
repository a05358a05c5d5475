// Field numbers and enum values of the ONNX protobuf schema (onnx.proto, ONNX 1.23).
#ifndef GE_FORMATS_ONNX_FIELDS_H_
#define GE_FORMATS_ONNX_FIELDS_H_

#include <cstdint>

namespace ge::formats::onnx {

struct ModelField {
  enum : uint32_t { kIrVersion = 1, kProducerName = 2, kGraph = 7, kOpsetImport = 8, kTraining = 20, kFunctions = 25 };
};
struct OpsetField {
  enum : uint32_t { kDomain = 1, kVersion = 2 };
};
struct GraphField {
  enum : uint32_t {
    kNode = 1, kName = 2, kInitializer = 5, kDocString = 10, kInput = 11, kOutput = 12, kValueInfo = 13,
    kQuantizationAnnotation = 14, kSparseInitializer = 15,
  };
};
struct NodeField {
  enum : uint32_t { kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5, kDocString = 6, kDomain = 7 };
};
struct AttrField {
  enum : uint32_t {
    kName = 1, kF = 2, kI = 3, kS = 4, kT = 5, kG = 6, kFloats = 7, kInts = 8, kStrings = 9, kTensors = 10,
    kGraphs = 11, kDocString = 13, kTypeProto = 14, kTypeProtos = 15, kType = 20, kRefAttrName = 21,
    kSparseTensor = 22, kSparseTensors = 23,
  };
};
enum class AttrKind : uint8_t {
  kUndefined = 0, kFloat = 1, kInt = 2, kString = 3, kTensor = 4, kGraph = 5, kFloats = 6, kInts = 7, kStrings = 8,
  kTensors = 9, kGraphs = 10, kSparseTensor = 11, kSparseTensors = 12, kTypeProto = 13, kTypeProtos = 14,
};
struct TensorField {
  enum : uint32_t {
    kDims = 1, kDataType = 2, kSegment = 3, kFloatData = 4, kInt32Data = 5, kStringData = 6, kInt64Data = 7,
    kName = 8, kRawData = 9, kDoubleData = 10, kUint64Data = 11, kDocString = 12, kExternalData = 13,
    kDataLocation = 14, kMetadata = 16,
  };
};
struct EntryField {  // StringStringEntryProto
  enum : uint32_t { kKey = 1, kValue = 2 };
};
struct SparseTensorField {
  enum : uint32_t { kValues = 1, kIndices = 2 };
};
struct FunctionField {
  enum : uint32_t { kNode = 7, kAttributeDefault = 11 };
};
struct TrainingField {
  enum : uint32_t { kInitialization = 1, kAlgorithm = 2 };
};
struct AnnotationField {
  enum : uint32_t { kTensorName = 1 };
};
struct ValueInfoField {
  enum : uint32_t { kName = 1, kType = 2 };
};
struct TypeField {
  enum : uint32_t { kTensorType = 1, kSequenceType = 4, kOptionalType = 9 };
};
struct TensorTypeField {
  enum : uint32_t { kElemType = 1, kShape = 2 };
};
struct ShapeField {
  enum : uint32_t { kDim = 1 };
};
struct DimField {
  enum : uint32_t { kValue = 1, kParam = 2 };
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_FIELDS_H_
