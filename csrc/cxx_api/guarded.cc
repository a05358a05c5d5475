#include "cxx_api/guarded.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

namespace ge::cxx_api {
namespace {

std::string TypeName(const std::type_info* type) {
  if (type == nullptr) return "foreign exception";
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status),
                                                   &std::free);
  return status == 0 && name != nullptr ? name.get() : type->name();
}

}  // namespace

void AddException(std::string_view hook, ge_core::fusion::PassContext& context) {
  std::string type = TypeName(abi::__cxa_current_exception_type());
  try {
    throw;
  } catch (const std::exception& error) {
    context.AddError(hook, ge_core::StrCat("threw '", type, "': ", std::string_view(error.what())));
  } catch (...) {
    context.AddError(hook, ge_core::StrCat("threw '", type, "'"));
  }
}

std::string WithProblem(std::string text) {
  const std::string& problem = v1::detail::Problem();
  return problem.empty() ? text : ge_core::StrCat(text, ": ", problem);
}

}  // namespace ge::cxx_api
