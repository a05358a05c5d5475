#include "formats/onnx/cast_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ge::formats::onnx {
namespace {

using ir::DataType;

uint16_t ToBf16(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  if (std::isnan(f)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  bits += 0x7FFF + (bits >> 16 & 1);
  return static_cast<uint16_t>(bits >> 16);
}

uint16_t ToHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double a = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7E00;
  if (a >= 65520) return sign | 0x7C00;
  int exponent;
  std::frexp(a, &exponent);
  // Ten fraction bits, fewer below the smallest normal number; nearbyint rounds to even.
  int scale = std::max(exponent - 11, -24);
  auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(a, -scale)));
  if (steps == 0) return sign;
  while (steps >= 2048) {
    steps >>= 1;
    ++scale;
  }
  if (steps < 1024) return static_cast<uint16_t>(sign | steps);
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>(scale + 25) << 10) | (steps - 1024));
}

template <typename T, typename From>
void Fill(const std::vector<From>& values, std::vector<uint8_t>* out) {
  out->resize(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T v = static_cast<T>(values[i]);
    std::memcpy(out->data() + i * sizeof(T), &v, sizeof(T));
  }
}

template <typename From>
bool Convert(const std::vector<From>& values, DataType type, std::vector<uint8_t>* out) {
  switch (type) {
    case DataType::kFloat: Fill<float>(values, out); return true;
    case DataType::kDouble: Fill<double>(values, out); return true;
    case DataType::kInt8: Fill<int8_t>(values, out); return true;
    case DataType::kUint8: Fill<uint8_t>(values, out); return true;
    case DataType::kInt16: Fill<int16_t>(values, out); return true;
    case DataType::kUint16: Fill<uint16_t>(values, out); return true;
    case DataType::kInt32: Fill<int32_t>(values, out); return true;
    case DataType::kUint32: Fill<uint32_t>(values, out); return true;
    case DataType::kInt64: Fill<int64_t>(values, out); return true;
    case DataType::kUint64: Fill<uint64_t>(values, out); return true;
    case DataType::kBool: {
      out->resize(values.size());
      for (size_t i = 0; i < values.size(); ++i) (*out)[i] = values[i] != 0 ? 1 : 0;
      return true;
    }
    case DataType::kFloat16: case DataType::kBf16: {
      out->resize(values.size() * 2);
      for (size_t i = 0; i < values.size(); ++i) {
        auto v = static_cast<double>(values[i]);
        uint16_t bits = type == DataType::kBf16 ? ToBf16(static_cast<float>(v)) : ToHalf(v);
        std::memcpy(out->data() + i * 2, &bits, 2);
      }
      return true;
    }
    default: return false;
  }
}

bool IsInteger(DataType t) {
  switch (t) {
    case DataType::kInt8: case DataType::kUint8: case DataType::kInt16: case DataType::kUint16: case DataType::kInt32:
    case DataType::kUint32: case DataType::kInt64: case DataType::kUint64:
      return true;
    default: return false;
  }
}

// A float outside the range of an integer type has no defined conversion.
bool Representable(const std::vector<double>& values, DataType type) {
  if (!IsInteger(type)) return true;
  double limit = std::ldexp(1.0, 63);
  for (double v : values) {
    if (!(v > -limit && v < limit)) return false;
  }
  return true;
}

}  // namespace

ir::TensorPtr CastTensor(const ir::Tensor& tensor, DataType type) {
  std::vector<uint8_t> bytes;
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  if (ir::ReadIntegers(tensor, &integers)) {
    if (!Convert(integers, type, &bytes)) return nullptr;
  } else if (!ir::ReadNumbers(tensor, &numbers) || !Representable(numbers, type)) {
    return nullptr;
  } else if (IsInteger(type)) {
    integers.assign(numbers.begin(), numbers.end());
    if (!Convert(integers, type, &bytes)) return nullptr;
  } else if (!Convert(numbers, type, &bytes)) {
    return nullptr;
  }
  auto out = std::make_shared<ir::Tensor>();
  out->desc = ir::TensorDesc(tensor.desc.shape, type);
  out->data = ir::Buffer::Of(std::move(bytes));
  return out;
}

}  // namespace ge::formats::onnx
