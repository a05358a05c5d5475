// Elements of tensors as C++ values, half precision types included.
#ifndef GE_FUSION_BUILTIN_FOLD_ELEMENT_H_
#define GE_FUSION_BUILTIN_FOLD_ELEMENT_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ir/types.h"

namespace ge::fusion::fold {

struct Half {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};

float ToFloat(Half h);
float ToFloat(Bf16 b);
// Rounded to the nearest, ties to even.
Half ToHalf(float f);
Bf16 ToBf16(float f);

// What an element is computed in: the half types in float, which is wide enough to round only once.
template <typename T>
struct WideOf {
  using type = T;
};
template <>
struct WideOf<Half> {
  using type = float;
};
template <>
struct WideOf<Bf16> {
  using type = float;
};
template <typename T>
using Wide = typename WideOf<T>::type;

// Data may lie at any address.
template <typename T>
Wide<T> Load(const uint8_t* data, int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return data[i] != 0;
  } else {
    T v;
    std::memcpy(&v, data + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bf16>) {
      return ToFloat(v);
    } else {
      return v;
    }
  }
}

template <typename T>
void Store(uint8_t* data, int64_t i, Wide<T> value) {
  if constexpr (std::is_same_v<T, bool>) {
    data[i] = value ? 1 : 0;
  } else if constexpr (std::is_same_v<T, Half>) {
    Half h = ToHalf(value);
    std::memcpy(data + i * 2, &h, 2);
  } else if constexpr (std::is_same_v<T, Bf16>) {
    Bf16 b = ToBf16(value);
    std::memcpy(data + i * 2, &b, 2);
  } else {
    std::memcpy(data + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

template <typename T>
struct Tag {
  using type = T;
};

// Calls f(Tag<T>) for the C++ type of an element type; false for types that are not computed with.
template <typename F>
bool VisitNumber(ir::DataType type, F&& f) {
  switch (type) {
    case ir::DataType::kFloat: return f(Tag<float>{});
    case ir::DataType::kDouble: return f(Tag<double>{});
    case ir::DataType::kFloat16: return f(Tag<Half>{});
    case ir::DataType::kBf16: return f(Tag<Bf16>{});
    case ir::DataType::kInt8: return f(Tag<int8_t>{});
    case ir::DataType::kInt16: return f(Tag<int16_t>{});
    case ir::DataType::kInt32: return f(Tag<int32_t>{});
    case ir::DataType::kInt64: return f(Tag<int64_t>{});
    case ir::DataType::kUint8: return f(Tag<uint8_t>{});
    case ir::DataType::kUint16: return f(Tag<uint16_t>{});
    case ir::DataType::kUint32: return f(Tag<uint32_t>{});
    case ir::DataType::kUint64: return f(Tag<uint64_t>{});
    default: return false;
  }
}
template <typename F>
bool VisitAny(ir::DataType type, F&& f) {
  return type == ir::DataType::kBool ? f(Tag<bool>{}) : VisitNumber(type, f);
}

}  // namespace ge::fusion::fold

#endif  // GE_FUSION_BUILTIN_FOLD_ELEMENT_H_
