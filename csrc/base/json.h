// JSON text as a value: for manifests, switch files and other small configuration.
#ifndef GE_BASE_JSON_H_
#define GE_BASE_JSON_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/export.h"
#include "base/status.h"

namespace ge {

class GE_API Json {
 public:
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  // The whole text as one value (RFC 8259). The error says line, column and reason; its id is E10032.
  static Result<Json> Parse(std::string_view text);

  Kind kind() const { return kind_; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_string() const { return kind_ == Kind::kString; }
  // Null when this is no object or has no such member; of repeated members the last one.
  const Json* Find(std::string_view key) const;
  // Values of other kinds give the fallback. An integer must be one exactly.
  bool AsBool(bool fallback = false) const;
  double AsNumber(double fallback = 0) const;
  int64_t AsInt(int64_t fallback = 0) const;
  // "" unless a string.
  const std::string& AsString() const;
  // Empty unless an array; empty unless an object. In the order of the text.
  const std::vector<Json>& items() const { return items_; }
  const std::vector<std::pair<std::string, Json>>& members() const { return members_; }

 private:
  friend class JsonParser;
  Kind kind_ = Kind::kNull;
  bool bool_ = false;
  double number_ = 0;
  std::string string_;
  std::vector<Json> items_;
  std::vector<std::pair<std::string, Json>> members_;
};

}  // namespace ge

#endif  // GE_BASE_JSON_H_
