// Small text helpers: building messages, splitting, parsing numbers.
#ifndef GE_BASE_STRINGS_H_
#define GE_BASE_STRINGS_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ge {

namespace strings_internal {
inline void Append(std::string& out, std::string_view s) { out.append(s); }
inline void Append(std::string& out, char c) { out.push_back(c); }
template <typename T>
  requires std::is_integral_v<T> && (!std::is_same_v<T, char>)
void Append(std::string& out, T value) {
  char buf[24];
  auto end = std::to_chars(buf, buf + sizeof buf, static_cast<long long>(value)).ptr;
  out.append(buf, end);
}
void Append(std::string& out, double value);
}  // namespace strings_internal

// Joins texts and numbers into one string.
template <typename... Args>
std::string StrCat(const Args&... args) {
  std::string out;
  (strings_internal::Append(out, args), ...);
  return out;
}

// Pieces between separators, empty ones included; "" gives one empty piece.
std::vector<std::string_view> Split(std::string_view text, char separator);
// Without blanks at both ends.
std::string_view Trim(std::string_view text);
// The whole text as a decimal integer, else nothing.
std::optional<int64_t> ParseInt(std::string_view text);

template <typename Range>
std::string Join(const Range& parts, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& p : parts) {
    if (!first) out.append(separator);
    first = false;
    strings_internal::Append(out, p);
  }
  return out;
}

}  // namespace ge

#endif  // GE_BASE_STRINGS_H_
