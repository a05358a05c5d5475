// What the built-in passes share: constants that may be relied on, and taking nodes out without losing names.
#ifndef GE_FUSION_BUILTIN_REWRITE_H_
#define GE_FUSION_BUILTIN_REWRITE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "fusion/pass.h"
#include "ir/graph.h"

namespace ge::fusion::builtin {

// Whether the graph has a node of one of these types: a look at as many counters.
bool HasAny(const ir::Graph& graph, std::span<const ir::Symbol> types);
// Brings the graph into order; false: it has a cycle, and the context says so.
bool Ordered(ir::Graph& graph, PassContext& context);

// Constants of a graph whose value can't be another one when the model runs.
class Constants {
 public:
  explicit Constants(const ir::Graph& graph);
  // Null for everything else: no Const, an initializer that a caller may override, an element type that GE lacks.
  const ir::Tensor* Find(ir::Anchor source) const;
  // Of an input; null also where it is not connected.
  const ir::Tensor* Input(const ir::Node& node, uint32_t slot) const {
    return slot < node.num_inputs() ? Find(node.input(slot)) : nullptr;
  }
  bool Ints(const ir::Node& node, uint32_t slot, std::vector<int64_t>* out) const;
  // False if a caller may override one: then nothing may rely on what shape inference made of their values, shapes included.
  bool AllFixed() const;

 private:
  const ir::Graph& graph_;
  bool inputs_are_constant_;
};

// A new Const in front of everything that may read it.
ir::Node* AddConst(ir::Graph& graph, ir::Node* position, std::string_view name, ir::TensorPtr value);

// No edges but data edges, no subgraphs: the node is nothing but what it computes.
bool IsPlain(const ir::Node& node);
// Whether nothing depends on the node and nobody would miss it: no consumers, no effects, not kept on purpose.
bool IsDead(const ir::Node& node);
// Removes a node without consumers, and then what fed nothing else and does nothing but compute.
void RemoveDead(ir::Graph& graph, ir::Node* node);
// Removes a constant without consumers, unless it is there on purpose.
void RemoveIfUnusedConst(ir::Graph& graph, ir::Node* node);

// Knows the tensors whose names others rely on: graph outputs, and what bodies of opaque nodes read by name.
class NamedTensors {
 public:
  explicit NamedTensors(const ir::Graph& graph);
  bool IsNamed(ir::Anchor a) const { return named_.count(Key(a)) != 0; }
  // Whether `to` can stand for `from` everywhere. A name can move to the tensor of a node that has none to keep; a
  // second name, and one for an input or constant, would take a node of its own.
  bool CanReplace(ir::Anchor from, ir::Anchor to) const;
  // Moves the consumers, and the name where it matters. REQUIRES: CanReplace.
  void Replace(ir::Graph& graph, ir::Anchor from, ir::Anchor to);
  // `from` becomes a constant or another node's output that takes over its name.
  void Move(ir::Anchor from, ir::Anchor to);

 private:
  // Nodes have fewer than 2^20 outputs and graphs fewer than 2^44 nodes.
  static uint64_t Key(ir::Anchor a) { return a.node->id() << 20 | a.index; }
  std::unordered_set<uint64_t> named_;
};

// Lets the consumers of output 0 read `source`, which has the same values, and removes the node; counts a match. False if a
// name is in the way.
bool Bypass(ir::Graph& graph, ir::Node* node, ir::Anchor source, NamedTensors& named, PassContext& context);

}  // namespace ge::fusion::builtin

#endif  // GE_FUSION_BUILTIN_REWRITE_H_
