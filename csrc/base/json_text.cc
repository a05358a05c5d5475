#include "base/json_text.h"

#include <cstdint>

#include "base/utf8.h"

namespace ge {

void AppendJsonText(std::string_view text, std::string* out) {
  constexpr const char* kHex = "0123456789abcdef";
  out->push_back('"');
  while (!text.empty()) {
    auto c = static_cast<uint8_t>(text[0]);
    size_t length = Utf8Length(text);
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
