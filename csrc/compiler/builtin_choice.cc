#include "compiler/builtin_choice.h"

#include "base/strings.h"

namespace ge::compiler {

std::string BuiltinChoice::WhyNot(const fusion::BuiltinPass& pass) const {
  std::string off = switches_.WhyOff(pass.name);
  if (switches_.Names(pass.name)) return off;
  if (pass.folds_constants && !constant_folding_.empty()) {
    return constant_folding_ == "true" ? "" : "switched off by --oo_constant_folding";
  }
  if (!off.empty()) return off;
  if (level_.empty()) return "runs when --oo_level or a switch of its name asks for it";
  if (level_ == "O1" && pass.level != fusion::OptimizationLevel::kO1) return "runs at --oo_level=O3";
  return "";
}

}  // namespace ge::compiler
