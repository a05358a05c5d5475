#include "fusion/pass_order.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ge::fusion {

PassOrder InOrder(std::vector<std::shared_ptr<const PassRegistration>> by_name) {
  std::map<std::string_view, size_t> number;
  for (size_t i = 0; i < by_name.size(); ++i) number.emplace(by_name[i]->name, i);
  std::set<std::pair<size_t, size_t>> edges;  // first, then second
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
  while (!left.empty()) {
    if (ready.empty()) {
      // Whatever is left waits for a cycle; the first by name goes ahead.
      if (order.cycle.empty()) {
        for (size_t i : left) order.cycle.push_back(by_name[i]->name);
      }
      ready.insert(*left.begin());
    }
    size_t next = *ready.begin();
    ready.erase(next);
    left.erase(next);
    order.passes.push_back(by_name[next]);
    for (auto e = edges.lower_bound({next, 0}); e != edges.end() && e->first == next; ++e) {
      if (--waits[e->second] == 0 && left.count(e->second) != 0) ready.insert(e->second);
    }
  }
  return order;
}

}  // namespace ge::fusion
