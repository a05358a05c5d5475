#include "formats/onnx/tensor_codec.h"

#include <cstring>

#include "base/strings.h"
#include "formats/onnx/dtype_map.h"
#include "formats/onnx/fields.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

using wire::Field;
using wire::Reader;

// Below this a copy is cheaper than a piece of its own in the output.
constexpr size_t kMinReferred = 4096;

struct External {
  std::string_view location;
  uint64_t offset = 0;
  int64_t length = -1;
};

// The fields of a TensorProto before its elements are looked at.
struct Parts {
  std::vector<ir::Dim> dims;
  int64_t type = 0;
  bool has_raw = false, segmented = false, external = false;
  std::string_view raw;
  std::vector<Field> typed;  // float_data and the like, in order
  std::vector<std::string_view> strings;
  std::vector<std::string_view> external_entries;
};

Status Parse(std::string_view proto, Parts* parts, DecodedTensor* out) {
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    switch (f.number) {
      case TensorField::kDims:
        if (f.type == wire::WireType::kVarint) {
          parts->dims.push_back(f.Int());
        } else if (!wire::AppendVarints(f, &parts->dims)) {
          return Status::Error("its dims are malformed", "E13005");
        }
        break;
      case TensorField::kDataType: parts->type = static_cast<int32_t>(f.value); break;
      case TensorField::kName: out->name = f.bytes; break;
      case TensorField::kRawData:
        parts->raw = f.bytes;
        parts->has_raw = true;
        break;
      case TensorField::kFloatData: case TensorField::kInt32Data: case TensorField::kInt64Data:
      case TensorField::kDoubleData: case TensorField::kUint64Data:
        parts->typed.push_back(f);
        break;
      case TensorField::kStringData: parts->strings.push_back(f.bytes); break;
      case TensorField::kSegment: parts->segmented = true; break;
      case TensorField::kExternalData: parts->external_entries.push_back(f.bytes); break;
      case TensorField::kDataLocation: parts->external = f.value == 1; break;
      default: out->other_fields.append(f.raw);
    }
  }
  if (!reader.ok()) return Status::Error(reader.error(), "E13005");
  return Status::Ok();
}

Status ParseExternal(const Parts& parts, External* out) {
  for (std::string_view entry : parts.external_entries) {
    Reader reader(entry);
    Field f;
    std::string_view key, value;
    while (reader.Next(&f)) {
      if (f.bytes_of(EntryField::kKey)) key = f.bytes;
      if (f.bytes_of(EntryField::kValue)) value = f.bytes;
    }
    if (!reader.ok()) return Status::Error(reader.error(), "E13005");
    if (key == "location") out->location = value;
    if (key != "offset" && key != "length") continue;
    std::optional<int64_t> number = ParseInt(value);
    if (!number || *number < 0) {
      return Status::Error(StrCat("its external data has the ", key, " '", value, "', expected a number from 0 on"),
                           "E13005");
    }
    if (key == "offset") out->offset = static_cast<uint64_t>(*number);
    if (key == "length") out->length = *number;
  }
  return Status::Ok();
}

// Elements in typed fields. float_data, double_data lie packed as in raw_data; the integer fields are varints.
Status DecodeTyped(const Parts& parts, int64_t count, const std::shared_ptr<const MappedFile>& file, ir::Buffer* out) {
  const int bits = OnnxBitWidth(parts.type);
  const auto bytes = static_cast<size_t>((count * bits + 7) / 8);
  if (parts.typed.size() == 1 && parts.typed[0].type == wire::WireType::kBytes &&
      (parts.typed[0].number == TensorField::kFloatData || parts.typed[0].number == TensorField::kDoubleData)) {
    std::string_view packed = parts.typed[0].bytes;
    if (packed.size() == bytes) {
      *out = ir::Buffer::Mapped(file, static_cast<size_t>(packed.data() - file->bytes().data()), packed.size());
      return Status::Ok();
    }
  }
  std::vector<uint8_t> data;
  std::vector<int64_t> values;
  uint32_t field = parts.typed.empty() ? 0 : parts.typed[0].number;
  for (const Field& f : parts.typed) {
    if (f.number != field) return Status::Error("it has elements in two fields", "E13005");
    if (field == TensorField::kFloatData || field == TensorField::kDoubleData) {
      if (f.type == wire::WireType::kBytes) {
        data.insert(data.end(), f.bytes.begin(), f.bytes.end());
      } else {
        const auto* p = reinterpret_cast<const uint8_t*>(&f.value);
        data.insert(data.end(), p, p + (f.type == wire::WireType::kFixed32 ? 4 : 8));
      }
    } else if (!wire::AppendVarints(f, &values)) {
      return Status::Error("its elements are malformed", "E13005");
    }
  }
  if (!values.empty()) {
    // int32_data of a sub-byte type holds one packed byte a number (older writers: one element a number).
    size_t width = bits >= 8 ? static_cast<size_t>(bits / 8) : 1;
    bool unpacked = bits < 8 && static_cast<int64_t>(values.size()) == count && count > 1;
    if (unpacked) {
      data.assign(bytes, 0);
      int64_t mask = (int64_t{1} << bits) - 1;
      for (size_t i = 0; i < values.size(); ++i) {
        size_t bit = i * static_cast<size_t>(bits);
        data[bit / 8] |= static_cast<uint8_t>((values[i] & mask) << (bit % 8));
      }
    } else {
      data.resize(values.size() * width);
      for (size_t i = 0; i < values.size(); ++i) std::memcpy(data.data() + i * width, &values[i], width);
    }
  }
  if (data.size() != bytes) {
    return Status::Error(StrCat("expected ", count, " elements of ", OnnxTypeName(parts.type), " (", bytes,
                                " bytes), found ", data.size(), " bytes; the model is damaged"),
                         "E13005");
  }
  *out = ir::Buffer::Of(std::move(data));
  return Status::Ok();
}

Status DecodeExternal(const Parts& parts, size_t bytes, std::string_view name, ExternalFiles* files, ir::Buffer* out) {
  External where;
  GE_RETURN_IF_ERROR(ParseExternal(parts, &where));
  GE_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, files->Open(where.location));
  if (where.length >= 0 && static_cast<uint64_t>(where.length) != bytes) {
    return Status::Error(StrCat("expected ", bytes, " bytes of external data, the model says ", where.length,
                                "; write the model again"),
                         "E13005");
  }
  if (where.offset > file->size() || bytes > file->size() - where.offset) {
    return Status::Error(StrCat("expected ", bytes, " bytes at ", static_cast<int64_t>(where.offset), " of '",
                                file->path(), "', the file has ", file->size(),
                                " bytes; the data file is truncated or belongs to another model"),
                         "E13005");
  }
  files->Claim(file.get(), where.offset, bytes, name);
  *out = ir::Buffer::Mapped(std::move(file), where.offset, bytes);
  return Status::Ok();
}

Status Decode(std::string_view proto, const std::shared_ptr<const MappedFile>& file, ExternalFiles* external,
              DecodedTensor* out) {
  Parts parts;
  parts.dims.reserve(4);
  GE_RETURN_IF_ERROR(Parse(proto, &parts, out));
  if (parts.segmented) return Status::Error("it is split into segments, which is not supported; merge them", "E13005");
  int bits = OnnxBitWidth(parts.type);
  if (bits == 0 && parts.type != kOnnxString) {
    return Status::Error(StrCat("expected a known element type, found the number ", parts.type,
                                "; the model is damaged or newer than ONNX 1.23"),
                         "E13005");
  }
  int64_t count = 1;
  bool overflow = false;
  for (ir::Dim d : parts.dims) {
    if (d < 0) return Status::Error(StrCat("it has the dim ", d, ", expected numbers from 0 on"), "E13005");
    overflow |= __builtin_mul_overflow(count, d, &count);
  }
  int64_t total_bits = 0;
  overflow |= __builtin_mul_overflow(count, int64_t{bits}, &total_bits) || total_bits > INT64_MAX - 7;
  if (overflow) return Status::Error("its dims multiply to more than 64 bits hold", "E13005");
  const auto bytes = static_cast<size_t>((total_bits + 7) / 8);

  out->external = parts.external;
  out->tensor = std::make_shared<ir::Tensor>();
  out->tensor->desc = ir::TensorDesc(ir::Shape(parts.dims), FromOnnxType(parts.type));
  if (out->tensor->desc.dtype == ir::DataType::kUndefined) out->foreign_type = parts.type;
  if (parts.type == kOnnxString) {
    if (static_cast<int64_t>(parts.strings.size()) != count) {
      return Status::Error(StrCat("expected ", count, " strings, found ", parts.strings.size()), "E13005");
    }
    out->tensor->strings.assign(parts.strings.begin(), parts.strings.end());
    return Status::Ok();
  }
  if (parts.external) return DecodeExternal(parts, bytes, out->name, external, &out->tensor->data);
  if (!parts.has_raw) return DecodeTyped(parts, count, file, &out->tensor->data);
  if (parts.raw.size() != bytes) {
    return Status::Error(StrCat("expected ", bytes, " bytes for ", OnnxTypeName(parts.type), " ",
                                out->tensor->desc.shape.ToString(), ", found ", parts.raw.size(),
                                "; the model is damaged"),
                         "E13005");
  }
  out->tensor->data =
      ir::Buffer::Mapped(file, static_cast<size_t>(parts.raw.data() - file->bytes().data()), parts.raw.size());
  return Status::Ok();
}

}  // namespace

Result<DecodedTensor> DecodeTensor(std::string_view proto, const std::shared_ptr<const MappedFile>& file,
                                   ExternalFiles* external) {
  DecodedTensor out;
  Status status = Decode(proto, file, external, &out);
  if (!status.ok()) return status.WithContext(StrCat("tensor '", out.name, "'"));
  return out;
}

void EncodeTensor(wire::Writer& out, uint32_t field, const ir::Tensor& tensor, const EncodeOptions& options) {
  std::span<const uint8_t> bytes = tensor.data.bytes();
  bool external = options.external != nullptr && options.external->Takes(bytes.size());
  auto message = out.Begin(field, external ? 128 : bytes.size() + options.name.size() + 16);
  for (ir::Dim d : tensor.desc.shape.dims()) out.Int(TensorField::kDims, d);
  int64_t type = options.foreign_type != 0 ? options.foreign_type : ToOnnxType(tensor.desc.dtype);
  out.Int(TensorField::kDataType, type);
  for (const std::string& s : tensor.strings) out.Bytes(TensorField::kStringData, s);
  if (!options.name.empty()) out.Bytes(TensorField::kName, options.name);
  if (external) {
    auto entry = [&out](std::string_view key, std::string_view value) {
      auto mark = out.Begin(TensorField::kExternalData);
      out.Bytes(EntryField::kKey, key);
      out.Bytes(EntryField::kValue, value);
      out.End(mark);
    };
    uint64_t offset = options.external->Add(bytes);
    entry("location", options.external->location());
    entry("offset", StrCat(offset));
    entry("length", StrCat(bytes.size()));
    out.Int(TensorField::kDataLocation, 1);
  } else if (type != kOnnxString) {
    if (bytes.size() >= kMinReferred) {
      out.Ref(TensorField::kRawData, bytes.data(), bytes.size());
    } else {
      out.Bytes(TensorField::kRawData, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  out.Raw(options.other_fields);
  out.End(message);
}

}  // namespace ge::formats::onnx
