#include "formats/wire/reader.h"

#include "base/strings.h"

namespace ge::formats::wire {

bool Reader::ReadVarint(uint64_t* value) {
  // Almost every tag and length of a model is below 128.
  if (p_ < end_ && static_cast<uint8_t>(*p_) < 0x80) {
    *value = static_cast<uint8_t>(*p_++);
    return true;
  }
  uint64_t result = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (p_ == end_) {
      wanted_ = 1;
      return Fail(Error::kTruncated);
    }
    auto byte = static_cast<uint8_t>(*p_++);
    if (shift == 63 && byte > 1) return Fail(Error::kVarint);
    result |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return Fail(Error::kVarint);
}

bool Reader::Next(Field* field) {
  if (p_ == end_ || !ok()) return false;
  field_start_ = p_;
  uint64_t tag;
  if (!ReadVarint(&tag)) return false;
  if (tag > UINT32_MAX || (tag >> 3) == 0) return Fail(Error::kTag);
  number_ = field->number = static_cast<uint32_t>(tag >> 3);
  auto left = [this] { return static_cast<uint64_t>(end_ - p_); };
  switch (tag & 7) {
    case 0:
      field->type = WireType::kVarint;
      if (!ReadVarint(&field->value)) return false;
      field->bytes = {};
      break;
    case 1:
    case 5: {
      field->type = (tag & 7) == 1 ? WireType::kFixed64 : WireType::kFixed32;
      wanted_ = (tag & 7) == 1 ? 8 : 4;
      if (left() < wanted_) return Fail(Error::kTruncated);
      field->value = 0;
      std::memcpy(&field->value, p_, wanted_);
      field->bytes = {};
      p_ += wanted_;
      break;
    }
    case 2: {
      field->type = WireType::kBytes;
      uint64_t size;
      if (!ReadVarint(&size)) return false;
      wanted_ = size;
      if (size > left()) return Fail(Error::kTruncated);
      field->bytes = {p_, static_cast<size_t>(size)};
      field->value = 0;
      p_ += size;
      break;
    }
    default:
      return Fail(Error::kTag);
  }
  field->raw = {field_start_, static_cast<size_t>(p_ - field_start_)};
  return true;
}

std::string Reader::error() const {
  switch (error_) {
    case Error::kNone:
      return {};
    case Error::kTruncated:
      return StrCat("field ", number_, " needs ", wanted_, " bytes, ", end_ - p_, " are left");
    case Error::kTag:
      return StrCat("byte ", field_start_ - begin_, " of ", end_ - begin_, " starts no protobuf field");
    case Error::kVarint:
      return StrCat("the number at byte ", field_start_ - begin_, " of ", end_ - begin_, " is longer than 64 bits");
  }
  return {};
}

bool AppendVarints(const Field& field, std::vector<int64_t>* out) {
  if (field.type == WireType::kVarint) {
    out->push_back(field.Int());
    return true;
  }
  if (field.type != WireType::kBytes) return false;
  const char* p = field.bytes.data();
  const char* end = p + field.bytes.size();
  while (p < end) {
    uint64_t value = 0;
    int shift = 0;
    for (;; shift += 7) {
      if (p == end || shift > 63) return false;
      auto byte = static_cast<uint8_t>(*p++);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    out->push_back(static_cast<int64_t>(value));
  }
  return true;
}

bool AppendFloats(const Field& field, std::vector<float>* out) {
  if (field.type == WireType::kFixed32) {
    out->push_back(field.Float());
    return true;
  }
  if (field.type != WireType::kBytes || field.bytes.size() % 4 != 0) return false;
  size_t old = out->size();
  if (field.bytes.empty()) return true;
  out->resize(old + field.bytes.size() / 4);
  std::memcpy(out->data() + old, field.bytes.data(), field.bytes.size());
  return true;
}

}  // namespace ge::formats::wire
