#include "ir/liveness.h"

#include "ir/graph.h"

namespace ge::ir {

const void* ThisThread() {
  static thread_local const char here = 0;
  return &here;
}

WorkScope::WorkScope(const Graph& graph) {
  auto take = [this](const Graph& g) {
    std::shared_ptr<Liveness> l = g.liveness();
    const void* nobody = nullptr;
    // What an outer scope of this thread has taken stays with it.
    if (l->worker.compare_exchange_strong(nobody, ThisThread())) taken_.push_back(std::move(l));
  };
  take(graph);
  for (const GraphPtr& g : graph.subgraphs()) take(*g);
}

WorkScope::~WorkScope() {
  for (const std::shared_ptr<Liveness>& l : taken_) l->worker.store(nullptr, std::memory_order_release);
}

}  // namespace ge::ir
