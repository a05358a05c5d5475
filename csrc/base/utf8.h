// What is UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#ifndef GE_BASE_UTF8_H_
#define GE_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace ge {

// Length of the well-formed sequence at the front of `text`; 0 if there is none.
size_t Utf8Length(std::string_view text);
bool IsUtf8(std::string_view text);

}  // namespace ge

#endif  // GE_BASE_UTF8_H_
