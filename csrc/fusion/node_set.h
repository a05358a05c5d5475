// A set of nodes for short searches: no allocation while it stays small.
#ifndef GE_FUSION_NODE_SET_H_
#define GE_FUSION_NODE_SET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace ge::fusion {

class NodeSet {
 public:
  void Clear() {
    if (used_.size() == 0) return;
    if (table_.size() > kKeep) {
      table_.assign(kFirst, nullptr);
    } else {
      for (size_t at : used_) table_[at] = nullptr;
    }
    used_.clear();
  }
  // False if it was there already.
  bool Insert(const ir::Node* node) {
    if ((used_.size() + 1) * 2 > table_.size()) Grow();
    size_t at = Find(node);
    if (table_[at] == node) return false;
    table_[at] = node;
    used_.push_back(at);
    return true;
  }
  bool Contains(const ir::Node* node) const { return !used_.empty() && table_[Find(node)] == node; }
  size_t size() const { return used_.size(); }

 private:
  static constexpr size_t kFirst = 64;
  static constexpr size_t kKeep = 4096;

  size_t Find(const ir::Node* node) const {
    size_t mask = table_.size() - 1;
    size_t at = (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15ull >> 32 & mask;
    while (table_[at] != nullptr && table_[at] != node) at = (at + 1) & mask;
    return at;
  }
  void Grow() {
    std::vector<const ir::Node*> old;
    old.swap(table_);
    table_.assign(old.empty() ? kFirst : old.size() * 2, nullptr);
    used_.clear();
    for (const ir::Node* node : old) {
      if (node == nullptr) continue;
      size_t at = Find(node);
      table_[at] = node;
      used_.push_back(at);
    }
  }

  std::vector<const ir::Node*> table_;
  std::vector<size_t> used_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_NODE_SET_H_
