// Random edits of a graph inside (nested) transactions: a roll-back restores it to the letter.
#include <random>
#include <string>

#include "base/strings.h"
#include "check.h"
#include "ir/graph.h"

namespace ge::ir {
namespace {

std::string Dump(const Graph& g) {
  std::string out = StrCat("graph ", g.name(), " nodes ", g.num_nodes(), " attrs ", g.attrs().size(), "\n");
  for (const Node* n : g.nodes()) {
    out += StrCat(n->type().view(), " ", n->name(), " (");
    for (uint32_t i = 0; i < n->num_inputs(); ++i) {
      Anchor a = n->input(i);
      out += a ? StrCat(a.node->name(), ":", a.index, "[", n->input_desc(i).shape.ToString(), "] ") : std::string("- ");
    }
    out += ") ->";
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      out += StrCat(" ", n->output_desc(i).shape.ToString(), " '", n->tensor_name(i), "' x", n->num_uses(i), " {");
      for (InputSlot& use : n->uses(i)) out += StrCat(use.node()->name(), ":", use.index(), " ");
      out += "}";
    }
    for (const auto& [name, value] : n->attrs()) out += StrCat(" ", name.view(), "=", value.index());
    for (Node* c : n->control_inputs()) out += StrCat(" ^", c->name());
    for (Node* c : n->control_outputs()) out += StrCat(" v", c->name());
    for (const SubgraphRef& s : n->subgraphs()) out += StrCat(" sub ", s.name, "=", s.graph->name());
    out += StrCat(" types ", g.CountOfType(n->type()), "\n");
  }
  for (const GraphPtr& s : g.subgraphs()) out += StrCat("sub ", s->name(), " ", s->num_nodes(), "\n");
  return out;
}

class Editor {
 public:
  Editor(Graph* g, unsigned seed) : g_(g), random_(seed) {}

  void Edit(int steps) {
    for (int i = 0; i < steps; ++i) Step();
  }

 private:
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  Node* Pick() {
    if (g_->num_nodes() == 0) return nullptr;
    Node* n = g_->first();
    for (size_t i = Below(g_->num_nodes()); i > 0; --i) n = n->next();
    return n;
  }
  void Step() {
    Node* a = Pick();
    Node* b = Pick();
    switch (a == nullptr ? 0 : Below(16)) {
      case 0:
      case 1: g_->AddNode(Symbol(StrCat("T", Below(3))), StrCat("n", count_++), 2, 2); break;
      case 2: g_->InsertNodeAfter(a, Symbol("T0"), StrCat("n", count_++), 1, 1); break;
      case 3: if (Below(2)) g_->RemoveNode(a); break;
      case 4:
      case 5:
      case 6: {
        if (a->num_outputs() == 0 || b->num_inputs() == 0) break;
        uint32_t slot = static_cast<uint32_t>(Below(b->num_inputs()));
        g_->Disconnect(b, slot);
        g_->Connect({a, static_cast<uint32_t>(Below(a->num_outputs()))}, b, slot);
        break;
      }
      case 7: if (b->num_inputs() > 0) g_->Disconnect(b, static_cast<uint32_t>(Below(b->num_inputs()))); break;
      case 8: if (a->num_outputs() && b->num_outputs()) g_->ReplaceUses({a, 0}, {b, 0}); break;
      case 9: g_->SetAttr(a, Symbol(StrCat("k", Below(4))), static_cast<int64_t>(count_)); break;
      case 10: g_->EraseAttr(a, Symbol(StrCat("k", Below(4)))); break;
      case 11: g_->AddControlEdge(a, b); break;
      case 12: g_->RemoveControlEdge(a, b); break;
      case 13:
        if (a->num_outputs()) {
          g_->SetOutputDesc(a, 0, TensorDesc({static_cast<Dim>(Below(9)), 2, 3, 4, 5}, DataType::kFloat));
          g_->SetTensorName(a, 0, StrCat("t", count_));
        }
        break;
      case 14:
        switch (Below(5)) {
          case 0: g_->ResizeInputs(a, static_cast<uint32_t>(Below(5))); break;
          case 1: g_->ResizeOutputs(a, a->num_outputs() + static_cast<uint32_t>(Below(3))); break;
          case 2: g_->MoveNodeAfter(a, b); break;
          case 3: g_->SetType(a, Symbol("T9")); break;
          default: g_->SetNodeName(a, StrCat("renamed", count_++)); break;
        }
        break;
      default:
        if (Below(3) == 0) {
          GraphPtr sub = Graph::Create(StrCat("sub", count_++));
          sub->AddNode(Symbol("T1"), "inner", 0, 1);
          CHECK(g_->AddSubgraph(a, "body", sub).ok());
        } else if (!g_->subgraphs().empty()) {
          g_->RemoveSubgraph(std::string(g_->subgraphs()[Below(g_->subgraphs().size())]->name()));
        } else if (a->num_inputs()) {
          g_->SetInputDesc(a, 0, TensorDesc({1}, DataType::kInt32));
          (void)g_->TopologicalSort();
        }
    }
  }

  Graph* g_;
  std::mt19937 random_;
  int count_ = 0;
};

void RollbackRestoresTheGraph(unsigned seed) {
  GraphPtr g = Graph::Create("g");
  Editor editor(g.get(), seed);
  editor.Edit(60);
  (void)g->FindNode("n1");
  std::string before = Dump(*g);
  {
    Transaction outer(g.get());
    editor.Edit(40);
    std::string middle = Dump(*g);
    {
      Transaction inner(g.get());
      editor.Edit(40);
    }
    CHECK(Dump(*g) == middle);
    {
      Transaction inner(g.get());
      editor.Edit(20);
      inner.Commit();
    }
  }
  if (Dump(*g) != before) {
    std::fprintf(stderr, "seed %u\n--- before\n%s--- after\n%s", seed, before.c_str(), Dump(*g).c_str());
    ++testing::Failures();
  }
  for (Node* n : g->nodes()) CHECK(g->FindNode(n->name()) != nullptr);
  CHECK(g->journal() == nullptr);
}

}  // namespace
}  // namespace ge::ir

int main() {
  for (unsigned seed = 0; seed < 400; ++seed) {
    ge::ir::RollbackRestoresTheGraph(seed);
    if (ge::testing::Failures() > 0) break;
  }
  return ge::testing::Failures() ? 1 : 0;
}
