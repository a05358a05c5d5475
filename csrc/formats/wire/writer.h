// Writes protobuf wire data into memory; large payloads are only referred to, so that they go from the mapped source
// file to the output without a copy.
#ifndef GE_FORMATS_WIRE_WRITER_H_
#define GE_FORMATS_WIRE_WRITER_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

namespace ge::formats::wire {

// Not thread-safe. Bytes given to Ref must live until the output is written.
class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { std::free(data_); }

  void Varint(uint64_t value) {
    char* p = Room(10);
    while (value >= 0x80) {
      *p++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *p++ = static_cast<char>(value);
    size_ = static_cast<size_t>(p - data_);
  }
  void Raw(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(Room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void Int(uint32_t field, int64_t value) {
    Varint(field << 3);
    Varint(static_cast<uint64_t>(value));
  }
  void Float(uint32_t field, float value) {
    Varint(field << 3 | 5);
    Raw({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    Varint(field << 3 | 2);
    Varint(bytes.size());
    Raw(bytes);
  }
  // As Bytes, without copying them.
  void Ref(uint32_t field, const uint8_t* data, size_t size) {
    Varint(field << 3 | 2);
    Varint(size);
    refs_.push_back({size_, data, size});
    ref_bytes_ += size;
  }

  // A nested message: what is written between Begin and End.
  struct Mark {
    size_t start;
    size_t refs;
    uint64_t ref_bytes;
    uint32_t length_size;
  };
  Mark Begin(uint32_t field, uint64_t expected_size = 0) {
    Varint(field << 3 | 2);
    uint32_t length_size = VarintSize(expected_size);
    Room(length_size);
    size_ += length_size;
    return {size_, refs_.size(), ref_bytes_, length_size};
  }
  void End(const Mark& mark);

  // Bytes written so far, referred ones included.
  uint64_t size() const { return size_ + ref_bytes_; }
  void Clear() {
    size_ = 0;
    ref_bytes_ = 0;
    refs_.clear();
  }

  struct Piece {
    const uint8_t* data;
    size_t size;
    bool referred;
  };
  // The output in order. Valid until the next write.
  std::vector<Piece> Pieces() const;

  static uint32_t VarintSize(uint64_t value) {
    uint32_t n = 1;
    for (; value >= 0x80; value >>= 7) ++n;
    return n;
  }

 private:
  struct RefEntry {
    size_t position;  // in the buffer
    const uint8_t* data;
    size_t size;
  };
  char* Room(size_t n) {
    if (size_ + n > capacity_) Grow(n);
    return data_ + size_;
  }
  void Grow(size_t n);

  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  uint64_t ref_bytes_ = 0;
  std::vector<RefEntry> refs_;
};

}  // namespace ge::formats::wire

#endif  // GE_FORMATS_WIRE_WRITER_H_
