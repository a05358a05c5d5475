#include "formats/air/type_numbers.h"

#include <array>

#include "formats/dump/names.h"

namespace ge::formats::air {
namespace {

constexpr uint32_t kProtoTypes = 42;
constexpr uint32_t kUnusedMemoryType = 5;
constexpr uint32_t kFormats = 52;

// By number in memory: those up to 12 are in another order, then 28 (undefined) shifts the rest by one.
constexpr std::array<uint8_t, 43> kToProto = {
    1, 2, 3, 7, 4, 0, 5, 6, 9, 8, 10, 12, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 0, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41,
};

constexpr std::array<uint8_t, kProtoTypes> MakeFromProto() {
  std::array<uint8_t, kProtoTypes> out{};
  for (uint32_t i = 0; i < kToProto.size(); ++i) {
    if (i != kUnusedMemoryType) out[kToProto[i]] = static_cast<uint8_t>(i);
  }
  return out;
}
constexpr std::array<uint8_t, kProtoTypes> kFromProto = MakeFromProto();

}  // namespace

uint32_t ToProtoType(ir::DataType type) {
  auto i = static_cast<size_t>(type);
  return i < kToProto.size() ? kToProto[i] : 0;
}

std::optional<ir::DataType> FromProtoType(uint64_t number) {
  if (number >= kProtoTypes) return std::nullopt;
  return static_cast<ir::DataType>(kFromProto[number]);
}

std::optional<ir::DataType> FromMemoryType(int64_t number) {
  if (number < 0 || number > static_cast<int64_t>(ir::DataType::kMax)) return std::nullopt;
  return static_cast<ir::DataType>(number);
}

std::string_view LayoutName(ir::Format format) { return dump::LayoutName(format); }

std::optional<ir::Format> FromLayoutName(std::string_view name) {
  if (name == "RESERVED" || name == "UNDEFINED") return ir::Format::kReserved;
  if (size_t colon = name.find(':'); colon != std::string_view::npos) name = name.substr(0, colon);
  for (uint32_t i = 0; i < kFormats; ++i) {
    auto format = static_cast<ir::Format>(i);
    if (LayoutName(format) == name || ir::Name(format) == name) return format;
  }
  return std::nullopt;
}

std::optional<ir::Format> FromLayoutNumber(int64_t number) {
  int64_t primary = number & 0xFF;
  if (number < 0 || primary > static_cast<int64_t>(ir::Format::kMax)) return std::nullopt;
  return static_cast<ir::Format>(primary);
}

}  // namespace ge::formats::air
