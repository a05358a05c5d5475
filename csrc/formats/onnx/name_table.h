// Hash tables over names that lie elsewhere (in the mapped file or an arena): no text is copied.
#ifndef GE_FORMATS_ONNX_NAME_TABLE_H_
#define GE_FORMATS_ONNX_NAME_TABLE_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace ge::formats::onnx {

inline uint64_t HashName(std::string_view s) {
  constexpr uint64_t kMul = 0x9E3779B97F4A7C15ull;
  uint64_t h = s.size() * kMul;
  const char* p = s.data();
  size_t n = s.size();
  auto mix = [&h](uint64_t word) {
    h = (h ^ word) * kMul;
    h ^= h >> 29;
  };
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    mix(word);
  }
  if (n > 0) {
    uint64_t word = 0;
    std::memcpy(&word, p, n);
    mix(word);
  }
  return h ^ (h >> 32);
}

// Open addressing, insertion-ordered entries. Pointers to values are valid until the next insertion.
template <typename V>
class NameTable {
 public:
  void Reserve(size_t n) {
    entries_.reserve(n);
    size_t slots = 64;
    while (TooFull(n, slots)) slots *= 2;
    if (slots > slots_.size()) Rehash(slots);
  }
  V* Find(std::string_view name) {
    if (slots_.empty()) return nullptr;
    Slot* slot = Probe(name, HashName(name));
    return slot->entry == 0 ? nullptr : &entries_[slot->entry - 1].second;
  }
  const V* Find(std::string_view name) const { return const_cast<NameTable*>(this)->Find(name); }
  bool Contains(std::string_view name) const { return Find(name) != nullptr; }
  // The value of the name, and whether it was put in now.
  std::pair<V*, bool> Insert(std::string_view name, V value) {
    if (TooFull(entries_.size() + 1, slots_.size())) Rehash(slots_.empty() ? 64 : slots_.size() * 2);
    uint64_t hash = HashName(name);
    Slot* slot = Probe(name, hash);
    if (slot->entry != 0) return {&entries_[slot->entry - 1].second, false};
    entries_.emplace_back(name, std::move(value));
    *slot = {static_cast<uint32_t>(hash), static_cast<uint32_t>(entries_.size())};
    return {&entries_.back().second, true};
  }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = 0;  // index + 1; 0 is free
  };
  // Three quarters: the slots of a large model should fit the cache.
  static bool TooFull(size_t entries, size_t slots) { return entries * 4 > slots * 3; }
  Slot* Probe(std::string_view name, uint64_t hash) {
    size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.entry == 0) return &slot;
      if (slot.hash == static_cast<uint32_t>(hash) && entries_[slot.entry - 1].first == name) return &slot;
    }
  }
  void Rehash(size_t slots) {
    slots_.assign(slots, Slot{});
    for (size_t e = 0; e < entries_.size(); ++e) {
      uint64_t hash = HashName(entries_[e].first);
      size_t i = hash & (slots - 1);
      while (slots_[i].entry != 0) i = (i + 1) & (slots - 1);
      slots_[i] = {static_cast<uint32_t>(hash), static_cast<uint32_t>(e + 1)};
    }
  }

  std::vector<std::pair<std::string_view, V>> entries_;
  std::vector<Slot> slots_;
};

struct Present {};
using NameSet = NameTable<Present>;

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_NAME_TABLE_H_
