#include "formats/onnx/known_to_ge.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/private_attrs.h"
#include "formats/onnx/subgraph_names.h"

namespace ge::formats::onnx {
namespace {

// Operators of ONNX that stay opaque here although GE maps them (docs/onnx.md says why). In order.
constexpr std::string_view kOpaque[] = {
    "Bernoulli", "Col2Im", "Compress", "EyeLike", "GlobalMaxPool", "If", "LpNormalization", "LpPool",
    "MaxUnpool", "Mean", "Multinomial", "NonMaxSuppression", "OneHot", "RandomNormal", "RandomNormalLike",
    "RandomUniform", "RandomUniformLike", "ReduceLogSum", "RoiAlign", "SoftmaxCrossEntropyLoss", "ThresholdedRelu",
    "Unique", "Xor"};
// Names that are none of ONNX's, which GE reads in its domain all the same. In order.
constexpr std::string_view kForeign[] = {
    "AdaCast", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d", "AscendAntiQuant", "AscendDequant", "AscendDequantS16",
    "AscendQuant", "AscendRequant", "AscendRequantS16", "BasicGRUInplaceFillWindowCache",
    "BasicLSTMInplaceFillWindowCache", "BatchMatMul", "BatchMultiClassNMS", "BlendFaceBgPartTwo", "BoundingBoxDecode",
    "Bucketize", "Col2im", "Corr", "DeformableConv2D", "DeformableOffsets", "DynSeqOuter", "EmbeddingBag",
    "FillWindowCache", "GridSample3D", "GridSampleV2", "GroupNormRelu", "Int8Conv", "Int8ConvRelu", "Int8Dequantize",
    "Int8FC", "Int8GivenIntTensorFill", "Int8Quantize", "Int8Transpose", "LSTMP", "MovingSumWithSigmoid",
    "NMSRotated", "NPUAddRmsNorm", "NPUAnchorResponseFlags", "NPUAntiQuant", "NPUAscendQuantV2", "NPUBatchNms",
    "NPUBoundingBoxDecode", "NPUBoundingBoxEncode", "NPUCiou", "NPUDeformableConv2d", "NPUDiou",
    "NPUDropoutWithAddSoftmax", "NPUDtypeCast", "NPUDynamicQuant", "NPUDynamicQuantV2", "NPUFastGelu",
    "NPUFlashAttention", "NPUFormatCast", "NPUFusedAttentionScore", "NPUFusedAttentionScoreFwd", "NPUGeglu",
    "NPUGeluV2", "NPUGiou", "NPUGridAssignPositive", "NPUGroupNormSilu", "NPUGroupQuant", "NPUGru",
    "NPUIncreFlashAttention", "NPUIndexing", "NPUIou", "NPULstm", "NPULstmCell", "NPUMaskedSoftmaxWithRelPosBias",
    "NPUMish", "NPUMoeComputeExpertTokens", "NPUMoeFinalizeRouting", "NPUMoeFinalizeRoutingV2",
    "NPUMoeGatingTopKSoftmax", "NPUMoeInitRouting", "NPUMultiHeadAttention", "NPUNmsV4", "NPUNmsWithMask",
    "NPUOneHot", "NPUPromptFlashAttention", "NPUPsRoiPooling", "NPUQuantize", "NPURmsNorm", "NPURoiAlign",
    "NPURotaryMul", "NPURotaryPositionEmbedding", "NPURotatedIou", "NPURotatedOverlaps", "NPUScaledMaskedSoftmax",
    "NPUScatter", "NPUSignBitsPack", "NPUSignBitsUnpack", "NPUSlice", "NPUSoftmaxCrossEntropyWithLogits",
    "NPUWeightQuantBatchMatmulV2", "NPUYoloBoxesEncode", "PSROIPooling", "PhonyConcat", "PhonySplit",
    "QuantBatchMatMul", "RepeatWithPad", "ResizeBicubic", "RoiAlignRotated", "RoiExtractor", "SparseToDense",
    "SwinAttentionFFN", "SwinAttentionScore", "SwinTransformerLnQKV", "TransArgb", "Triu", "WeightQuantBatchMatmulV2",
    "Yolo", "YoloPreDetection", "YoloV3DetectionOutputV2", "YoloV5DetectionOutput", "YoloxBoundingBoxDecode",
    "adaptive_max_pool2d"};

constexpr std::string_view kOnnxPrefix = "ai.onnx::";

}  // namespace

bool IsKnownToGe(std::string_view onnx_op) {
  return onnx_op == "Constant" || MappingTable::Get().Maps(onnx_op) ||
         std::binary_search(std::begin(kOpaque), std::end(kOpaque), onnx_op) ||
         std::binary_search(std::begin(kForeign), std::end(kForeign), onnx_op);
}

Result<std::string> LackingInGe(const ir::Node& node) {
  std::string_view type = node.type().view();
  if (type.substr(0, kOnnxPrefix.size()) != kOnnxPrefix || !IsKnownToGe(type.substr(kOnnxPrefix.size()))) {
    return std::string(type);
  }
  std::string lacking;
  for (const auto& entry : node.attrs()) {
    const auto* attr = std::get_if<ir::Bytes>(&entry.second);
    if (attr == nullptr) continue;
    std::vector<std::string_view> graphs;
    GE_RETURN_IF_ERROR(GraphsOfAttr(attr->data, &graphs));
    for (std::string_view graph : graphs) {
      GE_RETURN_IF_ERROR(VisitBodyNodes(graph, [&](std::string_view domain, std::string_view op) {
        const bool onnx = domain.empty() || domain == "ai.onnx";
        if (lacking.empty() && !(onnx && IsKnownToGe(op))) lacking = StrCat(onnx ? "ai.onnx" : domain, "::", op);
      }));
    }
  }
  return lacking;
}

std::string_view NameInModel(const ir::Node& node) {
  const auto* renamed = node.attr<std::vector<std::string>>(Private().renamed);
  if (renamed != nullptr && renamed->size() == 2 && (*renamed)[0] == node.name()) return (*renamed)[1];
  return node.name();
}

}  // namespace ge::formats::onnx
