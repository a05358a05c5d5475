// Graphs that a root knows by name while a node of another root uses them.
#include <algorithm>
#include <unordered_set>

#include "base/strings.h"
#include "ir/graph.h"
#include "ir/journal.h"

namespace ge::ir {

// Whether `from` keeps `wanted` alive, through whatever lies between.
bool Graph::Keeps(const Graph* from, const Graph* wanted) {
  std::vector<const Graph*> open{from};
  std::unordered_set<const Graph*> seen{from};
  while (!open.empty()) {
    const Graph* g = open.back();
    open.pop_back();
    if (g == wanted) return true;
    for (const auto* list : {&g->subgraphs_, &g->linked_}) {
      for (const GraphPtr& next : *list) {
        if (seen.insert(next.get()).second) open.push_back(next.get());
      }
    }
  }
  return false;
}

Status Graph::LinkSubgraph(GraphPtr graph) {
  if (FindSubgraph(graph->name_) != nullptr || FindLinked(graph->name_) != nullptr || graph->name_ == root_->name_) {
    return Status::Error(StrCat("a graph named '", graph->name_, "' is already there in '", root_->name_, "'"));
  }
  if (Keeps(graph.get(), root_)) {
    return Status::Error(StrCat("graph '", graph->name_, "' holds '", root_->name_, "' itself"));
  }
  root_->linked_.push_back(graph);
  if (Journal* j = journal()) {
    j->Custom([root = root_] { root->linked_.pop_back(); });
    j->Admit(root_->linked_.back());
  }
  return Status::Ok();
}

bool Graph::UnlinkSubgraph(std::string_view name) {
  std::vector<GraphPtr>& all = root_->linked_;
  auto found = std::find_if(all.begin(), all.end(), [&](const GraphPtr& g) { return g->name_ == name; });
  if (found == all.end()) return false;
  if (Journal* j = journal()) {
    j->Custom([root = root_, before = all] { root->linked_ = before; });
  }
  all.erase(found);
  return true;
}

Graph* Graph::FindLinked(std::string_view name) const {
  for (const GraphPtr& g : root_->linked_) {
    if (g->name_ == name) return g.get();
  }
  return nullptr;
}

}  // namespace ge::ir
