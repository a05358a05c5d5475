// Matching and rewriting on small graphs built by hand.
#include <algorithm>
#include <functional>

#include "check.h"
#include "fusion/matcher.h"
#include "fusion/pass.h"
#include "fusion/rewriter.h"
#include "graph_builder.h"

namespace ge::testing {
namespace {

using fusion::MatchResult;
using fusion::Pattern;
using fusion::PatternMatcher;
using fusion::PatternMatcherConfig;
using ir::Anchor;

constexpr PatternMatcherConfig kValues{true, false};
constexpr PatternMatcherConfig kAttrs{false, true};

// A graph of Data inputs and what `make` returns as outputs.
ir::GraphPtr Make(int inputs, const std::function<std::vector<Anchor>(Builder&, std::vector<Anchor>&)>& make,
                  std::string_view name = "g") {
  Builder b(name);
  std::vector<Anchor> in;
  for (int i = 0; i < inputs; ++i) in.push_back(b.In(i));
  std::vector<Anchor> out = make(b, in);
  return b.Out(out);
}

// Names of output 0's owners of all matches, joined.
std::string Found(const ir::GraphPtr& graph, const ir::GraphPtr& pattern_graph, PatternMatcherConfig config = {}) {
  Pattern pattern(pattern_graph);
  PatternMatcher matcher(&pattern, graph.get(), config);
  if (!matcher.validity().ok()) return "invalid: " + matcher.validity().message();
  std::vector<std::string> names;
  while (const MatchResult* m = matcher.Next()) {
    CHECK(matcher.StillMatches());
    names.emplace_back(m->MatchedNode(pattern_graph->net_output()->input(0).node)->name());
  }
  return Join(names, " ");
}

bool Contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A pass made of functions.
class TestPass : public fusion::PatternFusionPass {
 public:
  using Make = std::function<ir::GraphPtr(const MatchResult&)>;
  TestPass(ir::GraphPtr pattern, Make replace, PatternMatcherConfig config = {})
      : PatternFusionPass(config), pattern_(std::move(pattern)), replace_(std::move(replace)) {}
  TestPass(ir::GraphPtr pattern, ir::GraphPtr replacement, PatternMatcherConfig config = {})
      : TestPass(std::move(pattern), [replacement](const MatchResult&) { return replacement; }, config) {}
  std::function<bool(const MatchResult&)> meet;

 protected:
  std::vector<std::unique_ptr<Pattern>> Patterns(fusion::PassContext&) override {
    std::vector<std::unique_ptr<Pattern>> all;
    all.push_back(std::make_unique<Pattern>(pattern_));
    return all;
  }
  bool MeetRequirements(const MatchResult& m, fusion::PassContext&) override { return !meet || meet(m); }
  ir::GraphPtr Replacement(const MatchResult& m, fusion::PassContext&) override { return replace_(m); }

 private:
  ir::GraphPtr pattern_;
  Make replace_;
};

struct Outcome {
  uint32_t code;
  int64_t matches, rewrites;
  std::string error;
};

// Runs the pass, then checks the graph; a second copy is rolled back and compared.
Outcome RunPass(const ir::GraphPtr& graph, fusion::FusionBasePass& pass) {
  std::string before = Dump(*graph);
  {
    fusion::PassContext context;
    context.set_pass_name("TestPass");
    ir::Transaction transaction(graph.get());
    (void)pass.Run(*graph, context);
    transaction.Rollback();
  }
  CHECK(Dump(*graph) == before);
  fusion::PassContext context;
  context.set_pass_name("TestPass");
  uint32_t code = pass.Run(*graph, context);
  CHECK(Defect(*graph) == "");
  return {code, context.matches, context.rewrites, context.errors.empty() ? "" : context.errors[0].message};
}

std::string Types(const ir::GraphPtr& graph) {
  std::vector<std::string> types;
  for (const ir::Node* n : graph->nodes()) {
    if (!n->is_data() && !n->is_net_output()) types.emplace_back(n->type().view());
  }
  std::sort(types.begin(), types.end());
  return Join(types, " ");
}

// ---- matching ---------------------------------------------------------------------------------------------------------

void SingleNodesInListOrder() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    Anchor a = b.Op("Relu", {b.Op("Abs", {b.Op("Relu", {in[0]}, "r0")})}, "r1");
    return std::vector<Anchor>{b.Op("Relu", {a}, "r2")};
  });
  auto relu = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Relu", {in[0]})}; });
  CHECK(Found(graph, relu) == "r0 r1 r2");
  Pattern pattern(relu);
  PatternMatcher matcher(&pattern, graph.get());
  const MatchResult* m = matcher.Next();
  auto boundary = m->ToBoundary();
  CHECK(boundary.ok() && boundary.value().inputs().size() == 1 && boundary.value().outputs().size() == 1);
  CHECK(boundary.value().inputs().at(0).slots()[0].node->name() == "r0");
  CHECK(boundary.value().outputs().at(0).anchor().node->name() == "r0");
  CHECK(Contains(m->ToString(), "(Relu:r0)"));
}

void ConstantsAndTheirValues() {
  auto shape = [](std::vector<int64_t> v) {
    return ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<int64_t>(v.size())}, v);
  };
  auto graph = Make(2, [&](Builder& b, auto& in) {
    Anchor x = b.Op("Reshape", {in[0], b.Const(shape({-1, 1, 256}))}, "x_reshape");
    Anchor y = b.Op("Reshape", {in[1], b.Const(shape({2, 3}))}, "y_reshape");
    return std::vector<Anchor>{b.Op("TransData", {x}, "t4"), y};
  });
  auto pattern = [&](std::vector<int64_t> v, bool trans) {
    return Make(1, [&](Builder& b, auto& in) {
      Anchor r = b.Op("Reshape", {in[0], b.Const(shape(v))});
      return std::vector<Anchor>{trans ? b.Op("TransData", {r}) : r};
    });
  };
  CHECK(Found(graph, pattern({-1, 1, 256}, false)) == "x_reshape y_reshape");
  CHECK(Found(graph, pattern({-1, 2, 256}, false), kValues) == "");
  CHECK(Found(graph, pattern({-1, 1, 256}, false), kValues) == "x_reshape");
  CHECK(Found(graph, pattern({5}, true)) == "t4");
  auto no_value = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Reshape", {in[0], b.Const(nullptr)})};
  });
  CHECK(Found(graph, no_value, kValues) == "x_reshape y_reshape");
}

void ConstantComparison() {
  auto with = [](ir::TensorPtr t) {
    return Make(1, [&](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Add", {in[0], b.Const(t)}, "add")}; });
  };
  auto same = [&](ir::TensorPtr pattern, ir::TensorPtr target) {
    return Found(with(target), with(pattern), kValues) == "add";
  };
  std::vector<float> six{1, 2, 3, 4, 5, 6};
  auto floats = [&](ir::Shape s) { return ir::MakeTensor<float>(ir::DataType::kFloat, s, six); };
  CHECK(same(ir::ScalarTensor(1.5f), ir::ScalarTensor(1.5f)));
  CHECK(!same(ir::ScalarTensor(1.5f), ir::ScalarTensor(2.5f)));
  CHECK(!same(ir::ScalarTensor(int64_t{1}), ir::ScalarTensor(int32_t{1})));
  CHECK(!same(ir::ScalarTensor(0.0f), ir::ScalarTensor(-0.0f)));
  CHECK(same(floats({3, 2}), floats({3, 2})) && !same(floats({3, 2}), floats({6})));
  CHECK(same(floats({-1, 2}), floats({3, 2})));
  CHECK(same(nullptr, floats({6})) && !same(floats({6}), nullptr));
  float one = 1.5f;
  CHECK(!same(ir::ScalarTensor(1.5f), ir::MakeTensor<float>(ir::DataType::kFloat, {1}, std::span(&one, 1))));
}

ir::GraphPtr AbsGraph() {
  return Make(1, [](Builder& b, auto& in) {
    Anchor a = b.Op("Abs", {in[0]}, "abs1");
    Anchor e = b.Op("Exp", {a}, "exp"), r = b.Op("Relu", {a}, "relu");
    return std::vector<Anchor>{b.Op("Add", {e, r}, "add")};
  });
}

ir::GraphPtr ExpReluOf(std::string_view root) {
  return Make(1, [&](Builder& b, auto& in) {
    Anchor a = root.empty() ? in[0] : b.Op(root, {in[0]});
    return std::vector<Anchor>{b.Op("Exp", {a}), b.Op("Relu", {a})};
  });
}

void SeveralOutputs() {
  auto graph = AbsGraph();
  auto pattern_graph = ExpReluOf("Abs");
  CHECK(Found(graph, pattern_graph) == "exp");
  CHECK(Found(graph, ExpReluOf("")) == "exp");
  CHECK(Found(graph, ExpReluOf("Neg")) == "");
  Pattern pattern(pattern_graph);
  PatternMatcher matcher(&pattern, graph.get());
  std::vector<std::string> names;
  for (ir::Node* n : matcher.Next()->MatchedNodes()) names.emplace_back(n->name());
  CHECK(Join(names, " ") == "abs1 exp relu");
  auto apart = Make(2, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Exp", {b.Op("Abs", {in[0]})}), b.Op("Relu", {b.Op("Abs", {in[1]})})};
  });
  CHECK(Found(apart, ExpReluOf("")) == "" && Found(apart, ExpReluOf("Abs")) == "");
  auto exp_abs_relu = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Exp", {b.Op("Abs", {in[0]})}), b.Op("Relu", {in[0]})};
  });
  CHECK(Found(graph, exp_abs_relu) == "");
}

void EveryInstanceWithOutputsInReverse() {
  auto graph = Make(4, [](Builder& b, auto& in) {
    std::vector<Anchor> out, abs;
    for (int i = 0; i < 4; ++i) abs.push_back(b.Op("Abs", {in[i]}, StrCat("abs", i)));
    out.push_back(b.Op("Exp", {in[0]}, "decoy"));
    for (int i = 0; i < 4; ++i) out.push_back(b.Op("Exp", {abs[i]}, StrCat("exp", i)));
    for (int i = 3; i >= 0; --i) out.push_back(b.Op("Relu", {abs[i]}, StrCat("relu", i)));
    return out;
  });
  CHECK(Found(graph, ExpReluOf("Abs")) == "exp0 exp1 exp2 exp3");
}

void ThreeProjectionsOfOneInput() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    std::vector<Anchor> out;
    for (const char* name : {"q", "k", "v"}) out.push_back(b.Op("MatMul", {in[0], b.Scalar(1)}, name));
    out.push_back(b.Op("MatMul", {b.Op("Abs", {in[0]}), b.Scalar(1)}, "alone"));
    return out;
  });
  auto pattern = Make(4, [](Builder& b, auto& in) {
    std::vector<Anchor> out;
    for (int i = 1; i < 4; ++i) out.push_back(b.Op("MatMul", {in[0], in[i]}));
    return out;
  });
  CHECK(Found(graph, pattern) == "q q k k v v");
  Pattern p(pattern);
  PatternMatcher matcher(&p, graph.get());
  while (const MatchResult* m = matcher.Next()) CHECK(m->MatchedNodes().size() == 3);
}

void NeverTwoRoles() {
  auto pattern = Make(2, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Add", {b.Op("Relu", {in[0]}), b.Op("Relu", {in[1]})})};
  });
  auto one = Make(1, [](Builder& b, auto& in) {
    Anchor r = b.Op("Relu", {in[0]});
    return std::vector<Anchor>{b.Op("Add", {r, r}, "add")};
  });
  auto two = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Add", {b.Op("Relu", {in[0]}), b.Op("Relu", {in[0]})}, "add")};
  });
  CHECK(Found(one, pattern) == "" && Found(two, pattern) == "add");
}

void SharedWildcardsCompareOutputs() {
  auto pattern = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Add", {in[0], in[0]})}; });
  auto graph = [](uint32_t second) {
    return Make(1, [&](Builder& b, auto& in) {
      Anchor s = b.Op("TopKV2", {in[0]}, "", 2);
      return std::vector<Anchor>{b.Op("Add", {s, {s.node, second}}, "add")};
    });
  };
  CHECK(Found(graph(0), pattern) == "add" && Found(graph(1), pattern) == "");
}

void OptionalInputsGoBySlot() {
  auto with = [](std::vector<int> slots) {
    return Make(3, [&](Builder& b, auto& in) {
      std::vector<Anchor> inputs;
      for (int s : slots) inputs.push_back(s < 0 ? Anchor{} : in[s]);
      return std::vector<Anchor>{b.Op("MatMulV2", inputs, "mm")};
    });
  };
  auto pattern = [&](std::vector<int> slots) {
    Builder b;
    std::vector<Anchor> inputs;
    int n = 0;
    for (int s : slots) inputs.push_back(s < 0 ? Anchor{} : b.In(n++));
    return b.Out({b.Op("MatMulV2", inputs)});
  };
  CHECK(Found(with({0, 1, -1, -1}), pattern({0, 1, -1, -1})) == "mm");
  CHECK(Found(with({0, 1}), pattern({0, 1, -1, -1})) == "mm");
  CHECK(Found(with({0, 1, -1, -1}), pattern({0, 1})) == "mm");
  CHECK(Found(with({0, 1, 2, -1}), pattern({0, 1})) == "");
  CHECK(Found(with({0, 1}), pattern({0, 1, 2})) == "");
  CHECK(Found(with({0, 1, -1, 2}), pattern({0, 1, 2, -1})) == "");
  CHECK(Found(with({0, 1, -1, 2}), pattern({0, 1, -1, 2})) == "mm");
}

void DynamicOperatorsMatchByCount() {
  auto concat = [](int n) {
    return Make(4, [&](Builder& b, auto& in) {
      return std::vector<Anchor>{b.Op("Pack", std::vector<Anchor>(in.begin(), in.begin() + n), "pack")};
    });
  };
  auto pattern = [](int n) {
    Builder b;
    std::vector<Anchor> in;
    for (int i = 0; i < n; ++i) in.push_back(b.In(i));
    return b.Out({b.Op("Pack", in)});
  };
  CHECK(Found(concat(3), pattern(3)) == "pack" && Found(concat(4), pattern(3)) == "" && Found(concat(2), pattern(3)) == "");
  auto split = [](uint32_t n) {
    return Make(2, [&](Builder& b, auto& in) {
      Anchor s = b.Op("Split", {in[0], in[1]}, "split", n);
      return std::vector<Anchor>{{s.node, 0}, {s.node, 1}};
    });
  };
  CHECK(Found(split(2), split(2)) == "split" && Found(split(3), split(2)) == "");
}

void AttributesCompareByNameWithDefaults() {
  static const ir::Symbol x1("transpose_x1"), x2("transpose_x2");
  auto graph = [](std::vector<std::pair<ir::Symbol, bool>> attrs, std::string_view type = "MatMul") {
    return Make(2, [&](Builder& b, auto& in) {
      Anchor m = b.Op(type, {in[0], in[1], {}}, "mm");
      for (auto& [name, value] : attrs) b.graph()->SetAttr(m.node, name, value);
      return std::vector<Anchor>{m};
    });
  };
  CHECK(Found(graph({}), graph({{x1, false}}), kAttrs) == "mm");
  CHECK(Found(graph({{x2, false}, {x1, true}}), graph({{x1, true}, {x2, false}}), kAttrs) == "mm");
  CHECK(Found(graph({{x1, true}}), graph({}), kAttrs) == "");
  CHECK(Found(graph({{x1, true}}), graph({})) == "mm");
  auto chain = [](std::string_view inner) {
    return Make(1, [&](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Relu", {b.Op(inner, {in[0]})}, "r")}; });
  };
  CHECK(Found(chain("Exp"), chain("Abs"), kAttrs) == "" && Found(chain("Abs"), chain("Abs"), kAttrs) == "r");
}

void InnerNodesBelongToTheMatchAlone() {
  auto graph = Make(2, [](Builder& b, auto& in) {
    Anchor shared = b.Op("Abs", {in[0]}, "shared"), own = b.Op("Abs", {in[1]}, "own");
    return std::vector<Anchor>{b.Op("Relu", {shared}, "r0"), b.Op("Exp", {shared}), b.Op("Relu", {own}, "r1")};
  });
  auto relu_abs = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Relu", {b.Op("Abs", {in[0]})})}; });
  auto both = Make(1, [](Builder& b, auto& in) {
    Anchor a = b.Op("Abs", {in[0]});
    return std::vector<Anchor>{b.Op("Relu", {a}), a};
  });
  CHECK(Found(graph, relu_abs) == "r1");
  CHECK(Found(graph, both) == "r0 r1");
}

void PartialOutputsOfOneNode() {
  auto graph = [] {
    return Make(2, [](Builder& b, auto& in) {
      Anchor ln = b.Op("AddLayerNorm", {in[0], in[1]}, "ln", 4);
      Anchor cast = b.Op("Cast", {ln}, "cast");
      return std::vector<Anchor>{cast, {ln.node, 1}, {ln.node, 2}, {ln.node, 3}};
    });
  };
  CHECK(Found(graph(), graph()) == "cast");
}

void RefusedPatterns() {
  auto graph = AbsGraph();
  auto control = AbsGraph();
  control->AddControlEdge(control->FindNode("exp"), control->FindNode("relu"));
  CHECK(Contains(Found(graph, control), "has control edge"));
  auto subgraph = AbsGraph();
  CHECK(subgraph->AddSubgraph(subgraph->FindNode("exp"), "body", AbsGraph()).ok() == false);
  auto body = Make(1, [](Builder&, auto& in) { return std::vector<Anchor>{in[0]}; }, "body");
  CHECK(subgraph->AddSubgraph(subgraph->FindNode("exp"), "body", body).ok());
  CHECK(Contains(Found(graph, subgraph), "It has subgraph"));
  auto identity = Make(1, [](Builder&, auto& in) { return std::vector<Anchor>{in[0]}; });
  CHECK(Contains(Found(graph, identity), "identity"));
  CHECK(Contains(Found(graph, Builder().graph()), "found none"));
  auto twins = Make(0, [](Builder& b, auto&) { return std::vector<Anchor>{b.Op("Add", {b.In(0), b.In(0)})}; });
  CHECK(Contains(Found(graph, twins), "index"));
  auto cyclic = AbsGraph();
  cyclic->Disconnect(cyclic->FindNode("abs1"), 0);
  cyclic->Connect({cyclic->FindNode("add"), 0}, cyclic->FindNode("abs1"), 0);
  CHECK(Contains(Found(graph, cyclic), "cycle"));
}

void Captures() {
  auto graph = AbsGraph();
  auto pattern_graph = ExpReluOf("Abs");
  Pattern pattern(pattern_graph);
  ir::Node* exp = pattern_graph->net_output()->input(0).node;
  Anchor abs = exp->input(0), data = abs.node->input(0);
  ir::Node* stray = pattern_graph->AddNode(ir::Symbol("Neg"), "stray", 0, 1);
  pattern.CaptureTensor(abs).CaptureTensor({exp, 0}).CaptureTensor(data).CaptureTensor(abs).CaptureTensor({stray, 0});
  PatternMatcher matcher(&pattern, graph.get());
  const MatchResult* m = matcher.Next();
  std::vector<std::string> names;
  for (size_t i = 0; i < 4; ++i) names.emplace_back(m->CapturedTensor(i).value().node->name());
  CHECK(Join(names, " ") == "abs1 exp input_0 abs1");
  CHECK(!m->CapturedTensor(4).ok() && !m->CapturedTensor(5).ok());
}

// ---- rewriting --------------------------------------------------------------------------------------------------------

ir::GraphPtr Unary(std::string_view type) {
  return Make(1, [&](Builder& b, auto& in) { return std::vector<Anchor>{b.Op(type, {in[0]})}; }, "replacement");
}

void EverySingleNodeIsReplaced() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    Anchor a = in[0];
    for (int i = 0; i < 6; ++i) a = b.Op("TransData", {a}, StrCat("t", i));
    return std::vector<Anchor>{a};
  });
  static const ir::Symbol label("_user_stream_label");
  graph->SetAttr(graph->FindNode("t2"), label, std::string("s"));
  ir::Node* last = graph->FindNode("t5");
  graph->SetTensorName(last, 0, "result");
  graph->SetOutputDesc(last, 0, ir::TensorDesc({2, 3}, ir::DataType::kFloat16));
  graph->SetDeclared(last, 0, true);
  TestPass pass(Unary("TransData"), Unary("Relu"));
  Outcome o = RunPass(graph, pass);
  CHECK(o.code == kSuccess && o.rewrites == 6 && Types(graph) == "Relu Relu Relu Relu Relu Relu");
  CHECK(RunPass(graph, pass).code == kNotChanged);
  int labelled = 0;
  for (ir::Node* n : graph->nodes()) {
    if (n->type() != ir::Symbol("Relu")) continue;
    labelled += n->attr<std::string>(label) ? 1 : 0;
    auto types = n->attr<std::vector<std::string>>(ir::Common().original_op_types);
    CHECK(types && *types == std::vector<std::string>{"TransData"});
    auto passes = n->attr<std::vector<std::string>>(ir::Common().pass_name);
    CHECK(passes && *passes == std::vector<std::string>{"TestPass"});
  }
  CHECK(labelled == 1);
  ir::Node* out = graph->net_output()->input(0).node;
  CHECK(out->tensor_name(0) == "result" && out->declared(0));
  CHECK(out->output_desc(0).shape == ir::Shape({2, 3}) && out->output_desc(0).dtype == ir::DataType::kFloat16);
  CHECK(graph->topologically_ordered());
}

void ZerosVanish() {
  auto graph = Make(2, [](Builder& b, auto& in) {
    Anchor zero = b.Scalar(0);
    Anchor a = b.Op("Add", {b.Op("Add", {in[0], zero}), b.Scalar(0)});
    return std::vector<Anchor>{b.Op("Add", {b.Op("Add", {a, zero}), in[1]}, "real"), b.Op("Mul", {in[1], zero}, "mul")};
  });
  auto pattern = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Add", {in[0], b.Scalar(0)})}; });
  auto keep = Make(1, [](Builder&, auto& in) { return std::vector<Anchor>{in[0]}; });
  TestPass pass(pattern, keep, kValues);
  Outcome o = RunPass(graph, pass);
  CHECK(o.code == kSuccess && o.rewrites == 3);
  // The constant that the Mul uses too has survived, the other one has gone.
  CHECK(Types(graph) == "Add Const Mul");
  CHECK(graph->FindNode("real")->input(0).node->name() == "input_0");
}

void TenBlocks(ir::GraphPtr pattern, ir::GraphPtr replacement) {
  auto graph = Make(1, [](Builder& b, auto& in) {
    Anchor a = in[0];
    for (int i = 0; i < 10; ++i) {
      Anchor abs = b.Op("Abs", {a});
      a = b.Op("Add", {b.Op("Exp", {abs}), b.Op("Relu", {abs})}, StrCat("add", i));
    }
    return std::vector<Anchor>{a};
  });
  TestPass pass(std::move(pattern), std::move(replacement));
  Outcome o = RunPass(graph, pass);
  CHECK(o.code == kSuccess && o.rewrites == 10);
  CHECK(graph->topologically_ordered());
  for (int i = 0; i < 10; ++i) {
    ir::Node* add = graph->FindNode(StrCat("add", i));
    CHECK(add->input(0).node->type() == ir::Symbol("Sqrt") && add->input(1).node->type() == ir::Symbol("Cast"));
  }
}

void SeveralOutputsReplaced() {
  auto two = [](int inputs) {
    return Make(inputs, [&](Builder& b, auto& in) {
      return std::vector<Anchor>{b.Op("Sqrt", {in[0]}), b.Op("Cast", {in[inputs - 1]})};
    });
  };
  TenBlocks(ExpReluOf("Abs"), two(1));
  TenBlocks(ExpReluOf(""), two(1));
  TenBlocks(Make(2, [](Builder& b, auto& in) {
              return std::vector<Anchor>{b.Op("Exp", {in[0]}), b.Op("Relu", {in[1]})};
            }),
            two(2));
}

void OrderIsKeptWhereOutputsInterleave() {
  // exp and relu lie apart: what uses exp comes before relu's producer.
  auto graph = Make(2, [](Builder& b, auto& in) {
    Anchor abs = b.Op("Abs", {in[0]}, "abs");
    Anchor exp = b.Op("Exp", {abs}, "exp");
    Anchor user = b.Op("Neg", {b.Op("Neg", {exp})}, "user");
    Anchor w = b.Op("Sqrt", {in[1]}, "w");
    Anchor relu = b.Op("Relu", {b.Op("Mul", {abs, w}, "mul")}, "relu");
    return std::vector<Anchor>{user, relu, w};
  });
  auto pattern = Make(2, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Exp", {in[0]}), b.Op("Relu", {b.Op("Mul", {in[0], in[1]})})};
  });
  auto replacement = Make(2, [](Builder& b, auto& in) {
    Anchor f = b.Op("Fused", {in[0], in[1]}, "fused", 2);
    return std::vector<Anchor>{f, {f.node, 1}};
  });
  TestPass pass(pattern, replacement);
  CHECK(RunPass(graph, pass).rewrites == 1);
  CHECK(Types(graph) == "Abs Fused Neg Neg Sqrt" && graph->topologically_ordered());
}

void FusingEndsOfAPathIsSkipped() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Exp", {b.Op("Neg", {b.Op("Abs", {in[0]})})})};
  });
  auto pattern = Make(2, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Abs", {in[0]}), b.Op("Exp", {in[1]})};
  });
  auto replacement = Make(2, [](Builder& b, auto& in) {
    Anchor f = b.Op("Fused", {in[0], in[1]}, "fused", 2);
    return std::vector<Anchor>{f, {f.node, 1}};
  });
  TestPass pass(pattern, replacement);
  Outcome o = RunPass(graph, pass);
  CHECK(o.code == kNotChanged && o.matches == 1);

  // The same through control edges, with one output.
  auto control = Make(1, [](Builder& b, auto& in) {
    Anchor a = b.Op("Abs", {in[0]}, "a0");
    Anchor outside = b.Op("Neg", {in[0]}, "outside");
    Anchor end = b.Op("Abs", {b.Op("Relu", {a})}, "a1");
    return std::vector<Anchor>{end, outside};
  });
  control->AddControlEdge(control->FindNode("a0"), control->FindNode("outside"));
  control->AddControlEdge(control->FindNode("outside"), control->FindNode("a1"));
  auto chain = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Abs", {b.Op("Relu", {b.Op("Abs", {in[0]})})})};
  });
  TestPass chain_pass(chain, Unary("Exp"));
  CHECK(RunPass(control, chain_pass).code == kNotChanged);
}

void OwnPatternInTheReplacementEnds() {
  auto graph = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Relu", {b.Op("Relu", {in[0]})})}; });
  TestPass again(Unary("Relu"), Unary("Relu"));
  CHECK(RunPass(graph, again).rewrites == 2);
  auto twice = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Relu", {b.Op("Relu", {in[0]})})}; });
  TestPass grow(Unary("Relu"), twice);
  CHECK(RunPass(graph, grow).rewrites == 2 && Types(graph) == "Relu Relu Relu Relu");
  auto chain = Make(1, [](Builder& b, auto& in) {
    Anchor a = in[0];
    for (int i = 0; i < 5; ++i) a = b.Op("Abs", {a});
    return std::vector<Anchor>{a};
  });
  auto abs_abs = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Abs", {b.Op("Abs", {in[0]})})}; });
  TestPass drop(abs_abs, Unary("Abs"));
  CHECK(RunPass(chain, drop).rewrites == 4 && Types(chain) == "Abs");
}

void DeclaredConstantOutputs() {
  auto graph = Make(2, [](Builder& b, auto& in) {
    Anchor c = b.Scalar(2);
    return std::vector<Anchor>{b.Op("Mul", {in[0], c}, "m0"), b.Op("Mul", {in[1], c}, "m1")};
  });
  auto pattern = Make(1, [](Builder& b, auto& in) {
    Anchor c = b.Scalar(2);
    return std::vector<Anchor>{b.Op("Mul", {in[0], c}), c};
  });
  auto replacement = Make(1, [](Builder& b, auto& in) {
    Anchor c = b.Scalar(2);
    return std::vector<Anchor>{b.Op("Mul", {in[0], c}), c};
  });
  TestPass pass(pattern, replacement);
  Outcome o = RunPass(graph, pass);
  CHECK(o.code == kSuccess && o.rewrites == 2 && Types(graph) == "Const Mul Mul");
}

void ControlEdgesMove() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    Anchor first = b.Op("Abs", {in[0]}, "first"), mid = b.Op("Relu", {in[0]}, "mid"), last = b.Op("Neg", {in[0]}, "last");
    return std::vector<Anchor>{first, mid, last};
  });
  auto link = [&] {
    graph->AddControlEdge(graph->FindNode("first"), graph->FindNode("mid"));
    graph->AddControlEdge(graph->FindNode("mid"), graph->FindNode("last"));
  };
  link();
  TestPass pass(Unary("Relu"), Unary("Exp"));
  CHECK(RunPass(graph, pass).rewrites == 1);
  ir::Node* exp = graph->net_output()->input(1).node;
  CHECK(exp->control_inputs().size() == 1 && exp->control_inputs()[0]->type() == ir::Symbol("NoOp"));
  CHECK(exp->control_inputs()[0]->control_inputs()[0]->name() == "first");
  CHECK(exp->control_outputs()[0]->control_outputs()[0]->name() == "last");
  CHECK(Contains(std::string(exp->control_inputs()[0]->name()), "noop_in_") && graph->topologically_ordered());

  TestPass drop(Unary("Exp"), Make(1, [](Builder&, auto& in) { return std::vector<Anchor>{in[0]}; }));
  CHECK(RunPass(graph, drop).rewrites == 1 && Types(graph) == "Abs Neg NoOp NoOp");
}

void ReplacementsThatDoNotFit() {
  auto error = [](const ir::GraphPtr& replacement) {
    auto graph = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Neg", {b.Op("Relu", {in[0]})})}; });
    TestPass pass(Unary("Relu"), replacement);
    std::string before = Dump(*graph);
    Outcome o = RunPass(graph, pass);
    CHECK(o.code != kSuccess && o.code != kNotChanged && Dump(*graph) == before);
    return o.error;
  };
  auto two_in = Make(2, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Add", {in[0], in[1]})}; });
  auto two_out = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Abs", {in[0]}), in[0]}; });
  CHECK(Contains(error(two_in), "not equal with Boundary input size"));
  CHECK(Contains(error(two_out), "not equal with Boundary output size"));
  auto cyclic = AbsGraph();
  cyclic->AddControlEdge(cyclic->FindNode("add"), cyclic->FindNode("abs1"));
  CHECK(Contains(error(cyclic), "There may exist cycle on replacement graph"));
  auto shifted = Builder();
  CHECK(Contains(error(shifted.Out({shifted.Op("Abs", {shifted.In(1)})})), "index 1"));
  CHECK(error(nullptr) != "");
}

fusion::SubgraphBoundary BoundaryOf(std::vector<std::vector<fusion::NodeSlot>> inputs, std::vector<Anchor> outputs) {
  fusion::SubgraphBoundary b;
  int64_t n = 0;
  for (auto& slots : inputs) CHECK(b.AddInput(n++, fusion::SubgraphInput(slots)).ok());
  n = 0;
  for (Anchor a : outputs) CHECK(b.AddOutput(n++, fusion::SubgraphOutput(a)).ok());
  return b;
}

void Boundaries() {
  auto graph = AbsGraph();
  ir::Node *abs = graph->FindNode("abs1"), *exp = graph->FindNode("exp"), *relu = graph->FindNode("relu");
  ir::Node* add = graph->FindNode("add");
  fusion::SubgraphInput input;
  CHECK(input.Add({exp, 0}).ok() && input.Add({relu, 0}).ok() && input.slots().size() == 2);
  CHECK(!input.Add({abs, 0}).ok() && !input.Add({exp, 7}).ok() && !input.Add({}).ok());
  fusion::SubgraphOutput output;
  CHECK(!output.Set({exp, 1}).ok() && output.Set({exp, 0}).ok() && !output.Set({relu, 0}).ok());
  fusion::SubgraphBoundary b;
  CHECK(b.AddInput(0, input).ok() && !b.AddInput(0, input).ok() && b.AddOutput(3, output).ok() && !b.AddOutput(3, output).ok());
  fusion::SubgraphBoundary of_node = fusion::BoundaryOfNode(add);
  CHECK(of_node.inputs().size() == 2 && of_node.outputs().size() == 1);

  std::string before = Dump(*graph);
  Status s = fusion::Replace(BoundaryOf({{{abs, 0}}}, {{relu, 0}}), *Unary("Neg"), "");
  CHECK(Contains(s.message(), "Boundary is not self contained"));
  auto other = AbsGraph();
  s = fusion::Replace(BoundaryOf({{{abs, 0}}}, {{exp, 0}, {other->FindNode("exp"), 0}}), *Unary("Neg"), "");
  CHECK(Contains(s.message(), "is not in same graph with others"));
  s = fusion::Replace(BoundaryOf({}, {{add, 0}}), *Unary("Neg"), "");
  CHECK(!s.ok() && Dump(*graph) == before);

  // A boundary whose outputs lead back into its inputs.
  auto chain = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Exp", {b.Op("Neg", {b.Op("Abs", {in[0]}, "a")}, "n")}, "e")};
  });
  ir::Node *a = chain->FindNode("a"), *e = chain->FindNode("e");
  auto ends = BoundaryOf({{{a, 0}}, {{e, 0}}}, {{a, 0}, {e, 0}});
  auto crossed = Make(2, [](Builder& b, auto& in) {
    Anchor f = b.Op("Fused", {in[0], in[1]}, "f", 2);
    return std::vector<Anchor>{f, {f.node, 1}};
  });
  CHECK(Contains(fusion::Replace(ends, *crossed, "").message(), "cycle"));
  auto apart = Make(2, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Sqrt", {in[0]}), b.Op("Sqrt", {in[1]})};
  });
  CHECK(fusion::Replace(ends, *apart, "").ok() && chain->TopologicalSort().ok() && Defect(*chain) == "");
  CHECK(Types(chain) == "Neg Sqrt Sqrt");
}

void ReplaceWithContext() {
  auto graph = AbsGraph();
  ir::Node* relu = graph->FindNode("relu");
  fusion::PassContext context;
  CHECK(!fusion::Replace(BoundaryOf({{{relu, 0}}}, {{relu, 0}}), *Unary("Neg"), context).ok());
  context.set_pass_name("P");
  static const ir::Symbol label("_user_stream_label");
  ir::Node *add = graph->FindNode("add"), *exp = graph->FindNode("exp");
  graph->SetAttr(exp, label, std::string("one"));
  graph->SetAttr(relu, label, std::string("two"));
  auto whole = BoundaryOf({{{exp, 0}}}, {{add, 0}});
  Status s = fusion::Replace(whole, *Unary("Neg"), context);
  CHECK(Contains(s.message(), "'one'") && Contains(s.message(), "'two'"));
  CHECK(!fusion::Replace(whole, *Unary("Neg"), "P").ok());
  graph->SetAttr(relu, label, std::string("one"));
  CHECK(fusion::Replace(whole, *Unary("Neg"), context).ok() && context.rewrites == 1);
  ir::Node* neg = graph->net_output()->input(0).node;
  CHECK(*neg->attr<std::string>(label) == "one" && Types(graph) == "Abs Neg");
  auto types = *neg->attr<std::vector<std::string>>(ir::Common().original_op_types);
  CHECK(types == (std::vector<std::string>{"Add", "Exp", "Relu"}));
}

void FuseChecks() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("Exp", {b.Op("Neg", {b.Op("Abs", {in[0]}, "a")}, "n")}, "e")};
  });
  ir::Node *a = graph->FindNode("a"), *n = graph->FindNode("n"), *e = graph->FindNode("e");
  CHECK(fusion::CanFuse({a, n, e}).ok());
  CHECK(Contains(fusion::CanFuse({a, e}).message(), "cycle"));
  CHECK(Contains(fusion::CanFuse({}).message(), "empty"));
  CHECK(Contains(fusion::CanFuse({a, nullptr}).message(), "convert"));
  auto other = AbsGraph();
  CHECK(Contains(fusion::CanFuse({a, other->FindNode("exp")}).message(), "different graphs"));
  static const ir::Symbol deterministic("_deterministic"), level("_deterministic_level");
  graph->SetAttr(a, deterministic, std::string("0"));
  graph->SetAttr(n, deterministic, std::string("1"));
  CHECK(Contains(fusion::CanFuse({a, n}).message(), "_deterministic"));
  graph->SetAttr(a, deterministic, std::string("2"));
  CHECK(Contains(fusion::CanFuse({a}).message(), "_deterministic"));
  graph->SetAttr(a, deterministic, std::string("1"));
  graph->SetAttr(n, level, std::string("4"));
  CHECK(Contains(fusion::CanFuse({a, n}).message(), "_deterministic_level"));
  graph->SetAttr(n, level, std::string("3"));
  CHECK(fusion::CanFuse({a, n}).ok());

  fusion::PassContext context;
  CHECK(!fusion::ReportFuse({a}, {n}, context).ok());
  context.set_pass_name("P");
  CHECK(!fusion::ReportFuse({}, {n}, context).ok() && !fusion::ReportFuse({nullptr}, {n}, context).ok());
  CHECK(!fusion::ReportFuse({a}, {nullptr}, context).ok());
  CHECK(!fusion::ReportFuse({a}, {other->FindNode("exp")}, context).ok());
  CHECK(fusion::ReportFuse({a}, {}, context).ok() && fusion::ReportFuse({a, n}, {e}, context).ok());
  CHECK(*e->attr<std::vector<std::string>>(ir::Common().original_op_names) == (std::vector<std::string>{"a", "n"}));
  CHECK(e->attr<std::vector<std::string>>(ir::Common().pass_name)->back() == "P");
}

void SubgraphsComeAlong() {
  auto graph = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Relu", {b.Op("Relu", {in[0]})})}; });
  auto replacement = Unary("If");
  auto body = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Abs", {in[0]})}; }, "branch");
  CHECK(replacement->AddSubgraph(replacement->net_output()->input(0).node, "then_branch", body).ok());
  TestPass pass(Unary("Relu"), replacement);
  CHECK(RunPass(graph, pass).rewrites == 2);
  CHECK(graph->subgraphs().size() == 2 && graph->subgraphs()[0]->name() != graph->subgraphs()[1]->name());
  for (const auto& s : graph->subgraphs()) CHECK(s->parent_node() != nullptr && s->root() == graph.get());
}

void ANodeThatStaysForAnotherOutput() {
  auto graph = Make(2, [](Builder& b, auto& in) {
    Anchor top = b.Op("TopKV2", {in[0], in[1]}, "top", 2);
    return std::vector<Anchor>{b.Op("Relu", {top}, "r"), b.Op("Abs", {{top.node, 1}}, "a")};
  });
  ir::Node* top = graph->FindNode("top");
  graph->SetTensorName(top, 0, "values");
  auto replacement = Make(2, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Exp", {in[0]})}; });
  CHECK(fusion::Replace(BoundaryOf({{{top, 0}}, {{top, 1}}}, {{top, 0}}), *replacement, "").ok());
  CHECK(graph->FindNode("r")->input(0).node->type() == ir::Symbol("Exp") && graph->FindNode("a")->input(0).node == top);
  CHECK(graph->FindNode("r")->input(0).node->tensor_name(0) == "values" && top->tensor_name(0).empty());
  CHECK(Defect(*graph) == "");
}

class TestDecompose : public fusion::DecomposePass {
 public:
  explicit TestDecompose(ir::GraphPtr replacement)
      : DecomposePass({ir::Symbol("TransData")}), replacement_(std::move(replacement)) {}

 protected:
  ir::GraphPtr Replacement(ir::Node&, fusion::PassContext&) override { return replacement_; }

 private:
  ir::GraphPtr replacement_;
};

void Decompose() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("TransData", {b.Op("TransData", {in[0]})})};
  });
  TestDecompose relu(Unary("Relu")), again(Unary("TransData")), two(ExpReluOf(""));
  CHECK(RunPass(graph, again).rewrites == 2);
  CHECK(RunPass(graph, two).code == kFailed);
  graph = Make(1, [](Builder& b, auto& in) {
    return std::vector<Anchor>{b.Op("TransData", {b.Op("TransData", {in[0]})})};
  });
  CHECK(RunPass(graph, relu).code == kSuccess && Types(graph) == "Relu Relu");
  CHECK(RunPass(graph, relu).code == kNotChanged);
}

void NamesAreUniqueAndBounded() {
  auto graph = Make(1, [](Builder& b, auto& in) {
    Anchor a = in[0];
    for (int i = 0; i < 50; ++i) a = b.Op("Abs", {a}, StrCat("abs_", 100 + i));
    return std::vector<Anchor>{a};
  });
  auto abs_abs = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Abs", {b.Op("Abs", {in[0]})})}; });
  TestPass grow(abs_abs, abs_abs);
  for (int i = 0; i < 3; ++i) (void)RunPass(graph, grow);
  std::vector<std::string> names;
  for (ir::Node* n : graph->nodes()) {
    names.emplace_back(n->name());
    CHECK(n->name().size() < 200);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
}

void AHookThatChangesTheGraph() {
  auto graph = Make(1, [](Builder& b, auto& in) { return std::vector<Anchor>{b.Op("Neg", {b.Op("Relu", {in[0]}, "r")})}; });
  std::string before = Dump(*graph);
  TestPass pass(Unary("Relu"), [&](const MatchResult& m) {
    graph->RemoveNode(m.MatchedNodes()[0]);
    return Unary("Abs");
  });
  fusion::PassContext context;
  {
    ir::Transaction transaction(graph.get());
    CHECK(pass.Run(*graph, context) == kFailed && Contains(context.errors[0].message, "changed the graph"));
  }
  CHECK(Dump(*graph) == before);
}

}  // namespace
}  // namespace ge::testing

int main() {
  using namespace ge::testing;  // NOLINT: the tests of this file
  SingleNodesInListOrder();
  ConstantsAndTheirValues();
  ConstantComparison();
  SeveralOutputs();
  EveryInstanceWithOutputsInReverse();
  ThreeProjectionsOfOneInput();
  NeverTwoRoles();
  SharedWildcardsCompareOutputs();
  OptionalInputsGoBySlot();
  DynamicOperatorsMatchByCount();
  AttributesCompareByNameWithDefaults();
  InnerNodesBelongToTheMatchAlone();
  PartialOutputsOfOneNode();
  RefusedPatterns();
  Captures();
  EverySingleNodeIsReplaced();
  ZerosVanish();
  SeveralOutputsReplaced();
  OrderIsKeptWhereOutputsInterleave();
  FusingEndsOfAPathIsSkipped();
  OwnPatternInTheReplacementEnds();
  DeclaredConstantOutputs();
  ControlEdgesMove();
  ReplacementsThatDoNotFit();
  Boundaries();
  ReplaceWithContext();
  FuseChecks();
  SubgraphsComeAlong();
  ANodeThatStaysForAnotherOutput();
  Decompose();
  NamesAreUniqueAndBounded();
  AHookThatChangesTheGraph();
  return Failures();
}
