// What handles onto a graph ask before they touch it: does it still exist, and is it free?
#ifndef GE_IR_LIVENESS_H_
#define GE_IR_LIVENESS_H_

#include <atomic>
#include <memory>
#include <vector>

#include "base/export.h"

namespace ge::ir {

class Graph;

// Outlives what it speaks of: a graph, or a session in which one is lent out.
struct Liveness {
  std::atomic<bool> alive{true};
  // The thread that works on it and lets no other near; null: whoever holds the GIL may.
  std::atomic<const void*> worker{nullptr};
};

// A value of its own for every running thread; never null.
GE_API const void* ThisThread();

// Whether this thread may use what the liveness speaks of.
inline bool Usable(const Liveness& l) {
  if (!l.alive.load(std::memory_order_acquire)) return false;
  const void* worker = l.worker.load(std::memory_order_acquire);
  return worker == nullptr || worker == ThisThread();
}

// Keeps a root graph and its subgraphs for this thread, while it works on them without the GIL. Nests on one thread.
// REQUIRES: the graph is usable by this thread.
class GE_API WorkScope {
 public:
  explicit WorkScope(const Graph& graph);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  std::vector<std::shared_ptr<Liveness>> taken_;
};

}  // namespace ge::ir

#endif  // GE_IR_LIVENESS_H_
