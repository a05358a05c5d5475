#include "custom_op/error.h"

#include <utility>

namespace ge::custom_op {
namespace {

thread_local std::string callback_error;

}  // namespace

void ReportCallbackError(std::string text) { callback_error = std::move(text); }

std::string TakeCallbackError() { return std::exchange(callback_error, {}); }

}  // namespace ge::custom_op
