// What readers of GE's IR say of bytes that are no model.
#ifndef GE_FORMATS_AIR_MALFORMED_H_
#define GE_FORMATS_AIR_MALFORMED_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"
#include "formats/wire/reader.h"

namespace ge::formats::air {

inline Status Malformed(std::string message) { return Status::Error(std::move(message), "E13005"); }
inline Status Malformed(std::string_view what, const wire::Reader& reader) {
  return Malformed(StrCat(what, " is malformed: ", reader.error()));
}

// Deeper nesting is no model but an attack on the stack; protobuf libraries stop at about the same depth.
inline constexpr int kMaxDepth = 100;
inline Status CheckDepth(int depth) {
  if (depth <= kMaxDepth) return Status::Ok();
  return Malformed(StrCat("expected messages nested at most ", kMaxDepth, " deep, found deeper ones"));
}

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_MALFORMED_H_
