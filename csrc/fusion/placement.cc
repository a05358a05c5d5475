#include "fusion/placement.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"

namespace ge::fusion {
namespace {

// outputs x inputs: which outputs of the replacement depend on which of its inputs.
using Matrix = std::vector<std::vector<bool>>;

Matrix Dependencies(const RewriteSite& site, const ir::Graph& replacement) {
  Matrix depends(site.outputs.size(), std::vector<bool>(site.inputs.size()));
  const ir::Node* net_output = replacement.net_output();
  for (size_t j = 0; j < site.outputs.size(); ++j) {
    NodeSet seen;
    std::vector<const ir::Node*> queue{net_output->input(static_cast<uint32_t>(j)).node};
    seen.Insert(queue[0]);
    for (size_t head = 0; head < queue.size(); ++head) {
      const ir::Node* n = queue[head];
      if (n->is_data()) {
        const int64_t* index = n->attr<int64_t>(ir::Common().index);
        depends[j][index ? static_cast<size_t>(*index) : 0] = true;
      }
      for (uint32_t i = 0; i < n->num_inputs(); ++i) {
        ir::Anchor source = n->input(i);
        if (source && seen.Insert(source.node)) queue.push_back(source.node);
      }
      for (const ir::Node* c : n->control_inputs()) {
        if (seen.Insert(c)) queue.push_back(c);
      }
    }
  }
  return depends;
}

void ForEachOuterControl(const RewriteSite& site, auto before, auto after) {
  for (ir::Node* n : site.inner) {
    for (ir::Node* c : n->control_inputs()) {
      if (!site.inner_set.Contains(c)) before(c);
    }
    for (ir::Node* c : n->control_outputs()) {
      if (!site.inner_set.Contains(c)) after(c);
    }
  }
}

// Whether outputs depend on inputs that in turn depend on outputs. All outputs depend on what controls the site, and
// what it controls depends on all of them.
bool ClosesCycle(const RewriteSite& site, const ir::Graph& replacement, int64_t last, ForwardSearch& search) {
  Matrix depends = Dependencies(site, replacement);
  size_t n = site.outputs.size();
  // feeds[j][k]: what uses output j leads to something that output k is made from.
  Matrix feeds(n, std::vector<bool>(n));
  for (size_t j = 0; j < n; ++j) {
    std::vector<ir::Node*> starts;
    for (ir::InputSlot& use : site.outputs[j].node->uses(site.outputs[j].index)) starts.push_back(use.node());
    bool controls = false;
    ForEachOuterControl(site, [](ir::Node*) {}, [&](ir::Node* c) { starts.push_back(c); });
    NodeSet reached;
    for (ir::Node* r : search.ReachableUpTo(starts, last, site.inner_set)) reached.Insert(r);
    for (size_t i = 0; i < site.inputs.size(); ++i) {
      if (!reached.Contains(site.inputs[i].node)) continue;
      for (size_t k = 0; k < n; ++k) feeds[j][k] = feeds[j][k] || depends[k][i];
    }
    ForEachOuterControl(site, [&](ir::Node* c) { controls = controls || reached.Contains(c); }, [](ir::Node*) {});
    if (controls) feeds[j].assign(n, true);
  }
  for (size_t via = 0; via < n; ++via) {
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = 0; k < n; ++k) feeds[j][k] = feeds[j][k] || (feeds[j][via] && feeds[via][k]);
    }
  }
  for (size_t j = 0; j < n; ++j) {
    if (feeds[j][j]) return true;
  }
  return false;
}

// What must stand before and what after the new nodes.
struct Neighbours {
  ir::Node* last_before = nullptr;
  int64_t first_after = std::numeric_limits<int64_t>::max();
  NodeSet producers;
  std::vector<ir::Node*> after;
};

Neighbours FindNeighbours(const RewriteSite& site) {
  Neighbours found;
  auto before = [&](ir::Node* n) {
    if (found.last_before == nullptr || n->order() > found.last_before->order()) found.last_before = n;
  };
  auto after = [&](ir::Node* n) {
    if (site.inner_set.Contains(n)) return;
    found.first_after = std::min(found.first_after, n->order());
    found.after.push_back(n);
  };
  for (ir::Anchor a : site.inputs) {
    found.producers.Insert(a.node);
    before(a.node);
  }
  for (ir::Anchor a : site.outputs) {
    for (ir::InputSlot& use : a.node->uses(a.index)) after(use.node());
  }
  ForEachOuterControl(
      site,
      [&](ir::Node* c) {
        found.producers.Insert(c);
        before(c);
      },
      after);
  return found;
}

}  // namespace

Status FindPlacement(const RewriteSite& site, const ir::Graph& replacement, ForwardSearch& search, Placement* out) {
  ir::Node* owner = site.outputs.front().node;
  out->after = owner;
  out->behind.clear();
  out->keeps_order = site.graph->topologically_ordered();
  if (site.convex) return Status::Ok();

  Neighbours n = FindNeighbours(site);
  int64_t before = n.last_before ? n.last_before->order() : std::numeric_limits<int64_t>::min();
  if (out->keeps_order && before < n.first_after) {
    // Anything from the last producer up to the first consumer will do.
    if (owner->order() < before || owner->order() >= n.first_after) out->after = n.last_before;
    return Status::Ok();
  }
  int64_t last = out->keeps_order ? before : std::numeric_limits<int64_t>::max();
  std::vector<ir::Node*> reached = search.ReachableUpTo(n.after, last, site.inner_set);
  bool touches =
      std::any_of(reached.begin(), reached.end(), [&](ir::Node* r) { return n.producers.Contains(r); });
  if (touches) {
    if (ClosesCycle(site, replacement, last, search)) {
      return Status::Error(StrCat("putting replacement '", replacement.name(), "' in the place of node '", owner->name(),
                                  "' would close a cycle: one of its inputs depends on one of its outputs; choose a "
                                  "part whose outputs do not lead back into it"));
    }
    out->keeps_order = false;
    return Status::Ok();
  }
  if (!out->keeps_order) return Status::Ok();
  // Consumers that stand before the last producer move behind the new nodes, with all that depends on them.
  std::sort(reached.begin(), reached.end(), [](ir::Node* a, ir::Node* b) { return a->order() < b->order(); });
  out->behind = std::move(reached);
  out->after = n.last_before;
  return Status::Ok();
}

}  // namespace ge::fusion
