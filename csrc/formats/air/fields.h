// Field numbers of the messages of GE's IR (package ge.proto), as far as files of models use them.
#ifndef GE_FORMATS_AIR_FIELDS_H_
#define GE_FORMATS_AIR_FIELDS_H_

#include <cstdint>

namespace ge::formats::air {

struct ModelField {
  enum : uint32_t { kName = 1, kVersion = 2, kCustomVersion = 3, kGraph = 7, kAttr = 11, kAttrGroups = 12 };
};
struct GraphField {
  enum : uint32_t { kName = 1, kInput = 4, kOutput = 5, kOp = 6, kAttr = 11, kAttrGroups = 12 };
};
struct OpField {
  enum : uint32_t {
    kName = 1, kType = 2, kInput = 5, kAttr = 10, kAttrGroups = 11, kHasOutAttr = 20, kId = 21, kStreamId = 22,
    kInputName = 23, kSrcName = 24, kSrcIndex = 25, kDstName = 26, kDstIndex = 27, kInputI = 28, kOutputI = 29,
    kWorkspace = 30, kWorkspaceBytes = 31, kIsInputConst = 32, kInputDesc = 33, kOutputDesc = 34, kSubgraphName = 35,
  };
};
struct DescField {
  enum : uint32_t {
    kName = 1, kDtype = 2, kShape = 3, kLayout = 4, kAttr = 5, kAttrGroups = 6, kHasOutAttr = 9, kSize = 10,
    kWeightSize = 11, kReuseInput = 12, kOutputTensor = 13, kDeviceType = 14, kInputTensor = 15, kRealDimCnt = 16,
    kReuseInputIndex = 17, kDataOffset = 18, kCmpsSize = 19, kCmpsTab = 20, kCmpsTabOffset = 21,
  };
};
struct ShapeField {
  enum : uint32_t { kDim = 1 };
};
struct TensorField {
  enum : uint32_t { kDesc = 1, kData = 2 };
};
// Of an entry of every map.
struct MapField {
  enum : uint32_t { kKey = 1, kValue = 2 };
};
struct AttrField {
  enum : uint32_t {
    kList = 1, kS = 2, kI = 3, kF = 4, kB = 5, kBt = 7, kFunc = 10, kTd = 11, kT = 12, kG = 13, kListListInt = 14,
    kDt = 15, kListListFloat = 16, kExpression = 17,
  };
};
struct ListField {
  enum : uint32_t {
    kS = 2, kI = 3, kF = 4, kB = 5, kBt = 7, kTd = 8, kT = 9, kG = 10, kNa = 11, kDt = 12, kValType = 20,
  };
};
// What ListValue.val_type says of an empty list.
struct ListKind {
  enum : uint32_t {
    kNone = 0, kString = 1, kInt = 2, kFloat = 3, kBool = 4, kBytes = 5, kTensorDesc = 6, kTensor = 7, kGraph = 8,
    kNamedAttrs = 9, kDataType = 10,
  };
};
// ListListInt and ListListFloat, and the lists in them.
struct NestedListField {
  enum : uint32_t { kList = 1, kItem = 1 };
};
struct NamedAttrsField {
  enum : uint32_t { kName = 1, kAttr = 2 };
};

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_FIELDS_H_
