#include "base/json.h"

#include <cmath>
#include <cstdlib>

#include "base/strings.h"

namespace ge {
namespace {

// Deeper nesting than any sane configuration, shallow enough for the stack.
constexpr int kMaxDepth = 200;

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | c >> 6));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | c >> 12));
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | c >> 18));
    out->push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

}  // namespace

// Recursive descent; the first error is kept in error_ and every function returns false from then on.
class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Result<Json> Run() {
    Json value;
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") pos_ = 3;
    if (Value(&value, 0)) {
      Blanks();
      if (pos_ == text_.size()) return value;
      Fail("text after the end of the value");
    }
    size_t line = 1, column = 1;
    for (size_t i = 0; i < pos_ && i < text_.size(); ++i) {
      column = text_[i] == '\n' ? 1 : column + 1;
      line += text_[i] == '\n';
    }
    return Status::Error(StrCat("line ", line, ", column ", column, ": ", error_), "E10032");
  }

 private:
  bool Fail(std::string_view reason) {
    if (error_.empty()) error_ = std::string(reason);
    return false;
  }
  void Blanks() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\n' || text_[pos_] == '\r')) {
      ++pos_;
    }
  }
  bool Take(char c) {
    Blanks();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  bool Word(std::string_view word) {
    if (text_.substr(pos_, word.size()) != word) return Fail("a value was expected");
    pos_ += word.size();
    return true;
  }

  bool Value(Json* out, int depth) {
    Blanks();
    if (pos_ >= text_.size()) return Fail("a value was expected, the text ends");
    if (depth > kMaxDepth) return Fail("nested too deep");
    switch (text_[pos_]) {
      case '{':
        return Object(out, depth);
      case '[':
        return Array(out, depth);
      case '"':
        out->kind_ = Json::Kind::kString;
        return String(&out->string_);
      case 't':
      case 'f':
        out->kind_ = Json::Kind::kBool;
        out->bool_ = text_[pos_] == 't';
        return Word(out->bool_ ? "true" : "false");
      case 'n':
        return Word("null");
      default:
        return Number(out);
    }
  }

  bool Object(Json* out, int depth) {
    out->kind_ = Json::Kind::kObject;
    ++pos_;
    if (Take('}')) return true;
    do {
      Blanks();
      if (pos_ >= text_.size() || text_[pos_] != '"') return Fail("a member name in double quotes was expected");
      std::pair<std::string, Json> member;
      if (!String(&member.first)) return false;
      if (!Take(':')) return Fail("':' was expected");
      if (!Value(&member.second, depth + 1)) return false;
      out->members_.push_back(std::move(member));
    } while (Take(','));
    return Take('}') || Fail("',' or '}' was expected");
  }

  bool Array(Json* out, int depth) {
    out->kind_ = Json::Kind::kArray;
    ++pos_;
    if (Take(']')) return true;
    do {
      Json item;
      if (!Value(&item, depth + 1)) return false;
      out->items_.push_back(std::move(item));
    } while (Take(','));
    return Take(']') || Fail("',' or ']' was expected");
  }

  bool Number(Json* out) {
    size_t begin = pos_, p = pos_;
    auto digits = [&] {
      size_t from = p;
      while (p < text_.size() && text_[p] >= '0' && text_[p] <= '9') ++p;
      return p - from;
    };
    if (p < text_.size() && text_[p] == '-') ++p;
    bool leading_zero = p < text_.size() && text_[p] == '0';
    size_t whole = digits();
    if (whole == 0) return Fail("a value was expected");
    if (leading_zero && whole > 1) return Fail("a number must not begin with 0");
    if (p < text_.size() && text_[p] == '.') {
      ++p;
      if (digits() == 0) return Fail("digits were expected after the point");
    }
    if (p < text_.size() && (text_[p] == 'e' || text_[p] == 'E')) {
      ++p;
      if (p < text_.size() && (text_[p] == '+' || text_[p] == '-')) ++p;
      if (digits() == 0) return Fail("digits were expected in the exponent");
    }
    pos_ = p;
    out->kind_ = Json::Kind::kNumber;
    out->number_ = std::strtod(std::string(text_.substr(begin, p - begin)).c_str(), nullptr);
    return true;
  }

  bool Hex4(uint32_t* out) {
    if (pos_ + 4 > text_.size()) return Fail("four hexadecimal digits were expected");
    *out = 0;
    for (int i = 0; i < 4; ++i) {
      char c = text_[pos_++];
      uint32_t digit = c >= '0' && c <= '9'   ? c - '0'
                       : c >= 'a' && c <= 'f' ? c - 'a' + 10
                       : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : 16;
      if (digit > 15) return Fail("four hexadecimal digits were expected");
      *out = *out * 16 + digit;
    }
    return true;
  }

  bool UnicodeEscape(std::string* out) {
    uint32_t c = 0;
    if (!Hex4(&c)) return false;
    if (c >= 0xD800 && c < 0xDC00) {
      uint32_t low = 0;
      if (text_.substr(pos_, 2) != "\\u") return Fail("the second half of a surrogate pair was expected");
      pos_ += 2;
      if (!Hex4(&low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return Fail("the second half of a surrogate pair was expected");
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c >= 0xDC00 && c < 0xE000) {
      return Fail("a surrogate stands alone");
    }
    AppendUtf8(c, out);
    return true;
  }

  bool String(std::string* out) {
    for (++pos_; pos_ < text_.size();) {
      char c = text_[pos_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return Fail("a control character inside a text");
      if (c != '\\') {
        out->push_back(c);
        continue;
      }
      if (pos_ >= text_.size()) break;
      constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      char e = text_[pos_++];
      if (size_t at = kEscapes.find(e); at != std::string_view::npos) {
        out->push_back(kMeanings[at]);
      } else if (e != 'u') {
        return Fail("an unknown escape");
      } else if (!UnicodeEscape(out)) {
        return false;
      }
    }
    return Fail("a text has no end");
  }

  std::string_view text_;
  size_t pos_ = 0;
  std::string error_;
};

Result<Json> Json::Parse(std::string_view text) { return JsonParser(text).Run(); }

const Json* Json::Find(std::string_view key) const {
  for (auto it = members_.rbegin(); it != members_.rend(); ++it) {
    if (it->first == key) return &it->second;
  }
  return nullptr;
}

bool Json::AsBool(bool fallback) const { return kind_ == Kind::kBool ? bool_ : fallback; }

double Json::AsNumber(double fallback) const { return kind_ == Kind::kNumber ? number_ : fallback; }

int64_t Json::AsInt(int64_t fallback) const {
  // Doubles hold every integer up to 2^53.
  constexpr double kExact = 9007199254740992.0;
  bool exact = kind_ == Kind::kNumber && std::trunc(number_) == number_ && std::fabs(number_) <= kExact;
  return exact ? static_cast<int64_t>(number_) : fallback;
}

const std::string& Json::AsString() const { return string_; }

}  // namespace ge
