// std::bit_cast, which gcc 10 lacks.
#ifndef GE_BASE_BITS_H_
#define GE_BASE_BITS_H_

#include <cstring>
#include <type_traits>

namespace ge {

template <typename To, typename From>
To BitCast(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace ge

#endif  // GE_BASE_BITS_H_
