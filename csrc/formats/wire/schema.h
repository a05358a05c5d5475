// Descriptions of protobuf messages, for forms that name the fields: text and JSON.
#ifndef GE_FORMATS_WIRE_SCHEMA_H_
#define GE_FORMATS_WIRE_SCHEMA_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace ge::formats::wire {

enum class FieldKind : uint8_t { kString, kBytes, kInt, kBool, kFloat, kEnum, kMessage };

struct MessageSpec;

// A map is a repeated message with the fields key and value.
struct FieldSpec {
  uint32_t number;
  std::string_view name;
  FieldKind kind;
  bool repeated = false;
  bool oneof = false;  // zero is a value, too
  const MessageSpec* message = nullptr;
  std::span<const std::string_view> names = {};  // of an enumeration, by number
};

struct MessageSpec {
  std::string_view name;
  std::span<const FieldSpec> fields;  // by number

  const FieldSpec* Find(uint32_t number) const {
    for (const FieldSpec& f : fields) {
      if (f.number == number) return &f;
    }
    return nullptr;
  }
  const FieldSpec* Find(std::string_view field) const {
    for (const FieldSpec& f : fields) {
      if (f.name == field) return &f;
    }
    return nullptr;
  }
};

}  // namespace ge::formats::wire

#endif  // GE_FORMATS_WIRE_SCHEMA_H_
