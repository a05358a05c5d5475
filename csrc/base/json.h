// A strict JSON reader: RFC 8259, UTF-8 only, no duplicate members, limited depth.
#ifndef GE_BASE_JSON_H_
#define GE_BASE_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/export.h"
#include "base/status.h"

namespace ge {

class GE_API JsonValue {
 public:
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };
  using Member = std::pair<std::string, JsonValue>;

  // The whole text must be one value. Errors give line and column (from 1, in bytes).
  static Result<JsonValue> Parse(std::string_view text);

  Kind kind() const { return kind_; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_string() const { return kind_ == Kind::kString; }
  // What the value is called in messages: "number", "object", ...
  const char* kind_name() const;

  // REQUIRES: the kind fits.
  bool bool_value() const { return bool_; }
  double number() const { return number_; }
  const std::string& string() const { return text_; }
  const std::vector<JsonValue>& array() const { return items_; }
  const std::vector<Member>& members() const { return members_; }

  // The number when it was written as an integer and fits.
  std::optional<int64_t> integer() const { return integer_; }
  // Null if this is no object or has no such member.
  const JsonValue* Find(std::string_view name) const;

 private:
  friend class JsonReader;

  Kind kind_ = Kind::kNull;
  bool bool_ = false;
  double number_ = 0;
  std::optional<int64_t> integer_;
  std::string text_;
  std::vector<JsonValue> items_;
  std::vector<Member> members_;
};

}  // namespace ge

#endif  // GE_BASE_JSON_H_
