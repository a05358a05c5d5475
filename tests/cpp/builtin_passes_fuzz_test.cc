// Random graphs through the built-in passes: links and order stay sound, outputs keep their shapes, and a roll-back
// restores the graph to the letter.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "fusion/builtin/builtin_pass.h"
#include "graph_builder.h"
#include "ops/infer.h"

namespace ge::testing {
namespace {

using ir::DataType;

class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed), builder_("g") {}

  ir::GraphPtr Make() {
    for (int64_t i = 0; i < 2; ++i) {
      ir::Anchor x = builder_.In(i);
      ir::Dim first = Below(2) == 0 ? ir::kUnknownDim : 2;
      builder_.graph()->SetOutputDesc(x.node, 0, ir::TensorDesc({first, 4, 6, 6}, DataType::kFloat));
      builder_.graph()->SetTensorName(x.node, 0, x.node->name());
      tensors_.push_back(x);
    }
    tensors_.push_back(Floats({4, 1, 1}));
    tensors_.push_back(Floats({}));
    size_t count = 4 + Below(20);
    for (size_t i = 0; i < count; ++i) Step();
    std::vector<ir::Anchor> outputs;
    for (size_t i = 0; i < 1 + Below(4); ++i) outputs.push_back(Pick());
    ir::GraphPtr graph = builder_.Out(outputs);
    for (ir::Node* node : graph->nodes()) {
      for (uint32_t i = 0; i < node->num_outputs(); ++i) graph->SetTensorName(node, i, StrCat(node->name(), "_t", i));
    }
    if (Below(4) == 0) {
      ir::Anchor a = Pick(), b = Pick();
      if (a.node->id() < b.node->id()) graph->AddControlEdge(a.node, b.node);
    }
    return graph;
  }

 private:
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  ir::Anchor Pick() { return tensors_[Below(tensors_.size())]; }
  ir::Anchor Floats(ir::Shape shape) {
    std::vector<float> values(static_cast<size_t>(shape.NumElements()));
    for (float& v : values) v = 0.5f + static_cast<float>(Below(8)) / 4;
    return builder_.Const(ir::MakeTensor<float>(DataType::kFloat, std::move(shape), values));
  }
  ir::Anchor Ints(const std::vector<int64_t>& values) {
    return builder_.Const(
        ir::MakeTensor<int64_t>(DataType::kInt64, {static_cast<ir::Dim>(values.size())}, values));
  }
  void Set(ir::Anchor a, const char* name, ir::AttrValue value) {
    builder_.graph()->SetAttr(a.node, ir::Symbol(name), std::move(value));
  }
  // Operators of any input keep its shape; those of rank 4 are put on the graph's inputs.
  void Step() {
    ir::Anchor x = Pick(), input = tensors_[Below(2)];
    switch (Below(9)) {
      case 0: tensors_.push_back(builder_.Op("Identity", {x})); break;
      case 1: {
        ir::Anchor added = Floats(Below(2) == 0 ? ir::Shape{4, 1, 1} : ir::Shape{});
        tensors_.push_back(builder_.Op("Add", {input, added}));
        break;
      }
      case 2: tensors_.push_back(builder_.Op("Mul", {x, Floats({})})); break;
      case 3: {
        ir::Anchor y = input;
        for (size_t i = 0; i < 1 + Below(3); ++i) {
          static const std::vector<int64_t> perms[] = {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 2, 3}, {0, 2, 1, 3}};
          y = builder_.Op("Transpose", {y, Ints(perms[Below(4)])});
        }
        tensors_.push_back(y);
        break;
      }
      case 4: {
        static const std::vector<int64_t> sizes[] = {{-1, 36}, {-1, 4, 36}};
        ir::Anchor y = builder_.Op("Reshape", {input, Ints(sizes[Below(2)])});
        tensors_.push_back(y);
        tensors_.push_back(builder_.Op("Reshape", {y, Ints({-1, 4, 6, 6})}));
        break;
      }
      case 5: {
        ir::Anchor y = builder_.Op("Cast", {x});
        Set(y, "dst_type", static_cast<int64_t>(Below(2) == 0 ? DataType::kDouble : DataType::kFloat16));
        ir::Anchor z = builder_.Op("Cast", {y});
        Set(z, "dst_type", static_cast<int64_t>(DataType::kFloat));
        tensors_.push_back(z);
        break;
      }
      case 6: Convolution(input); break;
      case 7: {
        ir::Anchor s = builder_.Op("Shape", {input});
        Set(s, "dtype", static_cast<int64_t>(DataType::kInt64));
        ir::Anchor part = builder_.Op("GatherV2", {s, Ints({1, 2}), builder_.Const(ir::ScalarTensor(int32_t{0}))});
        ir::Anchor first = builder_.Op("GatherV2", {s, Ints({0}), builder_.Const(ir::ScalarTensor(int32_t{0}))});
        ir::Anchor sizes = builder_.Op("ConcatD", {first, part, Ints({6})});
        Set(sizes, "concat_dim", int64_t{0});
        Set(sizes, "N", int64_t{3});
        tensors_.push_back(builder_.Op("Reshape", {input, sizes}));
        break;
      }
      default: {
        // Twice the same.
        tensors_.push_back(builder_.Op("Relu", {x}));
        tensors_.push_back(builder_.Op("Relu", {x}));
        break;
      }
    }
  }

  void Convolution(ir::Anchor x) {
    std::vector<ir::Anchor> operands{x, Floats({4, 4, 1, 1})};
    if (Below(2) == 0) operands.insert(operands.end(), {Floats({4}), {}});
    ir::Anchor y = builder_.Op("Conv2D", operands);
    Set(y, "strides", std::vector<int64_t>{1, 1, 1, 1});
    Set(y, "pads", std::vector<int64_t>{0, 0, 0, 0});
    Set(y, "dilations", std::vector<int64_t>{1, 1, 1, 1});
    Set(y, "groups", int64_t{1});
    Set(y, "data_format", std::string("NCHW"));
    if (Below(3) == 0) tensors_.push_back(y);
    if (Below(3) == 0) y = builder_.Op("Mul", {Floats({4, 1, 1}), y});
    y = builder_.Op("BatchNorm", {y, Floats({4}), Floats({4}), Floats({4}), Floats({4})}, "", 6);
    Set(y, "is_training", false);
    Set(y, "data_format", std::string("NCHW"));
    tensors_.push_back(y);
  }

  std::mt19937 random_;
  Builder builder_;
  std::vector<ir::Anchor> tensors_;
};

// Shapes and element types of the graph outputs.
std::string Outputs(const ir::Graph& graph) {
  std::string out;
  const ir::Node& n = *graph.net_output();
  for (uint32_t i = 0; i < n.num_inputs(); ++i) {
    ir::Anchor a = n.input(i);
    const ir::TensorDesc& d = a.node->output_desc(a.index);
    out += StrCat(ir::Name(d.dtype), d.shape.ToString(), " ");
  }
  return out;
}

bool RunAll(unsigned seed, std::vector<int64_t>* rewrites) {
  ir::GraphPtr graph = RandomGraph(seed).Make();
  Status inferred = ops::InferShapes(*graph);
  CHECK(inferred.ok());
  if (!inferred.ok()) std::fprintf(stderr, "%s\n", inferred.message().c_str());
  const std::string outputs = Outputs(*graph);
  int before = Failures();
  for (size_t i = 0; i < fusion::BuiltinPasses().size(); ++i) {
    const fusion::BuiltinPass& pass = fusion::BuiltinPasses()[i];
    CHECK(graph->TopologicalSort().ok());
    const std::string dump = Dump(*graph);
    for (bool keep : {false, true}) {
      ir::Transaction transaction(graph.get());
      fusion::PassContext context;
      context.set_pass_name(pass.name);
      uint32_t code = pass.create()->Run(*graph, context);
      CHECK(code == (context.rewrites > 0 ? kSuccess : kNotChanged));
      CHECK(context.errors.empty());
      CHECK(Defect(*graph).empty());
      if (keep) {
        transaction.Commit();
        (*rewrites)[i] += context.rewrites;
        continue;
      }
      transaction.Rollback();
      CHECK(Dump(*graph) == dump);
      CHECK(Defect(*graph).empty());
    }
    CHECK(ops::InferShapes(*graph).ok());
    CHECK(Outputs(*graph) == outputs);
    if (Failures() > before) {
      std::fprintf(stderr, "seed %u, pass %s\n%s", seed, std::string(pass.name).c_str(), Dump(*graph).c_str());
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace ge::testing

int main(int argc, char** argv) {
  unsigned first = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 0;
  unsigned count = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 400;
  std::vector<int64_t> rewrites(ge::fusion::BuiltinPasses().size(), 0);
  for (unsigned seed = first; seed < first + count; ++seed) {
    if (!ge::testing::RunAll(seed, &rewrites)) break;
  }
  for (size_t i = 0; i < rewrites.size(); ++i) {
    std::string_view name = ge::fusion::BuiltinPasses()[i].name;
    std::printf("%s: %lld rewrites\n", std::string(name).c_str(), static_cast<long long>(rewrites[i]));
    // The graphs have no Dropout, and what dies goes at once.
    if (i != 0 && i + 1 != rewrites.size()) CHECK(rewrites[i] > 0);
  }
  return ge::testing::Failures() == 0 ? 0 : 1;
}
