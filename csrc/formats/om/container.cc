#include "formats/om/container.h"

#include <algorithm>
#include <cstring>

#include "base/strings.h"

namespace ge::formats::om {
namespace {

constexpr uint32_t kMagic = 0x444F4D49;  // "IMOD"
constexpr uint32_t kVersion = 0x20000000;
constexpr uint32_t kIrVersion = 2;
constexpr uint32_t kMaxPartitions = 4096;

// Offsets in the header.
constexpr size_t kHeadSizeAt = 4, kVersionAt = 8, kLengthAt = 76, kModelTypeAt = 82, kNameAt = 84,
                 kOmIrVersionAt = 152, kModelNumAt = 156, kPlatformAt = 160, kModelLengthAt = 184, kUnknownShapeAt = 193;
constexpr char kBundle = 5;  // a model type: whole files as partitions
constexpr size_t kNameSize = 32, kPlatformSize = 20;

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <typename T>
void Store(std::string* bytes, size_t at, T value) {
  std::memcpy(bytes->data() + at, &value, sizeof value);
}
template <typename T>
void Append(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}
// A text of at most `size` - 1 bytes, zero padded.
void StoreText(std::string* bytes, size_t at, size_t size, std::string_view text) {
  std::memcpy(bytes->data() + at, text.data(), std::min(text.size(), size - 1));
}
std::string LoadText(std::string_view bytes, size_t at, size_t size) {
  std::string_view text = bytes.substr(at, size);
  return std::string(text.substr(0, text.find('\0')));
}

Status Bad(std::string message) { return Status::Error(std::move(message), "E10001"); }

}  // namespace

bool IsContainer(std::string_view file) { return file.size() >= 4 && Load<uint32_t>(file, 0) == kMagic; }

Result<Container> ReadContainer(std::string_view file) {
  if (file.size() < kHeaderSize) {
    return Bad(StrCat("expected an offline model with a header of ", kHeaderSize, " bytes, found a file of ",
                      file.size(), "; pass an .om file"));
  }
  if (!IsContainer(file))
    return Bad("expected an offline model, which begins with 'IMOD', found other data; pass an .om file");
  size_t body = Load<uint32_t>(file, kHeadSizeAt);
  if (body < kHeaderSize || body > file.size()) {
    return Bad(StrCat("expected a header of ", kHeaderSize, " bytes, found the size ", body));
  }
  auto length = Load<uint64_t>(file, kModelLengthAt);
  bool wide = length != 0;
  if (!wide) length = Load<uint32_t>(file, kLengthAt);
  if (length != file.size() - body) {
    return Bad(StrCat("expected ", length, " bytes behind the header, found ", file.size() - body,
                      "; the file is cut or damaged, copy or write it again"));
  }
  Container out;
  out.name = LoadText(file, kNameAt, kNameSize);
  if (Load<uint32_t>(file, kVersionAt) >= kVersion) out.model_num = Load<uint32_t>(file, kModelNumAt);
  out.unknown_shape = file[kUnknownShapeAt] != 0;

  std::string_view rest = file.substr(body);
  size_t head = wide ? 8 : 4, entry = wide ? 24 : 12;
  if (rest.size() < head) return Bad("expected a table of partitions behind the header, found none");
  auto count = Load<uint32_t>(rest, 0);
  if (count == 0 || count > kMaxPartitions || (rest.size() - head) / entry < count) {
    return Bad(StrCat("expected a table of 1 to ", kMaxPartitions, " partitions, found ", count, " in ", rest.size(),
                      " bytes"));
  }
  std::string_view table = rest.substr(head), data = rest.substr(head + count * entry);
  bool bundle = file[kModelTypeAt] == kBundle;
  if (bundle) data = rest;  // its offsets count from the end of the header
  for (uint32_t i = 0; i < count; ++i) {
    size_t at = i * entry;
    auto type = Load<uint32_t>(table, at);
    uint64_t offset = wide ? Load<uint64_t>(table, at + 8) : Load<uint32_t>(table, at + 4);
    uint64_t size = wide ? Load<uint64_t>(table, at + 16) : Load<uint32_t>(table, at + 8);
    if (offset > data.size() || size > data.size() - offset) {
      return Bad(StrCat("partition ", i, " (type ", type, ") lies at ", std::to_string(offset), " with ",
                        std::to_string(size), " bytes, expected a place in the ", data.size(),
                        " bytes behind the ", bundle ? "header" : "table"));
    }
    out.partitions.push_back({static_cast<PartitionType>(type), data.substr(offset, size)});
  }
  return out;
}

std::string HeaderAndTable(std::string_view name, bool unknown_shape, std::string_view platform,
                           const std::vector<PartitionSize>& partitions) {
  std::string out(kHeaderSize, '\0');
  uint64_t length = 8 + 24 * partitions.size();
  for (const PartitionSize& p : partitions) length += p.size;
  Store(&out, 0, kMagic);
  Store(&out, kHeadSizeAt, static_cast<uint32_t>(kHeaderSize));
  Store(&out, kVersionAt, kVersion);
  StoreText(&out, kNameAt, kNameSize, name);
  Store(&out, kOmIrVersionAt, kIrVersion);
  Store(&out, kModelNumAt, uint32_t{1});
  StoreText(&out, kPlatformAt, kPlatformSize, platform);
  Store(&out, kModelLengthAt, length);
  out[kUnknownShapeAt] = unknown_shape ? 1 : 0;
  Append(&out, static_cast<uint32_t>(partitions.size()));
  Append(&out, uint32_t{0});
  uint64_t offset = 0;
  for (const PartitionSize& p : partitions) {
    Append(&out, static_cast<uint32_t>(p.type));
    Append(&out, uint32_t{0});
    Append(&out, offset);
    Append(&out, p.size);
    offset += p.size;
  }
  return out;
}

}  // namespace ge::formats::om
