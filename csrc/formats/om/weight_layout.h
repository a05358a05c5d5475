// Where weights lie in the partition that holds them.
#ifndef GE_FORMATS_OM_WEIGHT_LAYOUT_H_
#define GE_FORMATS_OM_WEIGHT_LAYOUT_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ge::formats::om {

// Equal weights share a place. Bytes must live until the file is written.
class WeightLayout {
 public:
  uint64_t Add(std::span<const uint8_t> bytes);
  // Of the whole partition; 0 without weights.
  uint64_t size() const;

  struct Entry {
    uint64_t offset;
    std::span<const uint8_t> bytes;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  uint64_t end_ = 512;  // the first bytes are not used
  std::unordered_map<std::string_view, uint64_t> small_;
  std::unordered_map<const uint8_t*, std::vector<size_t>> by_address_;
};

}  // namespace ge::formats::om

#endif  // GE_FORMATS_OM_WEIGHT_LAYOUT_H_
