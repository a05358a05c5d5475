// AscendString: text that crosses the library's border whichever std::string the caller is compiled with.
#ifndef GE_GRAPH_ASCEND_STRING_H_
#define GE_GRAPH_ASCEND_STRING_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ge/export.h"

namespace ge {
inline namespace v1 {

namespace detail {
struct Text;
}

// Immutable; copies share the text. A default-made one is the empty text.
class GE_API AscendString {
 public:
  AscendString() = default;
  // A null pointer is the empty text.
  AscendString(const char *name);  // NOLINT: implicit by design
  AscendString(const char *name, size_t length);
  template <typename S, typename = decltype(std::declval<const S &>().c_str())>
  AscendString(const S &text) : AscendString(text.c_str(), text.size()) {}  // NOLINT: implicit by design

  // Never null; ends with a NUL.
  const char *GetString() const;
  size_t GetLength() const;
  size_t Hash() const;

  bool operator==(const AscendString &other) const { return Compare(other) == 0; }
  bool operator!=(const AscendString &other) const { return Compare(other) != 0; }
  bool operator<(const AscendString &other) const { return Compare(other) < 0; }
  bool operator<=(const AscendString &other) const { return Compare(other) <= 0; }
  bool operator>(const AscendString &other) const { return Compare(other) > 0; }
  bool operator>=(const AscendString &other) const { return Compare(other) >= 0; }

 private:
  int Compare(const AscendString &other) const;

  std::shared_ptr<const detail::Text> text_;
};

}  // namespace v1
}  // namespace ge

template <>
struct std::hash<ge::AscendString> {
  size_t operator()(const ge::AscendString &text) const { return text.Hash(); }
};

#endif  // GE_GRAPH_ASCEND_STRING_H_
