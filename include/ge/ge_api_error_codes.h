// Status codes of passes.
#ifndef GE_GE_API_ERROR_CODES_H_
#define GE_GE_API_ERROR_CODES_H_

#include <cstdint>

namespace ge {
// Versions the binary interface; names are used without it.
inline namespace v1 {

using Status = uint32_t;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFFu;
constexpr Status NOT_CHANGED = 0x50104040u;

}  // namespace v1
}  // namespace ge

#endif  // GE_GE_API_ERROR_CODES_H_
