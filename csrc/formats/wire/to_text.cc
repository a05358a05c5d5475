#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/strings.h"
#include "formats/wire/reader.h"
#include "formats/wire/text_form.h"

namespace ge::formats::wire {
namespace {

constexpr int kMaxDepth = 100;

class Writer {
 public:
  Status Message(std::string_view bytes, const MessageSpec& spec, int depth) {
    if (depth > kMaxDepth) return Status::Error("messages are nested too deeply", "E13005");
    Reader reader(bytes);
    Field f;
    while (reader.Next(&f)) {
      const FieldSpec* field = spec.Find(f.number);
      if (field != nullptr) GE_RETURN_IF_ERROR(Value(f, *field, depth));
    }
    if (reader.ok()) return Status::Ok();
    return Status::Error(StrCat("a ", spec.name, " is malformed: ", reader.error()), "E13005");
  }
  std::string Take() { return std::move(out_); }

 private:
  Status Value(const Field& f, const FieldSpec& field, int depth) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
        Begin(field, depth);
        out_ += ": \"";
        AppendEscaped(f.bytes, &out_);
        out_ += "\"\n";
        return Status::Ok();
      case FieldKind::kMessage: {
        Begin(field, depth);
        out_ += " {\n";
        GE_RETURN_IF_ERROR(Message(f.bytes, *field.message, depth + 1));
        out_.append(static_cast<size_t>(depth) * 2, ' ');
        out_ += "}\n";
        return Status::Ok();
      }
      case FieldKind::kFloat: {
        std::vector<float> values;
        if (!AppendFloats(f, &values)) return Wrong(field);
        for (float v : values) Line(field, depth, FloatText(v));
        return Status::Ok();
      }
      case FieldKind::kInt:
      case FieldKind::kBool:
      case FieldKind::kEnum: {
        std::vector<int64_t> values;
        if (!AppendVarints(f, &values)) return Wrong(field);
        for (int64_t v : values) {
          auto i = static_cast<uint64_t>(v);
          bool named = field.kind == FieldKind::kEnum && i < field.names.size();
          Line(field, depth,
               named                            ? std::string(field.names[i])
               : field.kind == FieldKind::kBool ? std::string(v != 0 ? "true" : "false")
                                                : StrCat(v));
        }
        return Status::Ok();
      }
    }
    return Status::Ok();
  }

  static Status Wrong(const FieldSpec& field) {
    return Status::Error(StrCat("field '", field.name, "' holds no numbers"), "E13005");
  }
  void Begin(const FieldSpec& field, int depth) {
    out_.append(static_cast<size_t>(depth) * 2, ' ');
    out_ += field.name;
  }
  void Line(const FieldSpec& field, int depth, std::string_view value) {
    Begin(field, depth);
    out_ += ": ";
    out_ += value;
    out_ += '\n';
  }

  std::string out_;
};

}  // namespace

void AppendEscaped(std::string_view bytes, std::string* out) {
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out->push_back('\\');
      out->push_back(c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
    } else if (byte < 0x20 || byte >= 0x7F) {
      const char octal[] = {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + ((byte >> 3) & 7)),
                            static_cast<char>('0' + (byte & 7))};
      out->append(octal, sizeof octal);
    } else {
      out->push_back(c);
    }
  }
}

std::string FloatText(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[32];
  for (int digits = 6; digits <= 9; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    if (std::strtof(text, nullptr) == value) break;
  }
  return text;
}

Result<std::string> ToText(std::string_view message, const MessageSpec& spec) {
  Writer writer;
  GE_RETURN_IF_ERROR(writer.Message(message, spec, 0));
  return writer.Take();
}

}  // namespace ge::formats::wire
