// Text that a bridge lends: checked, then copied.
#ifndef GE_CUSTOM_OP_TEXT_VIEW_H_
#define GE_CUSTOM_OP_TEXT_VIEW_H_

#include <string>
#include <string_view>

#include "base/export.h"
#include "base/status.h"
#include "loader/custom_op_bridge_abi.h"

namespace ge::custom_op {

enum class Emptiness : uint8_t { kForbidden, kAllowed };

// A copy of the text. Errors, which start with `what`: a size without data, a NUL byte, no text where some is needed.
GE_API Result<std::string> CopyText(const PythonCustomOpStringView& view, std::string_view what,
                                    Emptiness empty = Emptiness::kForbidden);

}  // namespace ge::custom_op

#endif  // GE_CUSTOM_OP_TEXT_VIEW_H_
