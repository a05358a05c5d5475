#include "formats/dump/text_proto.h"

#include <cmath>
#include <cstdio>

#include "base/strings.h"

namespace ge::formats::dump {

void TextProto::Text(std::string_view field, std::string_view value) {
  Indent();
  out_.append(field);
  out_.append(": \"");
  for (char c : value) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_.push_back('\\');
      out_.push_back(c);
    } else if (byte < 0x20 || byte >= 0x7F) {
      const char octal[] = {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + ((byte >> 3) & 7)),
                            static_cast<char>('0' + (byte & 7))};
      out_.append(octal, sizeof octal);
    } else {
      out_.push_back(c);
    }
  }
  out_.append("\"\n");
}

void TextProto::Int(std::string_view field, int64_t value) { Word(field, StrCat(value)); }

void TextProto::Float(std::string_view field, float value) {
  if (std::isnan(value)) return Word(field, "nan");
  if (std::isinf(value)) return Word(field, value > 0 ? "inf" : "-inf");
  char text[32];
  int n = std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  Word(field, std::string_view(text, static_cast<size_t>(n)));
}

void TextProto::Word(std::string_view field, std::string_view value) {
  Indent();
  out_.append(field);
  out_.append(": ");
  out_.append(value);
  out_.push_back('\n');
}

void TextProto::Open(std::string_view field) {
  Indent();
  out_.append(field);
  out_.append(" {\n");
  ++depth_;
}

void TextProto::Close() {
  --depth_;
  Indent();
  out_.append("}\n");
}

}  // namespace ge::formats::dump
