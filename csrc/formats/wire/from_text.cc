#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/strings.h"
#include "formats/wire/text_form.h"
#include "formats/wire/writer.h"

namespace ge::formats::wire {
namespace {

constexpr int kMaxDepth = 100;

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '+' || c == '-';
}
bool IsOctal(char c) { return c >= '0' && c <= '7'; }
int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Parser {
 public:
  Parser(std::string_view text, Writer* out) : text_(text), out_(*out) {}

  Status Message(const MessageSpec& spec, char end, int depth) {
    if (depth > kMaxDepth) return Fail("messages are nested too deeply");
    for (;;) {
      Skip();
      if (at_ == text_.size()) return end == '\0' ? Status::Ok() : Fail(StrCat("expected '", end, "', found the end"));
      if (end != '\0' && text_[at_] == end) {
        ++at_;
        return Status::Ok();
      }
      GE_RETURN_IF_ERROR(FieldOf(spec, depth));
    }
  }

 private:
  Status Fail(std::string_view what) const {
    size_t line = 1;
    for (char c : text_.substr(0, at_)) line += c == '\n' ? 1 : 0;
    return Status::Error(StrCat("line ", line, ": ", what), "E13018");
  }

  // Blanks, comments and the separators that may stand between fields.
  void Skip() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ';') {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool Take(char c) {
    Skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view Word() {
    Skip();
    size_t start = at_;
    while (at_ < text_.size() && IsWordByte(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  Status FieldOf(const MessageSpec& spec, int depth) {
    std::string_view name = Word();
    if (name.empty()) return Fail(StrCat("expected the name of a field of ", spec.name, ", found '", text_[at_], "'"));
    const FieldSpec* field = spec.Find(name);
    if (field == nullptr) return Fail(StrCat(spec.name, " has no field '", name, "'"));
    bool colon = Take(':');
    if (!colon && field->kind != FieldKind::kMessage) return Fail(StrCat("expected ':' after '", name, "'"));
    if (!Take('[')) return Value(*field, depth);
    if (!field->repeated) return Fail(StrCat("expected one value of '", name, "', found a list"));
    while (!Take(']')) {
      if (at_ == text_.size()) return Fail("expected ']', found the end");
      GE_RETURN_IF_ERROR(Value(*field, depth));
    }
    return Status::Ok();
  }

  Status Value(const FieldSpec& field, int depth) {
    switch (field.kind) {
      case FieldKind::kMessage: {
        char end = Take('{') ? '}' : Take('<') ? '>' : '\0';
        if (end == '\0') return Fail(StrCat("expected '{' after '", field.name, "'"));
        auto mark = out_.Begin(field.number, 0x80);
        GE_RETURN_IF_ERROR(Message(*field.message, end, depth + 1));
        out_.End(mark);
        return Status::Ok();
      }
      case FieldKind::kString:
      case FieldKind::kBytes: {
        std::string bytes;
        GE_RETURN_IF_ERROR(Quoted(field, &bytes));
        out_.Bytes(field.number, bytes);
        return Status::Ok();
      }
      case FieldKind::kFloat: {
        float value;
        GE_RETURN_IF_ERROR(Float(field, &value));
        out_.Float(field.number, value);
        return Status::Ok();
      }
      case FieldKind::kInt:
      case FieldKind::kBool:
      case FieldKind::kEnum: break;
    }
    std::string_view word = Word();
    int64_t value = 0;
    if (field.kind == FieldKind::kBool && (word == "true" || word == "t" || word == "1")) {
      value = 1;
    } else if (field.kind == FieldKind::kBool && (word == "false" || word == "f" || word == "0")) {
      value = 0;
    } else if (field.kind == FieldKind::kEnum && NumberOf(word, field, &value)) {
    } else if (field.kind == FieldKind::kBool || !Integer(word, &value)) {
      return Fail(StrCat("expected a value of '", field.name, "', found '", word, "'"));
    }
    out_.Int(field.number, value);
    return Status::Ok();
  }

  static bool NumberOf(std::string_view word, const FieldSpec& field, int64_t* out) {
    for (size_t i = 0; i < field.names.size(); ++i) {
      if (field.names[i] != word) continue;
      *out = static_cast<int64_t>(i);
      return true;
    }
    return false;
  }

  static bool Integer(std::string_view word, int64_t* out) {
    if (auto value = ParseInt(word)) {
      *out = *value;
      return true;
    }
    bool negative = !word.empty() && word[0] == '-';
    std::string_view digits = word.substr(negative ? 1 : 0);
    if (digits.empty()) return false;
    std::string copy(digits);
    char* end = nullptr;
    errno = 0;
    // 0x.., 0.. and what is above the signed range.
    unsigned long long value = std::strtoull(copy.c_str(), &end, 0);
    if (*end != '\0' || errno != 0 || copy[0] == '+' || copy[0] == '-') return false;
    *out = static_cast<int64_t>(negative ? 0 - value : value);
    return true;
  }

  Status Float(const FieldSpec& field, float* out) {
    std::string word(Word());
    char* end = nullptr;
    *out = std::strtof(word.c_str(), &end);
    if (!word.empty() && (*end == 'f' || *end == 'F') && end > word.c_str()) ++end;
    if (word.empty() || *end != '\0')
      return Fail(StrCat("expected a number as '", field.name, "', found '", word, "'"));
    return Status::Ok();
  }

  // One string, or several that follow one another.
  Status Quoted(const FieldSpec& field, std::string* out) {
    bool any = false;
    for (;;) {
      Blank();
      char quote = at_ < text_.size() ? text_[at_] : '\0';
      if (quote != '"' && quote != '\'') break;
      ++at_;
      any = true;
      while (at_ < text_.size() && text_[at_] != quote) {
        if (text_[at_] == '\n') return Fail("a string is not closed");
        if (text_[at_] == '\\') {
          GE_RETURN_IF_ERROR(Escape(out));
        } else {
          out->push_back(text_[at_++]);
        }
      }
      if (at_ == text_.size()) return Fail("a string is not closed");
      ++at_;
    }
    return any ? Status::Ok() : Fail(StrCat("expected a string as '", field.name, "'"));
  }
  void Blank() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  Status Escape(std::string* out) {
    if (++at_ == text_.size()) return Fail("a string is not closed");
    char c = text_[at_++];
    constexpr std::string_view kNames = "abfnrtv", kBytes = "\a\b\f\n\r\t\v";
    if (size_t i = kNames.find(c); i != std::string_view::npos) {
      out->push_back(kBytes[i]);
    } else if (IsOctal(c)) {
      int value = c - '0';
      for (int k = 0; k < 2 && at_ < text_.size() && IsOctal(text_[at_]); ++k) value = value * 8 + (text_[at_++] - '0');
      if (value > 0xFF) return Fail("an octal escape is above 377");
      out->push_back(static_cast<char>(value));
    } else if (c == 'x' || c == 'X') {
      int value = 0, digits = 0;
      for (; digits < 2 && at_ < text_.size() && HexValue(text_[at_]) >= 0; ++digits) {
        value = value * 16 + HexValue(text_[at_++]);
      }
      if (digits == 0) return Fail("expected hexadecimal digits after '\\x'");
      out->push_back(static_cast<char>(value));
    } else if (c == '\\' || c == '"' || c == '\'' || c == '?') {
      out->push_back(c);
    } else {
      return Fail(StrCat("'\\", c, "' is no escape"));
    }
    return Status::Ok();
  }

  std::string_view text_;
  size_t at_ = 0;
  Writer& out_;
};

}  // namespace

Result<std::string> FromText(std::string_view text, const MessageSpec& spec) {
  Writer out;
  Parser parser(text, &out);
  GE_RETURN_IF_ERROR(parser.Message(spec, '\0', 0));
  std::string bytes;
  for (const Writer::Piece& piece : out.Pieces()) bytes.append(reinterpret_cast<const char*>(piece.data), piece.size);
  return bytes;
}

}  // namespace ge::formats::wire
