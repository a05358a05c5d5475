// Random graphs and patterns: the matcher finds what trying every assignment finds; a rewrite keeps what the graph
// computes; a roll-back restores the graph to the letter.
#include <cstdlib>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "check.h"
#include "fusion/matcher.h"
#include "fusion/pass.h"
#include "graph_builder.h"

namespace ge::testing {
namespace {

using fusion::MatchResult;
using fusion::Pattern;
using ir::Anchor;

constexpr fusion::PatternMatcherConfig kValues{true, false};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int Below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937 engine_;
};

struct Kind {
  const char* type;
  int inputs;
  uint32_t outputs;
};
constexpr Kind kKinds[] = {{"A", 1, 1}, {"B", 1, 1}, {"C", 2, 1}, {"D", 2, 2}, {"E", 3, 1}};

ir::GraphPtr RandomGraph(Random& random, int size, bool control) {
  Builder b;
  std::vector<Anchor> made{b.In(0), b.In(1)};
  for (int i = 0; i < size; ++i) {
    if (random.Below(6) == 0) {
      made.push_back(b.Scalar(static_cast<float>(random.Below(2))));
      continue;
    }
    const Kind& kind = kKinds[random.Below(5)];
    std::vector<Anchor> inputs;
    for (int j = 0; j < kind.inputs; ++j) {
      // Recent nodes more often than old ones.
      int n = static_cast<int>(made.size());
      int back = random.Below(3) ? random.Below(std::min(n, 4)) : random.Below(n);
      bool open = kind.inputs == 3 && j == 2 && random.Below(3) == 0;
      inputs.push_back(open ? Anchor{} : made[static_cast<size_t>(n - 1 - back)]);
    }
    Anchor a = b.Op(kind.type, inputs, "", kind.outputs);
    for (uint32_t o = 0; o < kind.outputs; ++o) made.push_back({a.node, o});
  }
  std::vector<Anchor> out;
  for (Anchor a : made) {
    if (!a.node->is_data() && a.node->num_uses(a.index) == 0) out.push_back(a);
  }
  if (out.empty()) out.push_back(b.Op("A", {made[0]}));
  ir::GraphPtr graph = b.Out(out);
  for (int i = random.Below(4); control && i > 0; --i) {
    ir::Node* from = made[static_cast<size_t>(random.Below(static_cast<int>(made.size())))].node;
    ir::Node* to = made[static_cast<size_t>(random.Below(static_cast<int>(made.size())))].node;
    if (from->order() < to->order() && !from->is_data() && !to->is_data()) graph->AddControlEdge(from, to);
  }
  return graph;
}

// A piece of the graph as a pattern: some nodes, everything that feeds them from outside a wildcard.
ir::GraphPtr RandomPattern(Random& random, const ir::Graph& graph) {
  std::vector<ir::Node*> ops;
  for (ir::Node* n : graph.nodes()) {
    if (!n->is_data() && !n->is_const() && !n->is_net_output()) ops.push_back(n);
  }
  std::unordered_set<const ir::Node*> chosen;
  std::vector<ir::Node*> frontier;
  auto choose = [&](ir::Node* n) {
    if (chosen.insert(n).second) frontier.push_back(n);
  };
  choose(ops[static_cast<size_t>(random.Below(static_cast<int>(ops.size())))]);
  for (int i = random.Below(4); i > 0; --i) {
    ir::Node* at = frontier[static_cast<size_t>(random.Below(static_cast<int>(frontier.size())))];
    std::vector<ir::Node*> near;
    for (uint32_t j = 0; j < at->num_inputs(); ++j) {
      if (at->input(j) && !at->input(j).node->is_data()) near.push_back(at->input(j).node);
      if (!at->input(j) || random.Below(3)) continue;
      for (ir::InputSlot& use : at->input(j).node->uses(at->input(j).index)) near.push_back(use.node());
    }
    if (random.Below(8) == 0) near.push_back(ops[static_cast<size_t>(random.Below(static_cast<int>(ops.size())))]);
    near.erase(std::remove_if(near.begin(), near.end(), [](ir::Node* n) { return n->is_net_output(); }), near.end());
    if (!near.empty()) choose(near[static_cast<size_t>(random.Below(static_cast<int>(near.size())))]);
  }
  Builder b("pattern");
  std::unordered_map<const ir::Node*, Anchor> copies;
  std::vector<std::pair<Anchor, Anchor>> wildcards;
  int64_t index = 0;
  auto wildcard = [&](Anchor source) {
    for (auto& [known, data] : wildcards) {
      if (known == source && random.Below(8)) return data;
    }
    wildcards.emplace_back(source, b.In(index++));
    return wildcards.back().second;
  };
  for (ir::Node* n : graph.nodes()) {
    if (!chosen.count(n)) continue;
    if (n->is_const()) {
      copies[n] = b.Const(*n->attr<ir::TensorPtr>(ir::Common().value));
      continue;
    }
    std::vector<Anchor> inputs;
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      Anchor source = n->input(i);
      if (source) source = chosen.count(source.node) ? Anchor{copies.at(source.node).node, source.index} : wildcard(source);
      inputs.push_back(source);
    }
    copies[n] = b.Op(n->type().view(), inputs, "", n->num_outputs());
  }
  std::vector<Anchor> out;
  for (ir::Node* n : graph.nodes()) {
    if (!chosen.count(n)) continue;
    for (uint32_t o = 0; o < n->num_outputs(); ++o) {
      bool used_outside = false, used_inside = false;
      for (ir::InputSlot& use : n->uses(o)) (chosen.count(use.node()) ? used_inside : used_outside) = true;
      bool loose = !n->is_const() && !used_inside && (used_outside || o == 0);
      if (loose || (used_outside && !n->is_const() && random.Below(4))) out.push_back({copies.at(n).node, o});
    }
  }
  if (out.empty()) out.push_back({copies.begin()->second.node, 0});
  std::rotate(out.begin(), out.begin() + random.Below(static_cast<int>(out.size())), out.end());
  return b.Out(out);
}

// ---- the slow and plain matcher ---------------------------------------------------------------------------------------

class Naive {
 public:
  Naive(const ir::Graph& graph, const ir::Graph& pattern) : graph_(graph) {
    const ir::Node* out = pattern.net_output();
    for (uint32_t i = 0; i < out->num_inputs(); ++i) {
      owners_.insert(out->input(i).node);
      Need(out->input(i).node);
    }
    root_ = out->input(0).node;
  }
  bool MatchesAt(ir::Node* root) {
    bound_.clear();
    return Fits(root_, root) && (bound_[root_] = root, Assign(0));
  }

 private:
  void Need(const ir::Node* n) {
    if (!needed_.insert(n).second) return;
    if (n->type() != ir::Common().Data) todo_.push_back(n);
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      if (n->input(i)) Need(n->input(i).node);
    }
  }
  static bool Fits(const ir::Node* p, const ir::Node* n) {
    if (p->is_const()) {
      return n->is_const() && p->const_value()->At<float>(0) == n->const_value()->At<float>(0);
    }
    return p->type() == n->type();
  }
  bool Assign(size_t i) {
    if (i == todo_.size()) return Holds();
    const ir::Node* p = todo_[i];
    if (bound_.count(p)) return Assign(i + 1);
    for (ir::Node* n : graph_.nodes()) {
      if (!Fits(p, n)) continue;
      bool taken = false;
      for (auto& [other, node] : bound_) taken = taken || (node == n && !p->is_const());
      if (taken) continue;
      bound_[p] = n;
      if (EdgesHold(p, true) && Assign(i + 1)) return true;
      bound_.erase(p);
    }
    return false;
  }
  bool EdgesHold(const ir::Node* p, bool partial) {
    const ir::Node* n = bound_.at(p);
    for (uint32_t i = 0; i < p->num_inputs(); ++i) {
      Anchor want = p->input(i), have = n->input(i);
      if (static_cast<bool>(want) != static_cast<bool>(have)) return false;
      if (!want || want.node->type() == ir::Common().Data) continue;
      if (partial && !bound_.count(want.node)) continue;
      if (have.node != bound_.at(want.node) || have.index != want.index) return false;
    }
    return true;
  }
  bool Holds() {
    std::unordered_map<const ir::Node*, Anchor> wild;
    for (auto& [p, n] : bound_) {
      if (!EdgesHold(p, false)) return false;
      for (uint32_t i = 0; i < p->num_inputs(); ++i) {
        if (!p->input(i) || p->input(i).node->type() != ir::Common().Data) continue;
        auto [known, fresh] = wild.emplace(p->input(i).node, n->input(i));
        if (!fresh && known->second != n->input(i)) return false;
      }
    }
    for (auto& [p, n] : bound_) {
      if (p->is_const() || owners_.count(p)) continue;
      bool is_input = false;
      for (auto& [data, anchor] : wild) is_input = is_input || anchor.node == n;
      for (uint32_t o = 0; o < n->num_outputs() && !is_input; ++o) {
        for (ir::InputSlot& use : n->uses(o)) {
          bool inside = false;
          for (auto& [q, m] : bound_) inside = inside || m == use.node();
          if (!inside) return false;
        }
      }
    }
    return true;
  }

  const ir::Graph& graph_;
  const ir::Node* root_ = nullptr;
  std::unordered_set<const ir::Node*> owners_, needed_;
  std::vector<const ir::Node*> todo_;
  std::unordered_map<const ir::Node*, ir::Node*> bound_;
};

// ---- what a graph computes --------------------------------------------------------------------------------------------

uint64_t Mix(uint64_t a, uint64_t b) { return (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xFF51AFD7ED558CCDull; }

uint64_t Value(Anchor a, std::unordered_map<const ir::Node*, uint64_t>* known) {
  auto found = known->find(a.node);
  if (found == known->end()) {
    uint64_t h = std::hash<std::string_view>()(a.node->type().view());
    if (a.node->is_data()) h = Mix(h, static_cast<uint64_t>(*a.node->attr<int64_t>(ir::Common().index)));
    if (a.node->is_const()) h = Mix(h, static_cast<uint64_t>(a.node->const_value()->At<float>(0)));
    for (uint32_t i = 0; i < a.node->num_inputs(); ++i) {
      h = Mix(h, a.node->input(i) ? Value(a.node->input(i), known) : 7);
    }
    found = known->emplace(a.node, h).first;
  }
  return Mix(found->second, a.index);
}

std::vector<uint64_t> Results(const ir::Graph& graph) {
  std::unordered_map<const ir::Node*, uint64_t> known;
  std::vector<uint64_t> results;
  for (uint32_t i = 0; i < graph.net_output()->num_inputs(); ++i) {
    results.push_back(Value(graph.net_output()->input(i), &known));
  }
  return results;
}

class Same : public fusion::PatternFusionPass {
 public:
  Same(ir::GraphPtr pattern, ir::GraphPtr replacement)
      : PatternFusionPass(kValues), pattern_(std::move(pattern)), replacement_(std::move(replacement)) {}

 protected:
  std::vector<std::unique_ptr<Pattern>> Patterns(fusion::PassContext&) override {
    std::vector<std::unique_ptr<Pattern>> all;
    all.push_back(std::make_unique<Pattern>(pattern_));
    return all;
  }
  ir::GraphPtr Replacement(const MatchResult&, fusion::PassContext&) override { return replacement_; }

 private:
  ir::GraphPtr pattern_, replacement_;
};

struct Totals {
  int64_t matches = 0, rewrites = 0, unordered = 0;
};

void Try(unsigned seed, Totals* totals) {
  Random random(seed);
  ir::GraphPtr graph = RandomGraph(random, 6 + random.Below(14), random.Below(2) == 0);
  ir::GraphPtr pattern_graph = RandomPattern(random, *graph);

  Pattern pattern(pattern_graph);
  fusion::PatternMatcher matcher(&pattern, graph.get(), kValues);
  CHECK(matcher.validity().ok());
  const ir::Node* root = pattern_graph->net_output()->input(0).node;
  std::unordered_set<ir::Node*> found;
  while (const MatchResult* m = matcher.Next()) {
    CHECK(matcher.StillMatches() && m->ToBoundary().ok());
    found.insert(m->MatchedNode(root));
  }
  Naive naive(*graph, *pattern_graph);
  for (ir::Node* n : graph->nodes()) {
    if (n->is_net_output()) continue;
    bool expected = naive.MatchesAt(n);
    CHECK(expected == (found.count(n) > 0));
    if (expected != (found.count(n) > 0)) {
      std::fprintf(stderr, "seed %u at %s\n%s%s", seed, std::string(n->name()).c_str(), Dump(*graph).c_str(),
                   Dump(*pattern_graph).c_str());
      return;
    }
  }

  std::string before = Dump(*graph);
  std::vector<uint64_t> results = Results(*graph);
  Same pass(pattern_graph, pattern_graph->Clone());
  for (bool keep : {false, true}) {
    fusion::PassContext context;
    context.set_pass_name("Same");
    ir::Transaction transaction(graph.get());
    uint32_t code = pass.Run(*graph, context);
    CHECK(code == (context.rewrites ? kSuccess : kNotChanged));
    std::string defect = Defect(*graph);
    CHECK(defect == "");
    CHECK(Results(*graph) == results);
    if (defect != "" || Results(*graph) != results) {
      std::fprintf(stderr, "seed %u: %s\n%s%s%s", seed, defect.c_str(), before.c_str(), Dump(*pattern_graph).c_str(),
                   Dump(*graph).c_str());
    }
    if (keep) {
      transaction.Commit();
      totals->matches += context.matches;
      totals->rewrites += context.rewrites;
      totals->unordered += graph->topologically_ordered() ? 0 : 1;
    } else {
      transaction.Rollback();
      CHECK(Dump(*graph) == before);
      if (Dump(*graph) != before) {
        std::fprintf(stderr, "seed %u\n%s%s", seed, before.c_str(), Dump(*graph).c_str());
      }
    }
  }
}

}  // namespace
}  // namespace ge::testing

// usage: fusion_fuzz_test [rounds [first seed]]
int main(int argc, char** argv) {
  unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 3000;
  unsigned first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  ge::testing::Totals totals;
  for (unsigned seed = first; seed < first + rounds && ge::testing::Failures() == 0; ++seed) {
    ge::testing::Try(seed, &totals);
  }
  std::printf("%u rounds: %lld matches, %lld rewrites, %lld graphs left unsorted\n", rounds,
              static_cast<long long>(totals.matches), static_cast<long long>(totals.rewrites),
              static_cast<long long>(totals.unordered));
  return ge::testing::Failures();
}
