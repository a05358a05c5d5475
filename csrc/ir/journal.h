// The undo journal behind Transaction: one small record a change, undone in reverse order.
#ifndef GE_IR_JOURNAL_H_
#define GE_IR_JOURNAL_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace ge::ir {

class Journal {
 public:
  void NodeAdded(Node* node) { records_.push_back({Kind::kAdded, node, {}, {}, nullptr, 0}); }
  void NodeRemoved(Graph* graph, Node* node, Node* prev) {
    records_.push_back({Kind::kRemoved, node, {}, {prev, 0}, graph, 0});
  }
  void Connected(Node* node, uint32_t slot) {
    records_.push_back({Kind::kConnected, node, {}, {}, nullptr, slot});
  }
  void Disconnected(Node* node, uint32_t slot, Anchor source, InputSlot* prev_use) {
    Anchor previous = prev_use ? Anchor{prev_use->node(), prev_use->index()} : Anchor{};
    records_.push_back({Kind::kDisconnected, node, previous, source, nullptr, slot});
  }
  // For rarer changes: any function that restores the state before.
  void Custom(std::function<void()> undo) {
    records_.push_back({Kind::kCustom, nullptr, {}, {}, nullptr, static_cast<uint32_t>(undos_.size())});
    undos_.push_back(std::move(undo));
  }
  size_t size() const { return records_.size(); }
  // Undoes the records after `mark`, last first. The journal must be detached from recording meanwhile.
  void UndoTo(size_t mark);

 private:
  enum class Kind : uint8_t { kAdded, kRemoved, kConnected, kDisconnected, kCustom };
  struct Record {
    Kind kind;
    Node* node;
    Anchor prev_use;  // (node, input slot), not a pointer: slots move when a node's inputs are resized
    Anchor anchor;
    Graph* graph;
    uint32_t number;
  };
  std::vector<Record> records_;
  std::vector<std::function<void()>> undos_;
};

}  // namespace ge::ir

#endif  // GE_IR_JOURNAL_H_
