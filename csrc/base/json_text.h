// Texts as JSON strings.
#ifndef GE_BASE_JSON_TEXT_H_
#define GE_BASE_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace ge {

// Appends `text` in quotes. Bytes that are no UTF-8 become U+FFFD, so that every reader takes the result.
void AppendJsonText(std::string_view text, std::string* out);
std::string JsonText(std::string_view text);

}  // namespace ge

#endif  // GE_BASE_JSON_TEXT_H_
