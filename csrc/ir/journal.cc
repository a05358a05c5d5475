#include "ir/journal.h"

namespace ge::ir {

void Journal::Words::NextBlock() {
  if (used_ == blocks_.size()) blocks_.emplace_back(new uint64_t[kBlock]);
  below_ = used_ * kBlock;
  base_ = next_ = blocks_[used_++].get();
  end_ = base_ + kBlock;
}

void Journal::Words::PreviousBlock() {
  --used_;
  below_ -= kBlock;
  base_ = blocks_[used_ - 1].get();
  next_ = end_ = base_ + kBlock;
}

void Journal::UndoTo(size_t mark) {
  while (words_.size() > mark) {
    uint64_t tag = words_.Pop();
    auto slot = static_cast<uint32_t>(tag >> 8);
    switch (static_cast<Kind>(tag & 0xFF)) {
      case Kind::kAdded: {
        Node* node = PopNode();
        // Connections made by ConnectNew are not recorded by themselves.
        for (uint32_t i = 0; i < node->num_inputs_; ++i) {
          if (node->inputs_[i].source_) node->graph_->UnlinkUse(&node->inputs_[i]);
        }
        node->graph_->Unlink(node);
        break;
      }
      case Kind::kRemoved: {
        Node* node = PopNode();
        Node* prev = PopNode();
        node->graph_ = reinterpret_cast<Graph*>(words_.Pop());
        node->graph_->LinkAfter(node, prev);
        break;
      }
      case Kind::kConnected: {
        Node* node = PopNode();
        node->graph_->UnlinkUse(&node->inputs_[slot]);
        break;
      }
      case Kind::kDisconnected: {
        Node* node = PopNode();
        Node* source = PopNode();
        Node* prev = PopNode();
        uint64_t indices = words_.Pop();
        InputSlot* prev_use = prev ? &prev->inputs_[indices >> 32] : nullptr;
        node->graph_->LinkUse(&node->inputs_[slot], {source, static_cast<uint32_t>(indices)}, prev_use);
        break;
      }
      case Kind::kCustom: {
        std::function<void()> undo = std::move(undos_.back());
        undos_.pop_back();
        undo();
        break;
      }
    }
  }
}

Transaction::Transaction(Graph* graph) : root_(graph->root()) {
  if (!root_->journal_) {
    root_->journal_ = std::make_unique<Journal>();
    owns_journal_ = true;
  }
  mark_ = root_->journal_->size();
}

Transaction::~Transaction() {
  if (open_) Rollback();
}

void Transaction::Commit() { End(); }

void Transaction::Rollback() {
  // Off the graph while it works, so that undoing is not recorded.
  std::unique_ptr<Journal> journal = std::move(root_->journal_);
  journal->UndoTo(mark_);
  root_->journal_ = std::move(journal);
  End();
}

size_t Transaction::changes() const { return root_->journal_->size() - mark_; }

void Transaction::End() {
  open_ = false;
  if (owns_journal_) root_->journal_.reset();
}

}  // namespace ge::ir
