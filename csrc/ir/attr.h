// Attribute values (the kinds of GE's AttrValue) and a small ordered map of them.
#ifndef GE_IR_ATTR_H_
#define GE_IR_ATTR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/symbol.h"
#include "ir/tensor.h"

namespace ge::ir {

class Graph;
class AttrMap;

struct Bytes {
  std::string data;
  friend bool operator==(const Bytes& a, const Bytes& b) { return a.data == b.data; }
};
using TensorDescPtr = std::shared_ptr<const TensorDesc>;
using GraphPtr = std::shared_ptr<Graph>;
using NamedAttrsPtr = std::shared_ptr<const AttrMap>;

// Alternatives follow GE's AttrValue kinds (VT_*). Floats are 32-bit, as in the IR.
using AttrValue =
    std::variant<std::monostate, std::string, float, bool, int64_t, TensorDescPtr, TensorPtr, Bytes, GraphPtr,
                 NamedAttrsPtr, DataType, std::vector<std::string>, std::vector<float>, std::vector<bool>,
                 std::vector<int64_t>, std::vector<TensorDescPtr>, std::vector<TensorPtr>, std::vector<Bytes>,
                 std::vector<GraphPtr>, std::vector<NamedAttrsPtr>, std::vector<DataType>,
                 std::vector<std::vector<int64_t>>, std::vector<std::vector<float>>>;

// Insertion-ordered; nodes carry few attributes, so look-up is a linear walk over symbols.
class AttrMap {
 public:
  using Entry = std::pair<Symbol, AttrValue>;
  const AttrValue* Find(Symbol name) const {
    for (const Entry& e : entries_) {
      if (e.first == name) return &e.second;
    }
    return nullptr;
  }
  // Null when absent or of another kind.
  template <typename T>
  const T* Get(Symbol name) const {
    const AttrValue* v = Find(name);
    return v ? std::get_if<T>(v) : nullptr;
  }
  void Set(Symbol name, AttrValue value) {
    for (Entry& e : entries_) {
      if (e.first == name) {
        e.second = std::move(value);
        return;
      }
    }
    entries_.emplace_back(name, std::move(value));
  }
  bool Erase(Symbol name) {
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (it->first == name) {
        entries_.erase(it);
        return true;
      }
    }
    return false;
  }
  void Reserve(size_t n) { entries_.reserve(n); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

// Deep equality: tensors by desc and bytes, graphs by identity.
GE_API bool Equal(const AttrValue& a, const AttrValue& b);

}  // namespace ge::ir

#endif  // GE_IR_ATTR_H_
