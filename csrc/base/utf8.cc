#include "base/utf8.h"

#include <cstdint>

namespace ge {

size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((lead == 0xE0 && at(1) < 0xA0) || (lead == 0xED && at(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && at(1) < 0x90) || (lead == 0xF4 && at(1) > 0x8F)) return 0;
  return length;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace ge
