#include "base/json.h"

#include <locale>
#include <sstream>
#include <unordered_set>

#include "base/strings.h"
#include "base/utf8.h"

namespace ge {
namespace {

constexpr int kMaxDepth = 256;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUtf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (c >> 6)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (c >> 12)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (c >> 18)));
    out.push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

// Independent of the process's locale, which strtod is not.
double ParseDouble(std::string_view digits) {
  std::istringstream stream{std::string(digits)};
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  return value;
}

}  // namespace

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Result<JsonValue> Document() {
    JsonValue value;
    GE_RETURN_IF_ERROR(Value(value, 0));
    SkipBlanks();
    if (at_ != text_.size()) return Error("the end of the text");
    return value;
  }

 private:
  Status Error(std::string_view expected) const { return ErrorAt(at_, expected); }
  Status ErrorAt(size_t where, std::string_view expected) const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < where && i < text_.size(); ++i) {
      ++column;
      if (text_[i] == '\n') {
        ++line;
        column = 1;
      }
    }
    std::string found = "the end of the text";
    if (where < text_.size()) {
      const auto c = static_cast<uint8_t>(text_[where]);
      found = c >= 0x20 && c < 0x7F ? StrCat("'", text_[where], "'")
                                    : StrCat("byte ", static_cast<int>(c));
    }
    return Status::Error(
        StrCat("line ", line, ", column ", column, ": expected ", expected, ", found ", found));
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void SkipBlanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  Status Value(JsonValue& out, int depth) {
    if (depth > kMaxDepth) return Error(StrCat("at most ", kMaxDepth, " levels of nesting"));
    SkipBlanks();
    const char c = Peek();
    if (c == '{') return Object(out, depth);
    if (c == '[') return Array(out, depth);
    if (c == '"') {
      out.kind_ = JsonValue::Kind::kString;
      return String(out.text_);
    }
    if (c == '-' || IsDigit(c)) return Number(out);
    if (TakeWord("null")) return Status::Ok();
    if (c == 't' || c == 'f') {
      out.kind_ = JsonValue::Kind::kBool;
      out.bool_ = TakeWord("true");
      if (out.bool_ || TakeWord("false")) return Status::Ok();
    }
    return Error("a value");
  }

  Status Object(JsonValue& out, int depth) {
    out.kind_ = JsonValue::Kind::kObject;
    Take('{');
    SkipBlanks();
    if (Take('}')) return Status::Ok();
    std::unordered_set<std::string> names;
    while (true) {
      SkipBlanks();
      const size_t name_at = at_;
      if (Peek() != '"') return Error("a member name in double quotes");
      JsonValue::Member member;
      GE_RETURN_IF_ERROR(String(member.first));
      if (!names.insert(member.first).second) {
        return ErrorAt(name_at,
                       StrCat("another name than '", member.first, "', which was there before"));
      }
      SkipBlanks();
      if (!Take(':')) return Error("':' after a member name");
      GE_RETURN_IF_ERROR(Value(member.second, depth + 1));
      out.members_.push_back(std::move(member));
      SkipBlanks();
      if (Take('}')) return Status::Ok();
      if (!Take(',')) return Error("',' or '}' after a member");
    }
  }

  Status Array(JsonValue& out, int depth) {
    out.kind_ = JsonValue::Kind::kArray;
    Take('[');
    SkipBlanks();
    if (Take(']')) return Status::Ok();
    while (true) {
      GE_RETURN_IF_ERROR(Value(out.items_.emplace_back(), depth + 1));
      SkipBlanks();
      if (Take(']')) return Status::Ok();
      if (!Take(',')) return Error("',' or ']' after an element");
    }
  }

  Status Number(JsonValue& out) {
    const size_t start = at_;
    bool integral = true;
    Take('-');
    if (!Take('0')) GE_RETURN_IF_ERROR(Digits());
    if (Take('.')) {
      integral = false;
      GE_RETURN_IF_ERROR(Digits());
    }
    if (Take('e') || Take('E')) {
      integral = false;
      if (!Take('+')) Take('-');
      GE_RETURN_IF_ERROR(Digits());
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    out.kind_ = JsonValue::Kind::kNumber;
    if (integral) out.integer_ = ParseInt(digits);
    out.number_ = out.integer_ ? static_cast<double>(*out.integer_) : ParseDouble(digits);
    return Status::Ok();
  }

  Status Digits() {
    if (!IsDigit(Peek())) return Error("a digit");
    while (IsDigit(Peek())) ++at_;
    return Status::Ok();
  }

  Status String(std::string& out) {
    Take('"');
    while (true) {
      if (at_ >= text_.size()) return Error("'\"' at the end of a string");
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return Status::Ok();
      }
      if (c == '\\') {
        GE_RETURN_IF_ERROR(Escape(out));
        continue;
      }
      if (static_cast<uint8_t>(c) < 0x20) return Error("an escape instead of a control character");
      const size_t n = Utf8Length(text_.substr(at_));
      if (n == 0) return Error("UTF-8");
      out.append(text_, at_, n);
      at_ += n;
    }
  }

  Status Escape(std::string& out) {
    ++at_;
    const char c = Peek();
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (const size_t i = c == '\0' ? std::string_view::npos : kNames.find(c);
        i != std::string_view::npos) {
      out.push_back(kValues[i]);
      ++at_;
      return Status::Ok();
    }
    if (c != 'u') return Error("one of \" \\ / b f n r t u after a backslash");
    ++at_;
    uint32_t code = 0;
    GE_RETURN_IF_ERROR(Hex4(code));
    if (code >= 0xDC00 && code <= 0xDFFF) return Error("a high surrogate before a low one");
    if (code >= 0xD800 && code <= 0xDBFF) {
      uint32_t low = 0;
      if (!TakeWord("\\u")) return Error("the low surrogate of a pair");
      GE_RETURN_IF_ERROR(Hex4(low));
      if (low < 0xDC00 || low > 0xDFFF) return Error("the low surrogate of a pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    AppendUtf8(out, code);
    return Status::Ok();
  }

  Status Hex4(uint32_t& out) {
    out = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = Peek();
      uint32_t digit = 0;
      if (IsDigit(c)) {
        digit = static_cast<uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<uint32_t>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<uint32_t>(c - 'A' + 10);
      } else {
        return Error("four hexadecimal digits");
      }
      out = out * 16 + digit;
    }
    return Status::Ok();
  }

  std::string_view text_;
  size_t at_ = 0;
};

Result<JsonValue> JsonValue::Parse(std::string_view text) { return JsonReader(text).Document(); }

const char* JsonValue::kind_name() const {
  constexpr const char* kNames[] = {"null", "boolean", "number", "string", "array", "object"};
  return kNames[static_cast<int>(kind_)];
}

const JsonValue* JsonValue::Find(std::string_view name) const {
  for (const Member& member : members_) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

}  // namespace ge
