// The graph: nodes in arenas with stable addresses, data edges as (node, index) pairs both ways, control edges, subgraphs.
//
// All changes go through Graph, so that a Transaction can undo them and the indexes stay true.
// Not thread-safe: one thread at a time may work on a root graph and its subgraphs.
#ifndef GE_IR_GRAPH_H_
#define GE_IR_GRAPH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "base/export.h"
#include "base/status.h"
#include "ir/attr.h"
#include "ir/liveness.h"
#include "ir/symbol.h"
#include "ir/tensor.h"

namespace ge::ir {

class Graph;
class Journal;
class Node;

// An output of a node: what feeds an input.
struct Anchor {
  Node* node = nullptr;
  uint32_t index = 0;
  explicit operator bool() const { return node != nullptr; }
  friend bool operator==(Anchor a, Anchor b) { return a.node == b.node && a.index == b.index; }
  friend bool operator!=(Anchor a, Anchor b) { return !(a == b); }
};

// An input of a node, and one link in the use list of the output that feeds it.
class InputSlot {
 public:
  Node* node() const { return node_; }
  uint32_t index() const { return index_; }
  Anchor source() const { return source_; }  // empty when not connected
  InputSlot* next_use() const { return next_use_; }

 private:
  friend class Graph;
  friend class Journal;
  friend class Node;
  Node* node_ = nullptr;
  uint32_t index_ = 0;
  Anchor source_;
  InputSlot* prev_use_ = nullptr;
  InputSlot* next_use_ = nullptr;
};

// The consumers of one output, in the order in which they were connected.
class UseRange {
 public:
  class iterator {
   public:
    explicit iterator(InputSlot* p) : p_(p) {}
    InputSlot& operator*() const { return *p_; }
    iterator& operator++() {
      p_ = p_->next_use();
      return *this;
    }
    friend bool operator!=(iterator a, iterator b) { return a.p_ != b.p_; }

   private:
    InputSlot* p_;
  };
  explicit UseRange(InputSlot* first) : first_(first) {}
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(nullptr); }
  bool empty() const { return first_ == nullptr; }

 private:
  InputSlot* first_;
};

struct SubgraphRef {
  std::string name;  // the IR name of the slot, "then_branch"
  Graph* graph = nullptr;
};

class GE_API Node {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Symbol type() const { return type_; }
  std::string_view name() const { return name_; }
  // Null once the node has been removed; its memory stays until the graph goes.
  Graph* graph() const { return graph_; }
  // Creation number, unique in the graph.
  uint64_t id() const { return id_; }
  // Grows along the node list; comparable between nodes of one graph.
  int64_t order() const { return order_; }
  Node* prev() const { return prev_; }
  Node* next() const { return next_; }

  uint32_t num_inputs() const { return num_inputs_; }
  // Empty anchor when the slot is not connected. REQUIRES: i < num_inputs().
  Anchor input(uint32_t i) const { return inputs_[i].source_; }
  const InputSlot& input_slot(uint32_t i) const { return inputs_[i]; }
  uint32_t num_connected_inputs() const;
  uint32_t num_outputs() const { return num_outputs_; }
  UseRange uses(uint32_t i) const { return UseRange(outputs_[i].first_use); }
  uint32_t num_uses(uint32_t i) const { return outputs_[i].num_uses; }
  bool has_uses() const;

  const TensorDesc& output_desc(uint32_t i) const { return outputs_[i].desc; }
  // The desc set for this input, else that of the output feeding it, else an undefined one.
  const TensorDesc& input_desc(uint32_t i) const;
  bool has_input_desc(uint32_t i) const;
  // Name of the output tensor in the source model; empty when it has none.
  std::string_view tensor_name(uint32_t i) const { return outputs_[i].tensor_name; }
  // Whether the source model declared type and shape of this output (ONNX value_info).
  bool declared(uint32_t i) const { return outputs_[i].declared; }

  const AttrMap& attrs() const { return attrs_; }
  // Null when absent or of another kind.
  template <typename T>
  const T* attr(Symbol name) const {
    return attrs_.Get<T>(name);
  }
  const AttrMap& input_attrs(uint32_t i) const;
  const AttrMap& output_attrs(uint32_t i) const;

  std::span<Node* const> control_inputs() const;
  std::span<Node* const> control_outputs() const;
  std::span<const SubgraphRef> subgraphs() const;

  bool is_data() const {
    const CommonSymbols& c = Common();
    return type_ == c.Data || type_ == c.RefData || type_ == c.AippData || type_ == c.AnnData || type_ == c.AnyData;
  }
  bool is_const() const { return type_ == Common().Const || type_ == Common().Constant; }
  bool is_net_output() const { return type_ == Common().NetOutput; }
  // Value of a Const or Constant node; null for others and for constants without a value.
  const Tensor* const_value() const {
    if (!is_const()) return nullptr;
    const TensorPtr* t = attr<TensorPtr>(Common().value);
    return t ? t->get() : nullptr;
  }

 private:
  friend class Graph;
  friend class Journal;

  struct OutputSlot {
    TensorDesc desc;
    std::string_view tensor_name;
    InputSlot* first_use = nullptr;
    InputSlot* last_use = nullptr;
    uint32_t num_uses = 0;
    bool declared = false;
  };
  // What few nodes have.
  struct Extra {
    std::vector<Node*> control_inputs, control_outputs;
    std::vector<std::unique_ptr<TensorDesc>> input_descs;
    std::vector<AttrMap> input_attrs, output_attrs;
    std::vector<SubgraphRef> subgraphs;
  };

  Node() = default;
  ~Node();
  Extra& extra();

  Graph* graph_ = nullptr;
  Symbol type_;
  std::string_view name_;
  uint64_t id_ = 0;
  int64_t order_ = 0;
  Node* prev_ = nullptr;
  Node* next_ = nullptr;
  InputSlot* inputs_ = nullptr;
  OutputSlot* outputs_ = nullptr;
  uint32_t num_inputs_ = 0;
  uint32_t num_outputs_ = 0;
  // Slots that exist behind inputs_ and outputs_; those past the count are kept for undo.
  uint32_t input_capacity_ = 0;
  uint32_t output_capacity_ = 0;
  AttrMap attrs_;
  std::unique_ptr<Extra> extra_;
};

// Walks a graph's own nodes in list order; the node just visited may be removed.
class NodeRange {
 public:
  class iterator {
   public:
    explicit iterator(Node* n) : node_(n), next_(n ? n->next() : nullptr) {}
    Node* operator*() const { return node_; }
    iterator& operator++() {
      node_ = next_;
      next_ = node_ ? node_->next() : nullptr;
      return *this;
    }
    friend bool operator!=(const iterator& a, const iterator& b) { return a.node_ != b.node_; }

   private:
    Node* node_;
    Node* next_;
  };
  explicit NodeRange(Node* first) : first_(first) {}
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(nullptr); }

 private:
  Node* first_;
};

// Something a format keeps with a root graph (ONNX metadata and the like).
struct GE_API GraphExtension {
  virtual ~GraphExtension();
};

class GE_API Graph : public std::enable_shared_from_this<Graph> {
 public:
  static GraphPtr Create(std::string_view name);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  void SetName(std::string_view name);
  size_t num_nodes() const { return num_nodes_; }
  NodeRange nodes() const { return NodeRange(first_); }
  Node* first() const { return first_; }
  Node* last() const { return last_; }

  // ---- nodes --------------------------------------------------------------------------------------------------------
  // Appends (or inserts after `position`) a node with unconnected inputs. The name is copied; it is not made unique.
  Node* AddNode(Symbol type, std::string_view name, uint32_t num_inputs, uint32_t num_outputs);
  Node* InsertNodeAfter(Node* position, Symbol type, std::string_view name, uint32_t num_inputs, uint32_t num_outputs);
  // Drops all its edges; neighbours are not linked to each other. REQUIRES: node->graph() == this.
  void RemoveNode(Node* node);
  void MoveNodeAfter(Node* node, Node* position);
  void SetType(Node* node, Symbol type);
  void SetNodeName(Node* node, std::string_view name);
  // New slots are unconnected; slots that go must be unconnected (inputs) or unused (outputs).
  void ResizeInputs(Node* node, uint32_t n);
  void ResizeOutputs(Node* node, uint32_t n);

  // First node of that name among the direct nodes; null if none. The index is built at the first call.
  Node* FindNode(std::string_view name) const;
  // `base`, or base_1, base_2, ... whichever is free.
  std::string UniqueName(std::string_view base) const;
  // A number such that no node of this root graph or its subgraphs has a name ending in '_' and this or a larger number;
  // every call gives a larger one. Amortised cost: one look at each name.
  uint64_t NextNameNumber();
  // The direct nodes of that type in list order. Valid until the next insertion or removal.
  const std::vector<Node*>& NodesOfType(Symbol type) const;
  size_t CountOfType(Symbol type) const { return type.id() < type_counts_.size() ? type_counts_[type.id()] : 0; }
  // Every node ever created here by id, removed ones included (their graph() is null): what is new since an earlier
  // all_created().size().
  const std::vector<Node*>& all_created() const { return created_; }

  // ---- edges --------------------------------------------------------------------------------------------------------
  // REQUIRES: both nodes are in this graph, indices in range, the slot is not connected.
  void Connect(Anchor source, Node* node, uint32_t slot);
  void Disconnect(Node* node, uint32_t slot);  // nothing happens if not connected
  // Moves every consumer of `from` to `to`, in order.
  void ReplaceUses(Anchor from, Anchor to);
  void AddControlEdge(Node* source, Node* node);
  bool RemoveControlEdge(Node* source, Node* node);  // false if there is none

  // ---- attributes and descs -----------------------------------------------------------------------------------------
  void SetAttr(Node* node, Symbol name, AttrValue value);
  bool EraseAttr(Node* node, Symbol name);
  void SetInputAttr(Node* node, uint32_t i, Symbol name, AttrValue value);
  void SetOutputAttr(Node* node, uint32_t i, Symbol name, AttrValue value);
  void SetOutputDesc(Node* node, uint32_t i, TensorDesc desc);
  void SetInputDesc(Node* node, uint32_t i, TensorDesc desc);
  void SetTensorName(Node* node, uint32_t i, std::string_view name);
  void SetDeclared(Node* node, uint32_t i, bool declared);
  // Unrecorded set-up of a node that its caller has just added: undoing the addition takes these along.
  AttrMap& NewNodeAttrs(Node* node) { return node->attrs_; }
  void ConnectNew(Anchor source, Node* node, uint32_t slot);
  void InitOutput(Node* node, uint32_t i, TensorDesc desc, std::string_view tensor_name, bool declared);
  const AttrMap& attrs() const { return attrs_; }
  void SetGraphAttr(Symbol name, AttrValue value);

  // ---- inputs and outputs -------------------------------------------------------------------------------------------
  // Data-type nodes by their `index` attribute (list order among equals).
  std::vector<Node*> InputNodes() const;
  // The NetOutput node; null if the graph has none. Its input i is graph output i.
  Node* net_output() const;

  // ---- subgraphs ----------------------------------------------------------------------------------------------------
  Graph* parent_graph() const { return parent_graph_; }
  Node* parent_node() const { return parent_node_; }
  Graph* root() { return root_; }
  // All subgraphs of all depths, registered on the root.
  const std::vector<GraphPtr>& subgraphs() const { return root_->subgraphs_; }
  Graph* FindSubgraph(std::string_view name) const;
  // Registers `graph` (a root without a parent until now) and its own subgraphs on this root, as slot `slot_name` of
  // `parent` (null: of no node). Fails on a name that is taken.
  Status AddSubgraph(Node* parent, std::string_view slot_name, GraphPtr graph);
  // Takes the subgraph off the root and off its parent node; false if unknown.
  bool RemoveSubgraph(std::string_view name);
  // Graphs that a node of another root uses and this root knows by name, and keeps alive. They are no part of the tree:
  // neither passes nor exports see them.
  const std::vector<GraphPtr>& linked() const { return root_->linked_; }
  Graph* FindLinked(std::string_view name) const;
  // Fails on a name that is taken, and on a graph that keeps this one alive.
  Status LinkSubgraph(GraphPtr graph);
  bool UnlinkSubgraph(std::string_view name);

  // ---- order --------------------------------------------------------------------------------------------------------
  // True if known that every edge points forward in the node list.
  bool topologically_ordered() const { return ordered_; }
  // For a caller that has moved nodes such that every edge points forward again.
  void MarkTopologicallyOrdered() { ordered_ = true; }
  // Reorders the node list, keeping the present order where edges allow it. The error names nodes of a cycle.
  Status TopologicalSort();

  // ---- the rest -----------------------------------------------------------------------------------------------------
  // A deep copy with its subgraphs: same names, attributes, descs; tensors shared.
  GraphPtr Clone() const;
  std::shared_ptr<GraphExtension>& extension() { return root_->extension_; }
  // For handles that may outlive this graph. Needs the GIL or sole use of the graph.
  const std::shared_ptr<Liveness>& liveness() const;
  // Null if nobody has asked for it.
  const Liveness* known_liveness() const { return liveness_.get(); }
  // Ends all handles onto this graph and its subgraphs, those still to be made included: it has a new owner.
  void ExpireHandles();
  Journal* journal() const { return root_->journal_.get(); }

 private:
  friend class Journal;
  friend class Transaction;

  explicit Graph(std::string_view name);
  Node* NewNode(Symbol type, std::string_view name, uint32_t num_inputs, uint32_t num_outputs);
  void LinkAfter(Node* node, Node* position);  // null: at the front
  void Unlink(Node* node);
  void AssignOrder(Node* node);
  void LinkUse(InputSlot* slot, Anchor source, InputSlot* after);
  void UnlinkUse(InputSlot* slot);
  void CountType(Symbol type, int delta);
  void Rehome(Graph* root, Graph* parent_graph, Node* parent_node);
  void NoteNames();
  static bool Keeps(const Graph* from, const Graph* wanted);
  void CopyInto(Graph* target, std::unordered_map<const Graph*, Graph*>* copies) const;

  // Order labels are this far apart, so that many nodes fit between two neighbours before relabelling.
  static constexpr int64_t kOrderGap = int64_t{1} << 24;

  std::string name_;
  Arena arena_;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  size_t num_nodes_ = 0;
  std::vector<Node*> created_;
  std::vector<uint32_t> type_counts_;
  bool ordered_ = true;
  size_t names_noted_ = 0;     // nodes of created_ whose names name_number_ has seen
  uint64_t name_number_ = 0;   // on the root only
  AttrMap attrs_;
  Graph* parent_graph_ = nullptr;
  Node* parent_node_ = nullptr;
  Graph* root_ = this;
  std::vector<GraphPtr> subgraphs_;  // on the root only
  std::vector<GraphPtr> linked_;
  std::shared_ptr<GraphExtension> extension_;
  std::unique_ptr<Journal> journal_;  // on the root, while a Transaction is open
  mutable std::shared_ptr<Liveness> liveness_;

  // Built when first asked for.
  mutable std::unordered_map<Symbol, std::vector<Node*>> by_type_;
  mutable bool by_type_fresh_ = false;
  mutable std::unordered_map<std::string_view, std::vector<Node*>> by_name_;
  mutable bool by_name_built_ = false;
};

// Everything done to a root graph and its subgraphs from here on can be undone exactly. Transactions nest; inner ones
// must end first. The destructor rolls back unless Commit was called.
class GE_API Transaction {
 public:
  explicit Transaction(Graph* graph);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void Commit();
  void Rollback();
  // Number of changes recorded since the start.
  size_t changes() const;

 private:
  void End();
  Graph* root_;
  size_t mark_ = 0;
  bool owns_journal_ = false;
  bool open_ = true;
};

}  // namespace ge::ir

#endif  // GE_IR_GRAPH_H_
