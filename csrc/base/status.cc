#include "base/status.h"

#include "base/strings.h"

namespace ge {

Status Status::Error(std::string message, const char* id) {
  Status s;
  s.rep_ = std::make_shared<const Rep>(Rep{std::move(message), id});
  return s;
}

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ ? rep_->message : empty;
}

const char* Status::id() const { return rep_ ? rep_->id : ""; }

Status Status::WithContext(std::string_view context) const {
  if (ok()) return *this;
  return Error(StrCat(context, ": ", rep_->message), rep_->id);
}

}  // namespace ge
