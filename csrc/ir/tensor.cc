#include "ir/tensor.h"

#include <cmath>

namespace ge::ir {
namespace {

template <typename T, typename Out>
bool Widen(const Tensor& t, std::vector<Out>* out) {
  size_t n = t.data.size() / sizeof(T);
  out->resize(n);
  for (size_t i = 0; i < n; ++i) (*out)[i] = static_cast<Out>(t.At<T>(i));
  return true;
}

double HalfToDouble(uint16_t h) {
  int exponent = (h >> 10) & 31;
  int mantissa = h & 1023;
  double v;
  if (exponent == 31) {
    v = mantissa ? NAN : INFINITY;
  } else if (exponent == 0) {
    v = std::ldexp(mantissa, -24);
  } else {
    v = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return h & 0x8000 ? -v : v;
}

double Bf16ToDouble(uint16_t h) {
  uint32_t bits = static_cast<uint32_t>(h) << 16;
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

template <typename Out>
bool ReadInts(const Tensor& t, std::vector<Out>* out) {
  switch (t.desc.dtype) {
    case DataType::kInt64: return Widen<int64_t>(t, out);
    case DataType::kInt32: return Widen<int32_t>(t, out);
    case DataType::kInt16: return Widen<int16_t>(t, out);
    case DataType::kInt8: return Widen<int8_t>(t, out);
    case DataType::kUint64: return Widen<uint64_t>(t, out);
    case DataType::kUint32: return Widen<uint32_t>(t, out);
    case DataType::kUint16: return Widen<uint16_t>(t, out);
    case DataType::kUint8:
    case DataType::kBool: return Widen<uint8_t>(t, out);
    default: return false;
  }
}

}  // namespace

bool ReadIntegers(const Tensor& tensor, std::vector<int64_t>* out) { return ReadInts(tensor, out); }

bool ReadNumbers(const Tensor& tensor, std::vector<double>* out) {
  switch (tensor.desc.dtype) {
    case DataType::kFloat: return Widen<float>(tensor, out);
    case DataType::kDouble: return Widen<double>(tensor, out);
    case DataType::kFloat16:
    case DataType::kBf16: {
      bool half = tensor.desc.dtype == DataType::kFloat16;
      std::vector<uint16_t> raw;
      Widen<uint16_t>(tensor, &raw);
      out->clear();
      for (uint16_t h : raw) out->push_back(half ? HalfToDouble(h) : Bf16ToDouble(h));
      return true;
    }
    default: return ReadInts(tensor, out);
  }
}

}  // namespace ge::ir
