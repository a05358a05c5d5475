// Shape and type inference: one line a case, the error messages, subgraphs, and what is followed through shape
// arithmetic.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "check.h"
#include "graph_builder.h"
#include "ops/infer.h"
#include "ops/op_def.h"

namespace ge::testing {
namespace {

using ir::Anchor;
using ir::AttrValue;
using ir::DataType;
using ir::Dim;
using ir::Shape;
using Ints = std::vector<int64_t>;
using Attrs = std::vector<std::pair<const char*, AttrValue>>;

const Dim kBatch = ir::SymbolicDim("batch");
const Dim kSeq = ir::SymbolicDim("seq");

class Net : public Builder {
 public:
  explicit Net(std::string_view name = "net") : Builder(name) {}
  Anchor Input(Shape shape, DataType type = DataType::kFloat) {
    Anchor a = In(count_++);
    graph()->SetOutputDesc(a.node, 0, ir::TensorDesc(std::move(shape), type));
    return a;
  }
  Anchor List(Ints values) {
    return Const(
        ir::MakeTensor<int64_t>(DataType::kInt64, {static_cast<Dim>(values.size())}, std::span<const int64_t>(values)));
  }
  Anchor Int(int64_t value) { return Const(ir::ScalarTensor(value)); }
  Anchor Floats(std::vector<float> values) {
    return Const(
        ir::MakeTensor<float>(DataType::kFloat, {static_cast<Dim>(values.size())}, std::span<const float>(values)));
  }
  Anchor Node(const char* type, std::vector<Anchor> inputs, Attrs attrs = {}, uint32_t outputs = 1) {
    Anchor a = Op(type, std::move(inputs), "", outputs);
    for (auto& [name, value] : attrs) graph()->SetAttr(a.node, ir::Symbol(name), value);
    return a;
  }
  void Expect(Anchor a, const char* shape, uint32_t slot = 0) { expected_.push_back({{a.node, slot}, shape}); }
  void Check() {
    Status s = ops::InferShapes(*graph());
    if (!s.ok()) std::fprintf(stderr, "%s\n", s.message().c_str());
    CHECK(s.ok());
    for (const auto& [a, wanted] : expected_) {
      const Shape& shape = a.node->output_desc(a.index).shape;
      std::string found = shape.unknown_rank() ? "?" : shape.ToString();
      if (found == wanted) continue;
      std::fprintf(stderr, "%s output %u: expected %s, found %s\n", std::string(a.node->name()).c_str(), a.index,
                   wanted.c_str(), found.c_str());
      ++Failures();
    }
  }

 private:
  int64_t count_ = 0;
  std::vector<std::pair<Anchor, std::string>> expected_;
};

void SymbolsGoThrough() {
  Net n;
  Anchor x = n.Input({kBatch, kSeq, 32});
  n.Expect(n.Node("Add", {x, n.Input({32})}), "[batch, seq, 32]");
  n.Expect(n.Node("Add", {x, n.Input({kBatch, 1, 1})}), "[batch, seq, 32]");
  n.Expect(n.Node("Add", {x, n.Input({1, 8, 32})}), "[batch, 8, 32]");
  n.Expect(n.Node("Add", {x, n.Input({kSeq, kBatch, 32})}), "[-1, -1, 32]");
  n.Expect(n.Node("BatchMatMulV2", {x, n.Input({32, 64})}), "[batch, seq, 64]");
  n.Expect(n.Node("BatchMatMulV2", {x, n.Input({32})}), "[batch, seq]");
  n.Expect(n.Node("BatchMatMulV2", {x, x}, {{"adj_x2", true}}), "[batch, seq, seq]");
  n.Expect(n.Node("ReduceMean", {x, n.List({-1})}, {{"keep_dims", true}}), "[batch, seq, 1]");
  n.Expect(n.Node("ReduceSum", {x, n.List({})}, {{"noop_with_empty_axes", false}}), "[]");
  n.Expect(n.Node("Reshape", {x, n.List({0, -1, 4, 8})}), "[batch, seq, 4, 8]");
  n.Expect(n.Node("Reshape", {x, n.List({-1, 32})}), "[-1, 32]");
  n.Expect(n.Node("OneHot", {n.Input({kBatch}, DataType::kInt64), n.Int(10), n.Scalar(1), n.Scalar(0)}), "[batch, 10]");
  n.Expect(n.Node("Relu", {n.Input(Shape::UnknownRank())}), "?");
  n.Check();
}

// What exporters write for a transposed attention head.
void ShapeArithmeticIsFollowed() {
  Net n;
  Anchor x = n.Input({kBatch, kSeq, 32});
  Anchor shape = n.Node("Shape", {x}, {{"dtype", ir::AttrValue(int64_t{9})}});
  auto dim = [&](int64_t i) {
    return n.Node("UnsqueezeV3", {n.Node("GatherV2", {shape, n.Int(i), n.Int(0)}), n.List({0})});
  };
  Anchor target = n.Node("ConcatD", {dim(0), dim(1), n.List({4}), n.List({8})}, {{"concat_dim", int64_t{0}}});
  Anchor heads = n.Node("Reshape", {x, target});
  n.Expect(heads, "[batch, seq, 4, 8]");
  Anchor turned = n.Node("Transpose", {heads, n.List({0, 2, 1, 3})});
  n.Expect(turned, "[batch, 4, seq, 8]");
  Anchor back = n.Node("ConcatD", {dim(0), dim(1), n.List({-1})}, {{"concat_dim", int64_t{0}}});
  n.Expect(n.Node("Reshape", {heads, back}), "[batch, seq, 32]");
  // Twice the height, by way of floats.
  Anchor image = n.Input({1, 3, 24, 40});
  Anchor size = n.Node("Shape", {image}, {{"dtype", ir::AttrValue(int64_t{9})}});
  Anchor part = n.Node("StridedSliceV2", {size, n.List({2}), n.List({4})});
  Anchor real = n.Node("Cast", {part}, {{"dst_type", int64_t{0}}});
  Anchor twice = n.Node("Floor", {n.Node("Mul", {real, n.Floats({2, 1.5f})})});
  Anchor whole = n.Node("ConcatD", {n.List({1, 3}), n.Node("Cast", {twice}, {{"dst_type", int64_t{9}}})},
                        {{"concat_dim", int64_t{0}}});
  n.Expect(n.Node("Resize", {image, {}, {}, whole}), "[1, 3, 48, 60]");
  n.Check();
}

void WindowsAndSlices() {
  Net n;
  Anchor x = n.Input({1, 3, 48, 320});
  const std::string nchw = "NCHW";
  Anchor conv = n.Node("Conv2D", {x, n.Input({8, 3, 3, 3})},
                       {{"strides", Ints{1, 1, 2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"data_format", nchw}});
  n.Expect(conv, "[1, 8, 24, 160]");
  n.Expect(
      n.Node(
          "Conv2D", {conv, n.Input({8, 1, 5, 5})},
          {{"strides", Ints{1, 1, 1, 1}}, {"pads", Ints{2, 2, 2, 2}}, {"groups", int64_t{8}}, {"data_format", nchw}}),
      "[1, 8, 24, 160]");
  n.Expect(n.Node("Conv2D", {n.Input({1, 3, kSeq, kBatch}), n.Input({8, 3, 3, 3})},
                  {{"strides", Ints{1, 1, 1, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"data_format", nchw}}),
           "[1, 8, seq, -1]");
  n.Expect(n.Node("MaxPoolV3", {conv}, {{"ksize", Ints{1, 1, 2, 2}}, {"strides", Ints{1, 1, 2, 2}}}), "[1, 8, 12, 80]");
  n.Expect(n.Node("Conv2DTranspose", {n.List({0, 0, 0, 0}), conv, n.Input({8, 4, 2, 2})},
                  {{"strides", Ints{1, 1, 2, 2}}, {"pads", Ints{0, 0, 0, 0}}, {"data_format", nchw}}),
           "[1, 4, 48, 320]");
  n.Expect(n.Node("StridedSliceV2", {x, n.List({1, -10}), n.List({INT64_MAX, -1}), n.List({2, 3}), n.List({2, 1})}),
           "[1, 3, 24, 9]");
  n.Expect(n.Node("StridedSliceV2", {x, n.List({-1}), n.List({INT64_MIN}), n.List({3}), n.List({-3})}),
           "[1, 3, 48, 107]");
  n.Expect(n.Node("SplitV", {x, n.List({100, -1}), n.Int(-1)}, {{"num_split", int64_t{2}}}, 2), "[1, 3, 48, 220]", 1);
  n.Expect(n.Node("PadV3", {x, n.List({0, 0, 1, 2, 0, 0, 3, 4})}, {{"paddings_contiguous", false}}), "[1, 3, 52, 326]");
  n.Expect(n.Node("PadV3", {x, n.List({0, 0, 0, 0, 1, 3, 2, 4})}), "[1, 3, 52, 326]");
  n.Expect(n.Node("Einsum", {n.Input({kBatch, 4, 5}), n.Input({kBatch, 5, 6})},
                  {{"equation", std::string("bij,bjk->bik")}, {"N", int64_t{2}}}),
           "[batch, 4, 6]");
  // Operators that stay ONNX's own.
  n.Expect(n.Node("ai.onnx::GlobalMaxPool", {n.Input({2, 7, 9})}), "[2, 7, 1]");
  n.Expect(n.Node("ai.onnx::Conv", {n.Input({2, 4, 16}), n.Input({6, 2, 3})},
                  {{"group", int64_t{2}}, {"pads", Ints{1, 0}}, {"strides", Ints{2}}}),
           "[2, 6, 8]");
  n.Check();
}

void SubgraphsGiveTheOutputs() {
  Net n;
  Anchor x = n.Input({2, 3});
  auto branch = [](std::string_view name, int64_t axis) {
    Net b(name);
    return b.Out({b.Node("Unsqueeze", {b.In(0)}, {{"axes", Ints{axis}}})});
  };
  Anchor either = n.Node("If", {n.Input({}, DataType::kBool), x});
  CHECK(n.graph()->AddSubgraph(either.node, "then_branch", branch("then", 0)).ok());
  CHECK(n.graph()->AddSubgraph(either.node, "else_branch", branch("else", 2)).ok());
  n.Expect(either, "[-1, -1, -1]");
  // A body that grows its first dim: only that dim is open.
  Net body("body");
  Anchor carried = body.In(0);
  body.Out({body.Node("ConcatD", {carried, carried}, {{"concat_dim", int64_t{0}}})});
  Anchor loop = n.Node("While", {x});
  CHECK(n.graph()->AddSubgraph(loop.node, "body", body.graph()).ok());
  n.Expect(loop, "[-1, 3]");
  n.Check();
}

struct Refusal {
  const char* what;
  void (*build)(Net&);
  std::vector<const char*> texts;
};

void ContradictionsAreNamed() {
  const Refusal refusals[] = {
      {"broadcast",
       [](Net& n) {
         n.Node("Add", {n.Input({2, 3}), n.Input({4})});
       },
       {"(Add)", "[2, 3]", "[4]"}},
      {"inner sizes",
       [](Net& n) {
         n.Node("MatMulV2", {n.Input({2, 3}), n.Input({4, 5})});
       },
       {"(MatMulV2)", "'3'", "'4'"}},
      {"a bias that widens",
       [](Net& n) {
         n.Node("GEMM", {n.Input({1, 3}), n.Input({3, 5}), n.Input({4, 5}), n.Scalar(1), n.Scalar(1)});
       },
       {"(GEMM)", "[4, 5]"}},
      {"elements",
       [](Net& n) {
         n.Node("Reshape", {n.Input({2, 3}), n.List({4, 2})});
       },
       {"6 elements", "[4, 2]"}},
      {"no divisor",
       [](Net& n) {
         n.Node("Reshape", {n.Input({2, 3}), n.List({4, -1})});
       },
       {"(Reshape)", "'4'"}},
      {"channels",
       [](Net& n) {
         n.Node("Conv2D", {n.Input({1, 4, 8, 8}), n.Input({8, 3, 3, 3})},
                {{"strides", Ints{1, 1, 1, 1}}, {"pads", Ints{0, 0, 0, 0}}, {"data_format", std::string("NCHW")}});
       },
       {"(Conv2D)", "4 channels"}},
      {"axis",
       [](Net& n) {
         n.Node("ConcatD", {n.Input({1}), n.Input({1})}, {{"concat_dim", int64_t{3}}});
       },
       {"(ConcatD)", "'3'"}},
      {"declaration",
       [](Net& n) {
         Anchor a = n.Node("Relu", {n.Input({1, 2})});
         n.graph()->SetOutputDesc(a.node, 0, ir::TensorDesc({1, 3}, DataType::kFloat));
         n.graph()->SetDeclared(a.node, 0, true);
       },
       {"(Relu)", "[1, 3]", "[1, 2]"}},
  };
  for (const Refusal& r : refusals) {
    Net n;
    r.build(n);
    std::string message = ops::InferShapes(*n.graph()).message();
    for (const char* text : r.texts) {
      if (message.find(text) != std::string::npos) continue;
      std::fprintf(stderr, "%s: '%s' not in '%s'\n", r.what, text, message.c_str());
      ++Failures();
    }
  }
}

// Outputs of a graph keep the names of their dims; numbers win over names.
void DeclaredNamesStay() {
  Net n;
  Anchor x = n.Input({kBatch, 4});
  ir::GraphPtr g = n.Out({n.Node("Relu", {x}), n.Node("Relu", {n.Input({2, 4})})});
  Dim rows = ir::SymbolicDim("rows");
  for (uint32_t i = 0; i < 2; ++i) g->SetInputDesc(g->net_output(), i, ir::TensorDesc({rows, -1}, DataType::kFloat));
  n.Check();
  CHECK(g->net_output()->input_desc(0).shape == Shape({rows, 4}));
  CHECK(g->net_output()->input_desc(1).shape == Shape({2, 4}));
}

}  // namespace
}  // namespace ge::testing

int main() {
  using namespace ge::testing;
  SymbolsGoThrough();
  ShapeArithmeticIsFollowed();
  WindowsAndSlices();
  SubgraphsGiveTheOutputs();
  ContradictionsAreNamed();
  DeclaredNamesStay();
  return Failures() != 0;
}
