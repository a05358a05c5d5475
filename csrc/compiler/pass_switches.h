// --optimization_switch and --fusion_switch_file: which registered passes run.
#ifndef GE_COMPILER_PASS_SWITCHES_H_
#define GE_COMPILER_PASS_SWITCHES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "base/status.h"

namespace ge::compiler {

class GE_API PassSwitches {
 public:
  // Either text may be empty. An item of the option that cannot be used is skipped with a line in
  // `warnings`; a file that cannot be read or is malformed is an error (E21001).
  static Result<PassSwitches> Read(std::string_view optimization_switch,
                                   const std::string& switch_file,
                                   std::vector<std::string>* warnings);

  // The option's entry, then the file's, then the file's ALL, then yes.
  bool IsEnabled(std::string_view pass_name) const { return WhyOff(pass_name).empty(); }
  // "switched off by --fusion_switch_file"; empty for an enabled pass.
  std::string WhyOff(std::string_view pass_name) const;
  // Whether an entry of the option or the file is about this pass alone.
  bool Names(std::string_view pass_name) const;
  // Names that were switched and that no one of `known` has.
  std::vector<std::string> UnknownNames(const std::vector<std::string>& known) const;

 private:
  void ReadOption(std::string_view text, std::vector<std::string>* warnings);
  Status ReadFile(std::string_view path, std::string_view text);
  Status ReadLines(std::string_view path, std::string_view text);

  std::map<std::string, bool, std::less<>> option_;
  std::map<std::string, bool, std::less<>> file_;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_PASS_SWITCHES_H_
