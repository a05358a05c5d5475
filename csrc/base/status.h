// Expected failure as a value: Status and Result<T>. Nothing in the core throws for what a user can cause.
#ifndef GE_BASE_STATUS_H_
#define GE_BASE_STATUS_H_

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/export.h"

namespace ge {

// Numeric results of passes, as GE has them (an unsigned 32-bit code).
inline constexpr uint32_t kSuccess = 0;
inline constexpr uint32_t kFailed = 0xFFFFFFFFu;
inline constexpr uint32_t kNotChanged = 0x50104040u;

// OK, or an error with a message for people and an identifier ("E10016": the codes of atc; "E19999" is an inner error).
// Cheap to copy; safe to share between threads.
class [[nodiscard]] GE_API Status {
 public:
  Status() = default;
  static Status Ok() { return Status(); }
  static Status Error(std::string message, const char* id = "E19999");

  bool ok() const { return rep_ == nullptr; }
  // Empty when ok().
  const std::string& message() const;
  const char* id() const;
  // The same error with `context` and a colon before its message; ok stays ok.
  Status WithContext(std::string_view context) const;

 private:
  struct Rep {
    std::string message;
    const char* id;
  };
  std::shared_ptr<const Rep> rep_;
};

// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}              // NOLINT: implicit by design
  Result(Status status) : v_(std::in_place_index<1>, std::move(status)) {}  // NOLINT: implicit by design

  bool ok() const { return v_.index() == 0; }
  // REQUIRES: ok() for value(); status() is always allowed.
  T& value() & {
    assert(ok());
    return std::get<0>(v_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(v_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(v_));
  }
  Status status() const { return ok() ? Status() : std::get<1>(v_); }

 private:
  std::variant<T, Status> v_;
};

}  // namespace ge

#define GE_CONCAT_INNER_(a, b) a##b
#define GE_CONCAT_(a, b) GE_CONCAT_INNER_(a, b)
#define GE_RETURN_IF_ERROR(expr)                       \
  do {                                                 \
    if (::ge::Status ge_status_ = (expr); !ge_status_.ok()) return ge_status_; \
  } while (0)
#define GE_ASSIGN_OR_RETURN(lhs, expr) GE_ASSIGN_OR_RETURN_(GE_CONCAT_(ge_result_, __LINE__), lhs, expr)
#define GE_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                         \
  if (!tmp.ok()) return tmp.status();        \
  lhs = std::move(tmp).value()

#endif  // GE_BASE_STATUS_H_
