#include "graph/ascend_string.h"

#include <cstring>
#include <string_view>

namespace ge {
inline namespace v1 {

namespace detail {
struct Text {
  std::string text;
};
}  // namespace detail

AscendString::AscendString(const char *name) : AscendString(name, name == nullptr ? 0 : std::strlen(name)) {}

AscendString::AscendString(const char *name, size_t length) {
  if (name != nullptr && length > 0) text_ = std::make_shared<const detail::Text>(detail::Text{{name, length}});
}

const char *AscendString::GetString() const { return text_ ? text_->text.c_str() : ""; }

size_t AscendString::GetLength() const { return text_ ? text_->text.size() : 0; }

size_t AscendString::Hash() const { return std::hash<std::string_view>()({GetString(), GetLength()}); }

int AscendString::Compare(const AscendString &other) const {
  return std::string_view(GetString(), GetLength()).compare({other.GetString(), other.GetLength()});
}

}  // namespace v1
}  // namespace ge
