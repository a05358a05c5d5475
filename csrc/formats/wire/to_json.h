// Protobuf messages as JSON, in the form in which atc shows models.
#ifndef GE_FORMATS_WIRE_TO_JSON_H_
#define GE_FORMATS_WIRE_TO_JSON_H_

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/wire/schema.h"

namespace ge::formats::wire {

// An object with the names of the fields; those that are not set, zero or in `left_out` are missing. Single floats and
// bytes are texts. What is nested deeper than 20 messages is missing, too. Bytes that are no such message are an error.
Result<std::string> ToJson(std::string_view message, const MessageSpec& spec,
                           std::span<const std::string_view> left_out);

}  // namespace ge::formats::wire

#endif  // GE_FORMATS_WIRE_TO_JSON_H_
