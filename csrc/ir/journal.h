// The undo journal behind Transaction: one small record a change, undone in reverse order.
#ifndef GE_IR_JOURNAL_H_
#define GE_IR_JOURNAL_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace ge::ir {

// Graphs that belong together while a transaction is open (a root, subgraphs that were taken off it, graphs it is linked
// to) write to one record: each has a Journal, and all of them share what is in it.
class Journal {
 public:
  explicit Journal(const Graph& root) : record_(std::make_shared<Record>()) { record_->name_number = root.name_number_; }
  // Lets the tree that this graph is in write to the same record until the transaction ends. One that has a journal keeps
  // its own.
  void Admit(const GraphPtr& graph);
  void NodeAdded(Node* node) { Push(Kind::kAdded, 0, {Word(node)}); }
  void NodeRemoved(Graph* graph, Node* node, Node* prev) {
    Push(Kind::kRemoved, 0, {Word(graph), Word(prev), Word(node)});
  }
  void Connected(Node* node, uint32_t slot) { Push(Kind::kConnected, slot, {Word(node)}); }
  // `prev_use` is kept as (node, slot), since slots move when a node's inputs are resized.
  void Disconnected(Node* node, uint32_t slot, Anchor source, const InputSlot* prev_use) {
    uint64_t indices = source.index | static_cast<uint64_t>(prev_use ? prev_use->index() : 0) << 32;
    Push(Kind::kDisconnected, slot, {indices, Word(prev_use ? prev_use->node() : nullptr), Word(source.node), Word(node)});
  }
  // For rarer changes: any function that restores the state before.
  void Custom(std::function<void()> undo) {
    record_->undos.push_back(std::move(undo));
    Push(Kind::kCustom, 0, {});
  }
  // Grows with every change.
  size_t size() const { return record_->words.size(); }
  // Undoes what came after `mark`, last first; the admitted graphs stay. REQUIRES: the journal is off its graph meanwhile.
  void UndoTo(size_t mark);
  // So that the names that follow are those that would have followed without what was undone.
  void ForgetNames(Graph* root, bool outermost);
  // Takes the journals off the admitted graphs.
  void Dismiss();

 private:
  enum class Kind : uint8_t { kAdded, kRemoved, kConnected, kDisconnected, kCustom };

  // A stack that never moves what it holds: a large journal costs one pass over fresh memory.
  class Words {
   public:
    size_t size() const { return below_ + static_cast<size_t>(next_ - base_); }
    void Push(uint64_t word) {
      if (next_ == end_) NextBlock();
      *next_++ = word;
    }
    // REQUIRES: size() > 0.
    uint64_t Pop() {
      if (next_ == base_) PreviousBlock();
      return *--next_;
    }

   private:
    void NextBlock();
    void PreviousBlock();

    static constexpr size_t kBlock = 8192;
    std::vector<std::unique_ptr<uint64_t[]>> blocks_;
    size_t used_ = 0;   // blocks with words, the last of them being filled
    size_t below_ = 0;  // words in the blocks before that one
    uint64_t* base_ = nullptr;
    uint64_t* next_ = nullptr;
    uint64_t* end_ = nullptr;
  };

  struct Record {
    Words words;
    std::vector<std::function<void()>> undos;
    std::vector<GraphPtr> admitted;
    uint64_t name_number = 0;  // of the root at the start
  };

  explicit Journal(std::shared_ptr<Record> record) : record_(std::move(record)) {}
  static uint64_t Word(const void* p) { return reinterpret_cast<uintptr_t>(p); }
  // A record is its operands, then one word of kind and number: undoing reads from the end.
  void Push(Kind kind, uint32_t number, std::initializer_list<uint64_t> operands) {
    Words& words = record_->words;
    for (uint64_t word : operands) words.Push(word);
    words.Push(static_cast<uint64_t>(kind) | static_cast<uint64_t>(number) << 8);
  }
  Node* PopNode() { return reinterpret_cast<Node*>(record_->words.Pop()); }

  std::shared_ptr<Record> record_;
};

}  // namespace ge::ir

#endif  // GE_IR_JOURNAL_H_
