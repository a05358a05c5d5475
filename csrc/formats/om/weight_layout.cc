#include "formats/om/weight_layout.h"

namespace ge::formats::om {
namespace {

constexpr uint64_t kAlign = 512;
constexpr uint64_t kSpare = 32;
// Larger weights are equal only if they are the same memory: comparing them would read all of the model.
constexpr size_t kCompared = 1 << 16;

uint64_t RoundUp(uint64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

}  // namespace

uint64_t WeightLayout::Add(std::span<const uint8_t> bytes) {
  if (bytes.size() <= kCompared) {
    std::string_view key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto [place, fresh] = small_.emplace(key, end_);
    if (!fresh) return place->second;
  } else {
    std::vector<size_t>& same = by_address_[bytes.data()];
    for (size_t i : same) {
      if (entries_[i].bytes.size() == bytes.size()) return entries_[i].offset;
    }
    same.push_back(entries_.size());
  }
  uint64_t offset = end_;
  entries_.push_back({offset, bytes});
  end_ = RoundUp(offset + bytes.size());
  return offset;
}

uint64_t WeightLayout::size() const {
  if (entries_.empty()) return 0;
  return RoundUp(entries_.back().offset + entries_.back().bytes.size() + kSpare);
}

}  // namespace ge::formats::om
