// A pattern turned into a flat list of steps, once per matcher.
//
// Pattern nodes are numbered in the order in which the steps bind them, so that going back to an earlier step means
// forgetting the numbers from there on.
#ifndef GE_FUSION_COMPILED_PATTERN_H_
#define GE_FUSION_COMPILED_PATTERN_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "fusion/pattern.h"
#include "ir/graph.h"
#include "ops/op_def.h"

namespace ge::fusion {

enum class Role : uint8_t { kWildcard, kConst, kOp };

struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// An attribute that the graph node must have with this value.
struct AttrCheck {
  ir::Symbol name;
  const ir::AttrValue* expected = nullptr;  // null: unset
  const ir::AttrValue* fallback = nullptr;  // what an unset attribute of the graph node stands for; null: nothing
  bool required = false;                    // unset equals nothing, not even unset
};

struct PatternNode {
  const ir::Node* node = nullptr;
  ir::Symbol type;
  Role role = Role::kOp;
  bool is_output = false;      // owns a pattern output
  bool exact_outputs = false;  // dynamic outputs: the count must agree
  bool special = false;        // has absent slots, attribute checks, exact_outputs or dynamic
  bool commutative = false;    // inputs 0 and 1 may stand the other way round
  bool ordered = false;        // a kOrder step says which way
  uint32_t num_inputs = 0;
  uint32_t min_outputs = 0;    // of an output owner: the outputs the pattern names must exist
  Range absent;                // absent_slots: slots that must not be connected
  Range attrs;                 // attr_checks
  Range rivals;                // rivals: smaller numbers of the same type, which must be other graph nodes
  const ops::OpDef* dynamic = nullptr;  // what has dynamic inputs or outputs, whose counts must agree
  const ir::Tensor* value = nullptr;    // of a constant
  int64_t data_index = 0;               // of a wildcard
};

struct Step {
  enum class Kind : uint8_t {
    kRoot,     // `node` is any graph node of its type
    kForward,  // `node` is a consumer, at input `slot`, of output `index` of `from`
    kBack,     // input `slot` of `from` comes from output `index` of `node`
    kOrder,    // inputs 0 and 1 of `node` are as in the pattern, or swapped
  };
  Kind kind = Kind::kBack;
  bool bound = false;  // kBack: `node` is bound by an earlier step
  bool free = false;   // kOrder: both inputs match anything, so the order decides nothing about whether the pattern fits
  uint16_t from = 0;
  uint16_t node = 0;
  uint32_t slot = 0;
  uint32_t index = 0;
  uint32_t uses = 0;  // kForward: slots of the pattern that this output feeds
};

// How many consumers an output of an inner node has in the pattern.
struct InnerUses {
  uint16_t node = 0;
  uint32_t num_outputs = 0;
  uint32_t first = 0;  // into use_counts
};

struct NumberedAnchor {
  int32_t number = -1;  // -1: no output of the pattern depends on it
  uint32_t index = 0;
};

// What a pattern node stands for: `index` is the output of a wildcard, and 1 for an operator whose inputs are swapped.
using Binding = ir::Anchor;

// The slot of the graph node for `slot` of its pattern node.
inline uint32_t GraphSlot(Binding bound, uint32_t slot) { return slot < 2 ? slot ^ bound.index : slot; }

class CompiledPattern {
 public:
  // The error says what in the pattern can't be matched.
  Status Compile(const Pattern& pattern, PatternMatcherConfig config);

  int NumberOf(const ir::Node* node) const {
    auto found = numbers_.find(node);
    return found == numbers_.end() ? -1 : found->second;
  }
  // Whether the graph has nodes of every type the pattern needs.
  bool TypesPresent(const ir::Graph& graph) const;
  // "the graph has no node of type 'Gelu'", for what TypesPresent misses.
  std::string MissingTypes(const ir::Graph& graph) const;

  std::vector<PatternNode> nodes;
  std::vector<Step> steps;  // the first is the kRoot of output 0's owner
  std::vector<uint32_t> absent_slots;
  std::vector<AttrCheck> attr_checks;
  std::vector<uint16_t> rivals;
  std::vector<InnerUses> inner_uses;
  std::vector<uint32_t> use_counts;
  std::vector<uint16_t> wildcards;       // sorted by data_index: boundary inputs
  std::vector<NumberedAnchor> outputs;   // boundary outputs
  std::vector<NumberedAnchor> captures;
  std::vector<uint16_t> inner_order;     // operators and constants, breadth-first from the outputs
  bool single_owner = false;             // one node owns all outputs

  // What decides about a match, for searches that fail. A fact is what a pattern node stands for, by its number, or also
  // in which order its inputs stand, by its number plus the number of nodes.
  uint32_t FactOf(uint16_t from, uint32_t slot) const {
    return slot < 2 && nodes[from].ordered ? static_cast<uint32_t>(nodes.size()) + from : from;
  }
  std::vector<uint32_t> decided_by;      // by fact: the latest step with alternatives that it follows from
  std::vector<int32_t> bound_from;       // by node: the operator whose input it was met at, or -1
  std::vector<uint32_t> wildcard_facts;  // facts that decide which tensors are inputs, in whatever order
  std::vector<ir::Symbol> input_types;   // types of operators that wildcards feed
  bool any_commutative = false;
  PatternMatcherConfig config;

 private:
  Status Check(const ir::Graph& graph, const ir::Node* net_output);
  void Plan(const ir::Node* net_output);
  uint16_t Bind(const ir::Node* node);
  void ExpandBack(uint16_t number);
  void AddOrder(uint16_t number);
  void MoveFreeOrdersLast();
  bool IsFreeInput(const ir::InputSlot& slot) const;
  bool PlanForward();
  void Describe(PatternNode& p);
  void DescribeAttrs(PatternNode& p, const ops::OpDef* def);
  void CountUses();
  void FindDecisions();

  std::unordered_map<const ir::Node*, int> numbers_;
  std::vector<const ir::Node*> needed_;  // what the outputs depend on, breadth-first
};

}  // namespace ge::fusion

#endif  // GE_FUSION_COMPILED_PATTERN_H_
