// Protobuf messages as text and back, by a description of their fields.
#ifndef GE_FORMATS_WIRE_TEXT_FORM_H_
#define GE_FORMATS_WIRE_TEXT_FORM_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/wire/schema.h"

namespace ge::formats::wire {

// A field a line, in the order of the message. Unknown fields are left out; bytes that are no such message are an
// error.
Result<std::string> ToText(std::string_view message, const MessageSpec& spec);

// The message that a text stands for. Errors name the line.
Result<std::string> FromText(std::string_view text, const MessageSpec& spec);

// With a backslash before quotes and what is not printable ASCII (octal).
void AppendEscaped(std::string_view bytes, std::string* out);
// "nan", "inf", "-inf" or the shortest digits that stand for the same float.
std::string FloatText(float value);

}  // namespace ge::formats::wire

#endif  // GE_FORMATS_WIRE_TEXT_FORM_H_
