// Random nodes of every operator with random, mostly wrong, inputs and attributes: inference may refuse, but it never
// crashes and never makes a dim that is no size. Arguments: rounds, seed.
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check.h"
#include "ir/graph.h"
#include "ops/infer.h"
#include "ops/op_def.h"
#include "ops/registrar.h"

namespace ge::testing {
namespace {

using ir::Anchor;
using ir::DataType;
using ir::Dim;
using ops::AttrType;

class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed) : random_(seed) {}

  ir::GraphPtr Make() {
    size_t count = 1 + Below(6);
    for (size_t i = 0; i < count; ++i) AddNode(Choose());
    return graph_;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  int64_t Number() {
    static constexpr int64_t kOdd[] = {0, -1, -2, -17, 64, 1000, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN};
    return Below(3) ? static_cast<int64_t>(Below(5)) - 1 : kOdd[Below(std::size(kOdd))];
  }
  Dim RandomDim() {
    static const Dim names[] = {ir::SymbolicDim("a"), ir::SymbolicDim("b")};
    static constexpr Dim kOdd[] = {ir::kUnknownDim, 0, int64_t{1} << 62, 100};
    size_t kind = Below(9);
    return kind < 2 ? names[kind] : kind < 4 ? kOdd[Below(std::size(kOdd))] : static_cast<Dim>(1 + Below(4));
  }
  ir::Shape RandomShape() {
    size_t rank = Below(13);
    if (rank == 11) return ir::Shape::UnknownRank();
    std::vector<Dim> dims;
    for (size_t i = rank == 12 ? rank : rank % 6; i > 0; --i) dims.push_back(RandomDim());
    return ir::Shape(dims);
  }
  DataType RandomType() {
    static constexpr DataType kTypes[] = {DataType::kFloat,     DataType::kFloat16,   DataType::kInt32,
                                          DataType::kInt64,     DataType::kBool,      DataType::kInt8,
                                          DataType::kUndefined, DataType::kComplex64, DataType::kString};
    return kTypes[Below(std::size(kTypes))];
  }
  ir::AttrValue RandomAttr(AttrType type) {
    static constexpr const char* kTexts[] = {"NCHW",      "NHWC",           "SAME_UPPER", "VALID",         "",
                                             "ij,jk->ik", "...i,i...->...", "bij,bjk",    "bidirectional", "not_larger",
                                             "i->ii",     "DT_INT8"};
    std::vector<int64_t> list(Below(7));
    for (int64_t& v : list) v = Number();
    switch (type) {
      case AttrType::kInt:
        return Number();
      case AttrType::kFloat:
        return static_cast<float>(Number());
      case AttrType::kBool:
        return Below(2) == 0;
      case AttrType::kString:
        return std::string(kTexts[Below(std::size(kTexts))]);
      case AttrType::kType:
        return static_cast<DataType>(Below(43));
      case AttrType::kListInt:
        return list;
      case AttrType::kListListInt:
        return std::vector<std::vector<int64_t>>{list, {Number(), Number()}};
      default:
        return {};
    }
  }
  Anchor RandomInput() {
    size_t kind = Below(10);
    if (kind >= 8 && !made_.empty()) return made_[Below(made_.size())];
    ir::Node* n = graph_->AddNode(kind < 4 ? ir::Common().Data : ir::Common().Const, "input", 0, 1);
    if (kind < 4) {
      graph_->SetOutputDesc(n, 0, ir::TensorDesc(RandomShape(), RandomType()));
    } else if (Below(3)) {
      SetValue<int64_t>(n, DataType::kInt64, Below(2) ? 1 : Below(70));
    } else {
      SetValue<float>(n, DataType::kFloat, Below(6));
    }
    return {n, 0};
  }
  template <typename T>
  void SetValue(ir::Node* n, DataType type, size_t size) {
    std::vector<T> values(size);
    for (T& v : values) v = static_cast<T>(Number());
    ir::Shape shape = size == 1 && Below(2) ? ir::Shape() : ir::Shape{static_cast<Dim>(size)};
    graph_->SetAttr(n, ir::Common().value, ir::MakeTensor<T>(type, shape, std::span<const T>(values)));
  }
  // Operators that stay ONNX's own, and attribute names that their rules read.
  const ops::OpDef* ChooseForeign() {
    static constexpr const char* kTypes[] = {
        "Abs", "Acos", "Acosh", "Add", "AffineGrid", "And", "ArgMax", "ArgMin", "Asin", "Asinh", "Atan",
        "Atanh", "Attention", "AveragePool", "BatchNormalization", "Bernoulli", "BitCast", "BitShift",
        "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "BlackmanWindow", "Cast", "CastLike",
        "CausalConvWithState", "Ceil", "Celu", "CenterCropPad", "Clip", "Col2Im", "Compress", "Concat",
        "Constant", "ConstantOfShape", "Conv", "ConvInteger", "ConvTranspose", "Cos", "Cosh", "CumProd",
        "CumSum", "DFT", "DeformConv", "DequantizeLinear", "Det", "Div", "Dropout", "DynamicQuantizeLinear",
        "Einsum", "Elu", "Equal", "Erf", "Exp", "Expand", "EyeLike", "Flatten", "Floor", "GRU", "Gather",
        "GatherElements", "GatherND", "Gelu", "Gemm", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool",
        "Greater", "GreaterOrEqual", "GridSample", "GroupNormalization", "HammingWindow", "HannWindow",
        "HardSigmoid", "HardSwish", "Hardmax", "Identity", "ImageDecoder", "InstanceNormalization", "IsInf",
        "IsNaN", "LRN", "LSTM", "LayerNormalization", "LeakyRelu", "Less", "LessOrEqual", "LinearAttention",
        "Log", "LogSoftmax", "LpNormalization", "LpPool", "MatMul", "MatMulInteger", "Max", "MaxPool",
        "MaxRoiPool", "MaxUnpool", "Mean", "MeanVarianceNormalization", "MelWeightMatrix", "Min", "Mish", "Mod",
        "Mul", "Multinomial", "Neg", "NegativeLogLikelihoodLoss", "NonMaxSuppression", "NonZero", "Not",
        "OneHot", "Optional", "OptionalGetElement", "OptionalHasElement", "Or", "PRelu", "Pad", "Pow",
        "QLinearConv", "QLinearMatMul", "QuantizeLinear", "RMSNormalization", "RNN", "RandomNormal",
        "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Range", "Reciprocal", "ReduceL1", "ReduceL2",
        "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
        "ReduceSumSquare", "RegexFullMatch", "Relu", "Reshape", "Resize", "ReverseSequence", "RoiAlign",
        "RotaryEmbedding", "Round", "STFT", "Scatter", "ScatterElements", "ScatterND", "Selu",
        "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength",
        "SequenceMap", "Shape", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Size", "Slice", "Softmax",
        "SoftmaxCrossEntropyLoss", "Softplus", "Softsign", "Split", "SplitToSequence", "Sqrt", "Squeeze",
        "StringConcat", "StringNormalizer", "StringSplit", "Sub", "Sum", "SwiGLU", "Swish", "Tan", "Tanh",
        "TensorScatter", "TfIdfVectorizer", "ThresholdedRelu", "Tile", "TopK", "Transpose", "Trilu", "Unique",
        "Unsqueeze", "Where", "Xor"};
    return ops::FindForeignOp(ir::Symbol(StrCat("ai.onnx::", kTypes[Below(std::size(kTypes))])));
  }
  void SetForeignAttrs(ir::Node* n) {
    static constexpr std::pair<const char*, AttrType> kAttrs[] = {
        {"axes", AttrType::kListInt},         {"axis", AttrType::kInt},          {"dtype", AttrType::kInt},
        {"kernel_shape", AttrType::kListInt}, {"pads", AttrType::kListInt},      {"strides", AttrType::kListInt},
        {"dilations", AttrType::kListInt},    {"group", AttrType::kInt},         {"keepdims", AttrType::kInt},
        {"to", AttrType::kInt},               {"start", AttrType::kInt},         {"end", AttrType::kInt},
        {"split", AttrType::kListInt},        {"shape", AttrType::kListInt},     {"perm", AttrType::kListInt},
        {"onesided", AttrType::kInt},         {"inverse", AttrType::kInt},       {"q_num_heads", AttrType::kInt},
        {"kv_num_heads", AttrType::kInt},     {"equation", AttrType::kString},   {"auto_pad", AttrType::kString},
        {"output_dtype", AttrType::kInt},     {"ngram_indexes", AttrType::kListInt}};
    for (const auto& [name, type] : kAttrs) {
      if (Below(4) == 0) graph_->SetAttr(n, ir::Symbol(name), RandomAttr(type));
    }
  }
  const ops::OpDef* Choose() {
    if (Below(4) == 0) return ChooseForeign();
    // Operators whose results are followed meet more often.
    static constexpr const char* kOften[] = {
        "Shape", "GatherV2", "ConcatD", "Reshape", "Cast",   "StridedSliceV2", "UnsqueezeV3", "SqueezeV3", "Mul",
        "Sub",   "RealDiv",  "Range",   "Fill",    "Expand", "SelectV2",       "Tile",        "Split"};
    if (Below(3) == 0) return ops::FindOp(ir::Symbol(kOften[Below(std::size(kOften))]));
    return ops::AllOps()[Below(ops::AllOps().size())];
  }
  uint32_t Slots(const std::vector<ops::IoDef>& ios) {
    size_t n = 0;
    for (const ops::IoDef& io : ios) n += io.kind == ops::IoKind::kDynamic ? Below(4) : 1;
    // Sometimes too few or too many.
    return static_cast<uint32_t>(Below(8) ? n : Below(n + 2));
  }
  void AddNode(const ops::OpDef* def) {
    uint32_t inputs = Slots(def->inputs()), outputs = Slots(def->outputs());
    // Of ONNX's operators the outputs are not defined, and few inputs are used.
    if (def->es_group().empty()) {
      inputs = static_cast<uint32_t>(Below(6));
      outputs = static_cast<uint32_t>(Below(5));
    }
    ir::Node* n = graph_->AddNode(def->type(), StrCat("n", graph_->num_nodes()), inputs, outputs);
    for (uint32_t i = 0; i < inputs; ++i) {
      if (Below(10)) graph_->Connect(RandomInput(), n, i);
    }
    if (def->es_group().empty()) SetForeignAttrs(n);
    for (const ops::AttrDef& a : def->attrs()) {
      AttrType type = Below(30) ? a.type : static_cast<AttrType>(Below(12));
      if (a.required || Below(2)) graph_->SetAttr(n, a.name, RandomAttr(type));
    }
    for (uint32_t i = 0; i < outputs; ++i) {
      made_.push_back({n, i});
      if (Below(20)) continue;
      graph_->SetOutputDesc(n, i, ir::TensorDesc(RandomShape(), RandomType()));
      graph_->SetDeclared(n, i, true);
    }
  }

  std::mt19937_64 random_;
  ir::GraphPtr graph_ = ir::Graph::Create("random");
  std::vector<Anchor> made_;
};

void Run(uint64_t seed) {
  ir::GraphPtr graph = RandomGraph(seed).Make();
  if (!ops::InferShapes(*graph).ok()) return;
  for (const ir::Node* n : graph->nodes()) {
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      const ir::Shape& shape = n->output_desc(i).shape;
      if (shape.unknown_rank()) continue;
      for (Dim d : shape.dims()) {
        bool valid = ir::IsStatic(d) || d == ir::kUnknownDim || !ir::DimName(d).empty();
        if (!valid)
          std::fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, std::string(n->type().view()).c_str());
        CHECK(valid);
      }
    }
  }
  // A second run sees the first one's results.
  CHECK(ops::InferShapes(*graph).ok());
}

}  // namespace
}  // namespace ge::testing

int main(int argc, char** argv) {
  uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  for (uint64_t i = 0; i < rounds && ge::testing::Failures() < 20; ++i) ge::testing::Run(seed * 1000003 + i);
  return ge::testing::Failures() != 0;
}
