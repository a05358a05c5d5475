#include "custom_op/text_view.h"

#include "base/strings.h"

namespace ge::custom_op {

Result<std::string> CopyText(const PythonCustomOpStringView& view, std::string_view what, Emptiness empty) {
  if (view.size == 0) {
    if (empty == Emptiness::kAllowed) return std::string();
    return Status::Error(StrCat(what, ": expected text, found none"));
  }
  if (view.data == nullptr)
    return Status::Error(StrCat(what, ": expected text of '", view.size, "' bytes, found a null pointer"));
  std::string text(view.data, view.size);
  if (const size_t nul = text.find('\0'); nul != std::string::npos)
    return Status::Error(StrCat(what, ": expected text without NUL bytes, found one after '", nul, "' bytes"));
  return text;
}

}  // namespace ge::custom_op
