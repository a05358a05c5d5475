// Reads protobuf wire data in place. Every length is checked against what is left, so hostile bytes end in an error.
#ifndef GE_FORMATS_WIRE_READER_H_
#define GE_FORMATS_WIRE_READER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ge::formats::wire {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// One field of a message. Views point into the input.
struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // of kVarint, kFixed64, kFixed32
  std::string_view bytes;  // payload of kBytes
  std::string_view raw;    // tag and payload as they lie in the input

  int64_t Int() const { return static_cast<int64_t>(value); }
  float Float() const {
    auto bits = static_cast<uint32_t>(value);
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
  }
  bool is(uint32_t n, WireType t) const { return number == n && type == t; }
  bool bytes_of(uint32_t n) const { return is(n, WireType::kBytes); }
  bool varint_of(uint32_t n) const { return is(n, WireType::kVarint); }
};

class Reader {
 public:
  explicit Reader(std::string_view message) : begin_(message.data()), p_(begin_), end_(begin_ + message.size()) {}

  // The next field; false at the end of the message and on malformed data (then ok() is false).
  bool Next(Field* field);
  bool ok() const { return error_ == Error::kNone; }
  // What is wrong with the data, for people; empty while ok().
  std::string error() const;
  // True if the data is a whole message up to where it was cut off.
  bool truncated() const { return error_ == Error::kTruncated; }

 private:
  enum class Error : uint8_t { kNone, kTruncated, kTag, kVarint };
  bool Fail(Error error) {
    error_ = error;
    return false;
  }
  bool ReadVarint(uint64_t* value);

  const char* begin_;
  const char* p_;
  const char* end_;
  const char* field_start_ = nullptr;
  uint64_t wanted_ = 0;
  uint32_t number_ = 0;
  Error error_ = Error::kNone;
};

// Appends the element or elements (packed form) of a repeated field; false if the packed bytes are malformed.
bool AppendVarints(const Field& field, std::vector<int64_t>* out);
bool AppendFloats(const Field& field, std::vector<float>* out);

}  // namespace ge::formats::wire

#endif  // GE_FORMATS_WIRE_READER_H_
