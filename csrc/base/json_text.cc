#include "base/json_text.h"

#include <cstdint>

namespace ge {
namespace {

// Length of the UTF-8 character at the beginning of `text`; 0 if there is none.
size_t CharacterLength(std::string_view text) {
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

}  // namespace

void AppendJsonText(std::string_view text, std::string* out) {
  constexpr const char* kHex = "0123456789abcdef";
  out->push_back('"');
  while (!text.empty()) {
    auto c = static_cast<uint8_t>(text[0]);
    size_t length = CharacterLength(text);
    if (length == 0) {
      out->append("\\ufffd");
      length = 1;
    } else if (c == '"' || c == '\\') {
      out->append({'\\', static_cast<char>(c)});
    } else if (c < 0x20) {
      out->append({'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]});
    } else {
      out->append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out->push_back('"');
}

std::string JsonText(std::string_view text) {
  std::string out;
  AppendJsonText(text, &out);
  return out;
}

}  // namespace ge
