// What Python objects hold: pointers into the core together with tokens that say whether they may still be used.
//
// Bound to Python in the native module and, being of default visibility in the same nanobind domain, wrapped and
// unwrapped in the bridge too.
#ifndef GE_ABI3_BRIDGE_HANDLES_H_
#define GE_ABI3_BRIDGE_HANDLES_H_

#include <nanobind/nanobind.h>

#include <memory>

#include "base/export.h"
#include "fusion/boundary.h"
#include "fusion/matcher.h"
#include "fusion/pass.h"
#include "fusion/pattern.h"
#include "ir/graph.h"
#include "ir/liveness.h"

namespace ge::bridge {

// Of a graph, or of a session of hooks in which one is lent out. Null: nothing to wait for.
using Token = std::shared_ptr<const ir::Liveness>;
inline bool Usable(const Token& token) { return token == nullptr || ir::Usable(*token); }

// Whether a compile is at work on the graph: it must not get another owner then.
inline bool AtWork(const ir::Graph& graph) {
  const ir::Liveness* liveness = graph.known_liveness();
  return liveness != nullptr && liveness->worker.load(std::memory_order_acquire) != nullptr;
}

// ge.graph.Graph: owns its graph (owned is set, the token is null), or borrows the one under compilation for the time of a
// session. Both are null once it has been handed over.
struct GE_API PyGraph {
  ir::GraphPtr owned;
  ir::Graph* graph = nullptr;
  Token token;  // of the session
  // The GraphBuilder that uses the graph as a subgraph; invalid before that.
  nanobind::object owner = {};
  bool owns = true;  // as _owns_handle shows it; lifetimes do not depend on it
};

// ge.graph.Node: never keeps its graph alive. Usable while the token lives and the node has not been removed.
struct GE_API PyNode {
  ir::Node* node = nullptr;
  Token token;
};

// ge.passes.Pattern: null after release.
struct GE_API PyPattern {
  std::unique_ptr<fusion::Pattern> pattern;
};

// ge.passes.MatchResult and PassContext: the bridge nulls the pointer when the hook returns.
struct GE_API PyMatch {
  const fusion::MatchResult* match = nullptr;
  Token token;  // handed on to the nodes it gives out
  std::shared_ptr<const void> owner = {};  // of a match that outlives its search
};
struct GE_API PyContext {
  fusion::PassContext* context = nullptr;
};

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_HANDLES_H_
