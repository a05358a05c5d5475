#include "formats/om/decompress.h"

#include <optional>
#include <vector>

#include "base/strings.h"
#include "formats/air/fields.h"
#include "formats/air/malformed.h"
#include "formats/wire/reader.h"
#include "formats/wire/writer.h"

namespace ge::formats::om {
namespace {

using air::AttrField;
using air::DescField;
using air::GraphField;
using air::ListField;
using air::ListKind;
using air::MapField;
using air::ModelField;
using air::OpField;
using wire::Field;
using wire::Reader;
using wire::Writer;

constexpr std::string_view kMarker = "om_compress_version", kNames = "attr_name_enum", kValues = "attr_value_enum",
                           kFlags = "attrs_use_string_value";

struct Entry {
  std::string_view key, value;
};
Entry ReadEntry(std::string_view proto) {
  Entry entry;
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(MapField::kKey)) entry.key = f.bytes;
    if (f.bytes_of(MapField::kValue)) entry.value = f.bytes;
  }
  return entry;
}

struct Tables {
  std::vector<std::string_view> names, values;
  std::vector<int64_t> is_text;

  void Read(const Entry& entry) {
    Reader reader(entry.value);
    Field f;
    while (reader.Next(&f)) {
      if (!f.bytes_of(AttrField::kList)) continue;
      Reader list(f.bytes);
      Field item;
      while (list.Next(&item)) {
        if (item.bytes_of(ListField::kS)) (entry.key == kNames ? names : values).push_back(item.bytes);
        if (entry.key == kFlags && item.number == ListField::kB) (void)wire::AppendVarints(item, &is_text);
      }
    }
  }
};

// A zero, then digits to base 127, the lowest first, each one larger than it is.
std::optional<size_t> IndexOf(std::string_view key) {
  if (key.size() < 2 || key.size() > 6 || key[0] != '\0') return std::nullopt;
  size_t index = 0, scale = 1;
  for (char c : key.substr(1)) {
    auto digit = static_cast<unsigned char>(c);
    if (digit < 1 || digit > 127) return std::nullopt;
    index += (digit - 1u) * scale;
    scale *= 127;
  }
  return index;
}

class Rewriter {
 public:
  Rewriter(const Tables& tables, Writer* out) : tables_(tables), out_(*out) {}

  Status Model(std::string_view proto) {
    return Each(proto, [&](const Field& f) {
      if (f.bytes_of(ModelField::kGraph)) return Nested(f, [&] { return Graph(f.bytes); });
      if (f.bytes_of(ModelField::kAttr)) {
        std::string_view key = ReadEntry(f.bytes).key;
        if (key == kMarker || key == kNames || key == kValues || key == kFlags) return Status::Ok();
      }
      return Copy(f);
    });
  }

 private:
  template <typename Body>
  Status Each(std::string_view proto, Body body) {
    Reader reader(proto);
    Field f;
    while (reader.Next(&f)) GE_RETURN_IF_ERROR(body(f));
    return reader.ok() ? Status::Ok() : air::Malformed("the compressed model", reader);
  }
  template <typename Body>
  Status Nested(const Field& f, Body body) {
    auto mark = out_.Begin(f.number, f.bytes.size());
    GE_RETURN_IF_ERROR(body());
    out_.End(mark);
    return Status::Ok();
  }
  Status Copy(const Field& f) {
    out_.Raw(f.raw);
    return Status::Ok();
  }

  Status Graph(std::string_view proto) {
    return Each(proto, [&](const Field& f) {
      return f.bytes_of(GraphField::kOp) ? Nested(f, [&] { return Op(f.bytes); }) : Copy(f);
    });
  }
  Status Op(std::string_view proto) {
    return Each(proto, [&](const Field& f) {
      if (f.bytes_of(OpField::kAttr)) return Attr(f);
      bool desc = f.bytes_of(OpField::kInputDesc) || f.bytes_of(OpField::kOutputDesc);
      return desc ? Nested(f, [&] { return Desc(f.bytes); }) : Copy(f);
    });
  }
  Status Desc(std::string_view proto) {
    return Each(proto, [&](const Field& f) { return f.bytes_of(DescField::kAttr) ? Attr(f) : Copy(f); });
  }

  Status Attr(const Field& f) {
    Entry entry = ReadEntry(f.bytes);
    auto index = IndexOf(entry.key);
    if (!index) return Copy(f);
    if (*index >= tables_.names.size()) {
      return air::Malformed(StrCat("an attribute has the compressed name ", *index, ", expected one below ",
                                   tables_.names.size()));
    }
    return Nested(f, [&] {
      out_.Bytes(MapField::kKey, tables_.names[*index]);
      bool text = *index < tables_.is_text.size() && tables_.is_text[*index] != 0;
      if (!text) {
        out_.Bytes(MapField::kValue, entry.value);
        return Status::Ok();
      }
      auto mark = out_.Begin(MapField::kValue, entry.value.size());
      GE_RETURN_IF_ERROR(Texts(entry.value));
      out_.End(mark);
      return Status::Ok();
    });
  }

  // A number, or a list of numbers, stands for texts.
  Status Texts(std::string_view value) {
    return Each(value, [&](const Field& f) {
      if (f.varint_of(AttrField::kI)) return Text(AttrField::kS, f.Int());
      if (!f.bytes_of(AttrField::kList)) return Copy(f);
      return Nested(f, [&] {
        std::vector<int64_t> numbers;
        GE_RETURN_IF_ERROR(Each(f.bytes, [&](const Field& item) {
          if (item.number != ListField::kI || wire::AppendVarints(item, &numbers)) return Status::Ok();
          return air::Malformed("a compressed list of texts holds something else than numbers");
        }));
        for (int64_t n : numbers) GE_RETURN_IF_ERROR(Text(ListField::kS, n));
        out_.Int(ListField::kValType, ListKind::kString);
        return Status::Ok();
      });
    });
  }
  Status Text(uint32_t field, int64_t number) {
    if (number < 0 || number >= static_cast<int64_t>(tables_.values.size())) {
      return air::Malformed(StrCat("an attribute has the compressed value ", number, ", expected one below ",
                                   tables_.values.size()));
    }
    out_.Bytes(field, tables_.values[static_cast<size_t>(number)]);
    return Status::Ok();
  }

  const Tables& tables_;
  Writer& out_;
};

}  // namespace

bool IsCompressed(std::string_view model) {
  Reader reader(model);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(ModelField::kAttr) && ReadEntry(f.bytes).key == kMarker) return true;
  }
  return false;
}

Result<std::string> Decompress(std::string_view model) {
  Tables tables;
  Reader reader(model);
  Field f;
  while (reader.Next(&f)) {
    if (!f.bytes_of(ModelField::kAttr)) continue;
    Entry entry = ReadEntry(f.bytes);
    if (entry.key == kNames || entry.key == kValues || entry.key == kFlags) tables.Read(entry);
  }
  Writer out;
  Rewriter rewriter(tables, &out);
  GE_RETURN_IF_ERROR(rewriter.Model(model));
  std::string bytes;
  for (const Writer::Piece& piece : out.Pieces()) bytes.append(reinterpret_cast<const char*>(piece.data), piece.size);
  return bytes;
}

}  // namespace ge::formats::om
