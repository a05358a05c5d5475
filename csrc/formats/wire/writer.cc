#include "formats/wire/writer.h"

#include <algorithm>
#include <cstddef>

namespace ge::formats::wire {

void Writer::Grow(size_t n) {
  size_t capacity = std::max(capacity_ * 2, size_ + n);
  capacity = std::max<size_t>(capacity, 1 << 12);
  // realloc moves pages of large blocks instead of copying them.
  void* data = std::realloc(data_, capacity);
  if (data == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(data);
  capacity_ = capacity;
}

void Writer::End(const Mark& mark) {
  uint64_t length = (size_ - mark.start) + (ref_bytes_ - mark.ref_bytes);
  uint32_t needed = VarintSize(length);
  size_t length_at = mark.start - mark.length_size;
  if (needed != mark.length_size) {
    // The guess of Begin was wrong: the content moves by a byte or two.
    if (needed > mark.length_size) Room(needed - mark.length_size);
    std::memmove(data_ + length_at + needed, data_ + mark.start, size_ - mark.start);
    ptrdiff_t delta = static_cast<ptrdiff_t>(needed) - static_cast<ptrdiff_t>(mark.length_size);
    size_ = static_cast<size_t>(static_cast<ptrdiff_t>(size_) + delta);
    for (size_t i = mark.refs; i < refs_.size(); ++i) {
      refs_[i].position = static_cast<size_t>(static_cast<ptrdiff_t>(refs_[i].position) + delta);
    }
  }
  char* p = data_ + length_at;
  for (; length >= 0x80; length >>= 7) *p++ = static_cast<char>(length | 0x80);
  *p = static_cast<char>(length);
}

std::vector<Writer::Piece> Writer::Pieces() const {
  std::vector<Piece> pieces;
  pieces.reserve(refs_.size() * 2 + 1);
  size_t at = 0;
  auto own = [&](size_t until) {
    if (until > at) pieces.push_back({reinterpret_cast<const uint8_t*>(data_) + at, until - at, false});
    at = until;
  };
  for (const RefEntry& ref : refs_) {
    own(ref.position);
    if (ref.size > 0) pieces.push_back({ref.data, ref.size, true});
  }
  own(size_);
  return pieces;
}

}  // namespace ge::formats::wire
