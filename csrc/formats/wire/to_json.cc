#include "formats/wire/to_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/json_text.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "formats/wire/reader.h"
#include "formats/wire/text_form.h"

namespace ge::formats::wire {
namespace {

constexpr int kMaxDepth = 20;
constexpr size_t kIndent = 2;

std::string Escaped(std::string_view bytes) {
  std::string out;
  AppendEscaped(bytes, &out);
  return out;
}

class Writer {
 public:
  explicit Writer(std::span<const std::string_view> left_out) : left_out_(left_out) {}

  Status Message(std::string_view bytes, const MessageSpec& spec, int depth, size_t indent) {
    std::vector<std::vector<Field>> found(spec.fields.size());
    Reader reader(bytes);
    Field f;
    while (reader.Next(&f)) {
      const FieldSpec* field = spec.Find(f.number);
      if (field != nullptr && IsShown(*field, depth))
        found[static_cast<size_t>(field - spec.fields.data())].push_back(f);
    }
    if (!reader.ok()) return Status::Error(StrCat("a ", spec.name, " is malformed: ", reader.error()), "E13005");
    out_ += '{';
    bool any = false;
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i].empty()) continue;
      size_t before = out_.size();
      if (any) out_ += ',';
      NewLine(indent + kIndent);
      AppendJsonText(spec.fields[i].name, &out_);
      out_ += ": ";
      bool shown = true;
      GE_RETURN_IF_ERROR(Value(found[i], spec.fields[i], depth, indent + kIndent, &shown));
      any = any || shown;
      if (!shown) out_.resize(before);
    }
    if (any) NewLine(indent);
    out_ += '}';
    return Status::Ok();
  }
  std::string Take() { return std::move(out_); }

 private:
  bool IsShown(const FieldSpec& field, int depth) const {
    if (field.kind == FieldKind::kMessage && depth >= kMaxDepth) return false;
    return std::find(left_out_.begin(), left_out_.end(), field.name) == left_out_.end();
  }
  void NewLine(size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
  }

  Status Value(const std::vector<Field>& fields, const FieldSpec& field, int depth, size_t indent, bool* shown) {
    if (field.repeated && field.kind == FieldKind::kMessage) {
      out_ += '[';
      for (size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) out_ += ',';
        NewLine(indent + kIndent);
        GE_RETURN_IF_ERROR(Message(fields[i].bytes, *field.message, depth + 1, indent + kIndent));
      }
      NewLine(indent);
      out_ += ']';
      return Status::Ok();
    }
    if (field.kind == FieldKind::kMessage) return Message(fields.back().bytes, *field.message, depth + 1, indent);
    std::vector<std::string> items;
    bool zero = true;
    for (const Field& f : fields) GE_RETURN_IF_ERROR(Items(f, field, &items, &zero));
    if (field.repeated) {
      *shown = !items.empty();
      out_ += StrCat("[", Join(items, ", "), "]");
    } else {
      *shown = !items.empty() && (!zero || field.oneof);
      if (*shown) out_ += items.back();
    }
    return Status::Ok();
  }

  // The values of one field on the wire, as they stand in JSON.
  Status Items(const Field& f, const FieldSpec& field, std::vector<std::string>* items, bool* zero) {
    if (field.kind == FieldKind::kString || field.kind == FieldKind::kBytes) {
      std::string& item = items->emplace_back();
      bool plain = field.kind == FieldKind::kString && IsUtf8(f.bytes);
      AppendJsonText(plain ? std::string(f.bytes) : Escaped(f.bytes), &item);
      *zero = f.bytes.empty();
      return Status::Ok();
    }
    if (field.kind == FieldKind::kFloat) {
      std::vector<float> values;
      if (!AppendFloats(f, &values)) return Wrong(field);
      for (float v : values) {
        std::string text = field.repeated ? FloatText(v) : Short(v);
        bool quoted = !field.repeated || !std::isfinite(v);
        items->push_back(quoted ? StrCat("\"", text, "\"") : std::move(text));
        *zero = v == 0;
      }
      return Status::Ok();
    }
    std::vector<int64_t> values;
    if (!AppendVarints(f, &values)) return Wrong(field);
    for (int64_t v : values) {
      auto i = static_cast<uint64_t>(v);
      if (field.kind == FieldKind::kBool) {
        items->push_back(v != 0 ? "true" : "false");
      } else if (field.kind == FieldKind::kEnum && i < field.names.size()) {
        items->push_back(StrCat("\"", field.names[i], "\""));
      } else {
        items->push_back(StrCat(v));
      }
      *zero = v == 0;
    }
    return Status::Ok();
  }
  static std::string Short(float v) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(v));
    return text;
  }
  static Status Wrong(const FieldSpec& field) {
    return Status::Error(StrCat("field '", field.name, "' holds no numbers"), "E13005");
  }

  std::span<const std::string_view> left_out_;
  std::string out_;
};

}  // namespace

Result<std::string> ToJson(std::string_view message, const MessageSpec& spec,
                           std::span<const std::string_view> left_out) {
  Writer writer(left_out);
  GE_RETURN_IF_ERROR(writer.Message(message, spec, 0, 0));
  std::string out = writer.Take();
  out += '\n';
  return out;
}

}  // namespace ge::formats::wire
