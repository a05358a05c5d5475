#include "ir/journal.h"

namespace ge::ir {

void Journal::UndoTo(size_t mark) {
  while (records_.size() > mark) {
    Record r = records_.back();
    records_.pop_back();
    switch (r.kind) {
      case Kind::kAdded: {
        Graph* graph = r.node->graph_;
        graph->Unlink(r.node);
        break;
      }
      case Kind::kRemoved:
        r.node->graph_ = r.graph;
        r.graph->LinkAfter(r.node, r.anchor.node);
        break;
      case Kind::kConnected: {
        InputSlot* slot = &r.node->inputs_[r.number];
        r.node->graph_->UnlinkUse(slot);
        break;
      }
      case Kind::kDisconnected: {
        InputSlot* slot = &r.node->inputs_[r.number];
        InputSlot* previous = r.prev_use ? &r.prev_use.node->inputs_[r.prev_use.index] : nullptr;
        r.node->graph_->LinkUse(slot, r.anchor, previous);
        break;
      }
      case Kind::kCustom:
        undos_[r.number]();
        undos_.pop_back();
        break;
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
