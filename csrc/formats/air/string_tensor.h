// The elements of a DT_STRING tensor as bytes of a file.
#ifndef GE_FORMATS_AIR_STRING_TENSOR_H_
#define GE_FORMATS_AIR_STRING_TENSOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ge::formats::air {

// For each element two 64-bit numbers, where its text starts and how long it is; then the texts, each with a zero
// behind.
std::string PackStrings(const std::vector<std::string>& strings);
// Nothing if the bytes are not `count` elements of that form.
std::optional<std::vector<std::string>> UnpackStrings(std::string_view bytes, int64_t count);

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_STRING_TENSOR_H_
