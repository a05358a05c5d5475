// Which of the compiler's own passes run.
#ifndef GE_COMPILER_BUILTIN_CHOICE_H_
#define GE_COMPILER_BUILTIN_CHOICE_H_

#include <string>

#include "base/export.h"
#include "compiler/pass_switches.h"
#include "fusion/builtin/builtin_pass.h"

namespace ge::compiler {

// A model comes out as its passes left it, so none of them runs unless something asks for it.
class GE_API BuiltinChoice {
 public:
  BuiltinChoice() = default;
  // `level`: "O1", "O3" or empty. `constant_folding`: "true", "false" or empty.
  BuiltinChoice(PassSwitches switches, std::string level, std::string constant_folding)
      : switches_(std::move(switches)), level_(std::move(level)), constant_folding_(std::move(constant_folding)) {}

  bool Runs(const fusion::BuiltinPass& pass) const { return WhyNot(pass).empty(); }
  // The pass's own switch, then --oo_constant_folding, then the file's ALL, then the level; empty for a pass that runs.
  std::string WhyNot(const fusion::BuiltinPass& pass) const;

 private:
  PassSwitches switches_;
  std::string level_;
  std::string constant_folding_;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_BUILTIN_CHOICE_H_
