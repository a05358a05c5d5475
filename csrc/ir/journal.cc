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

void Journal::Admit(const GraphPtr& graph) {
  GraphPtr root = graph->root()->shared_from_this();
  if (root->journal_ != nullptr) return;
  root->journal_.reset(new Journal(record_));
  record_->admitted.push_back(root);
}

void Journal::Dismiss() {
  for (const GraphPtr& root : record_->admitted) root->journal_.reset();
  record_->admitted.clear();
}

void Journal::ForgetNames(Graph* root, bool outermost) {
  if (outermost) root->name_number_ = record_->name_number;
  // Nodes that were taken away came back; those that were made are gone.
  root->names_noted_ = 0;
  for (const GraphPtr& g : root->subgraphs_) g->names_noted_ = 0;
}

void Journal::UndoTo(size_t mark) {
  std::vector<GraphPtr> admitted = record_->admitted;
  Dismiss();
  Words& words = record_->words;
  while (words.size() > mark) {
    uint64_t tag = words.Pop();
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
        node->graph_ = reinterpret_cast<Graph*>(words.Pop());
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
        uint64_t indices = words.Pop();
        InputSlot* prev_use = prev ? &prev->inputs_[indices >> 32] : nullptr;
        node->graph_->LinkUse(&node->inputs_[slot], {source, static_cast<uint32_t>(indices)}, prev_use);
        break;
      }
      case Kind::kCustom: {
        std::function<void()> undo = std::move(record_->undos.back());
        record_->undos.pop_back();
        undo();
        break;
      }
    }
  }
  // An outer transaction goes on.
  for (const GraphPtr& root : admitted) {
    if (root->root() == root.get()) Admit(root);  // what came back to its root writes there
  }
}

Transaction::Transaction(Graph* graph) : root_(graph->root()) {
  if (!root_->journal_) {
    root_->journal_ = std::make_unique<Journal>(*root_);
    owns_journal_ = true;
    for (const GraphPtr& linked : root_->linked_) root_->journal_->Admit(linked);
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
  journal->ForgetNames(root_, owns_journal_);
  root_->journal_ = std::move(journal);
  End();
}

size_t Transaction::changes() const { return root_->journal_->size() - mark_; }

void Transaction::End() {
  open_ = false;
  if (!owns_journal_) return;
  root_->journal_->Dismiss();
  root_->journal_.reset();
}

}  // namespace ge::ir
