#include "fusion/pass_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ge::fusion {
namespace {

using Edges = std::set<std::pair<size_t, size_t>>;  // first, then second

// For each pass those that must come after it, over any number of steps.
std::vector<std::set<size_t>> Behind(size_t passes, const Edges& edges) {
  std::vector<std::set<size_t>> behind(passes);
  for (size_t i = 0; i < passes; ++i) {
    std::vector<size_t> todo{i};
    while (!todo.empty()) {
      size_t at = todo.back();
      todo.pop_back();
      for (auto e = edges.lower_bound({at, 0}); e != edges.end() && e->first == at; ++e) {
        if (behind[i].insert(e->second).second) todo.push_back(e->second);
      }
    }
  }
  return behind;
}

}  // namespace

PassOrder InOrder(std::vector<std::shared_ptr<const PassRegistration>> by_name) {
  std::map<std::string_view, size_t> number;
  for (size_t i = 0; i < by_name.size(); ++i) number.emplace(by_name[i]->name, i);
  Edges edges;
  auto add = [&](std::string_view first, std::string_view second) {
    auto a = number.find(first), b = number.find(second);
    if (a != number.end() && b != number.end() && a != b) edges.emplace(a->second, b->second);
  };
  for (const auto& pass : by_name) {
    for (const std::string& other : pass->before) add(pass->name, other);
    for (const std::string& other : pass->after) add(other, pass->name);
  }
  std::vector<size_t> waits(by_name.size());
  for (const auto& [first, second] : edges) ++waits[second];
  std::set<size_t> left, ready;
  for (size_t i = 0; i < by_name.size(); ++i) {
    left.insert(i);
    if (waits[i] == 0) ready.insert(i);
  }
  PassOrder order;
  std::set<size_t> cyclic;
  std::vector<std::set<size_t>> behind;
  while (!left.empty()) {
    if (ready.empty()) {
      if (behind.empty()) behind = Behind(by_name.size(), edges);
      // A cycle that waits for no other one is broken at its first pass by name.
      auto first = std::find_if(left.begin(), left.end(), [&](size_t i) {
        return std::all_of(left.begin(), left.end(), [&](size_t j) { return !behind[j].count(i) || behind[i].count(j); });
      });
      for (size_t j : left) {
        if (behind[*first].count(j) && behind[j].count(*first)) cyclic.insert(j);
      }
      ready.insert(*first);
    }
    size_t next = *ready.begin();
    ready.erase(next);
    left.erase(next);
    order.passes.push_back(by_name[next]);
    for (auto e = edges.lower_bound({next, 0}); e != edges.end() && e->first == next; ++e) {
      if (--waits[e->second] == 0 && left.count(e->second) != 0) ready.insert(e->second);
    }
  }
  for (size_t i : cyclic) order.cycle.push_back(by_name[i]->name);
  return order;
}

}  // namespace ge::fusion
