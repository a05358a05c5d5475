#include "ops/values.h"

namespace ge::ops {

const Values* ValueStore::Find(ir::Anchor anchor) {
  if (!anchor) return nullptr;
  uint64_t id = anchor.node->id();
  if (id < first_.size()) {
    for (uint32_t e = first_[id]; e != kNone; e = entries_[e].next) {
      if (entries_[e].index == anchor.index) return &entries_[e].values;
    }
  }
  return anchor.node->is_const() ? ReadConst(anchor.node) : nullptr;
}

void ValueStore::Set(ir::Anchor anchor, Values values) {
  uint64_t id = anchor.node->id();
  if (id >= first_.size()) first_.resize(id + 1, kNone);
  entries_.push_back({anchor.index, first_[id], values});
  first_[id] = static_cast<uint32_t>(entries_.size() - 1);
}

const Values* ValueStore::ReadConst(ir::Node* node) {
  const ir::Tensor* t = node->const_value();
  if (t == nullptr || t->desc.shape.unknown_rank() || t->desc.shape.rank() > 1) return nullptr;
  int64_t n = t->desc.shape.NumElements();
  if (n < 0 || n > static_cast<int64_t>(kMaxFollowed)) return nullptr;
  std::span<Scalar> items;
  if (ir::ReadIntegers(*t, &ints_) && static_cast<int64_t>(ints_.size()) == n) {
    items = New(ints_.size());
    for (size_t i = 0; i < ints_.size(); ++i) items[i] = Scalar::Int(ints_[i]);
  } else if (ir::ReadNumbers(*t, &floats_) && static_cast<int64_t>(floats_.size()) == n) {
    items = New(floats_.size());
    for (size_t i = 0; i < floats_.size(); ++i) items[i] = Scalar::Float(floats_[i]);
  } else {
    return nullptr;
  }
  Set({node, 0}, {items, t->desc.shape.rank() == 0});
  return &entries_.back().values;
}

}  // namespace ge::ops
