// The command line of atc: grammar, values, and the options a compile uses.
#ifndef GE_COMPILER_ATC_OPTIONS_H_
#define GE_COMPILER_ATC_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "compiler/atc_option_table.h"
#include "compiler/atc_show.h"
#include "compiler/emit.h"
#include "compiler/graph_settings.h"
#include "fusion/executor.h"

namespace ge::compiler {

// Options by name as given: the last value of a repeated one.
class ParsedCommandLine {
 public:
  // Reads --name=value, --name value, -name, '-' for '_', unambiguous prefixes. A word that cannot
  // be read (unknown name, missing value, stray word) is an error without code, told apart by
  // is_usage_error; a value that is not acceptable is one with the option's code.
  static Result<ParsedCommandLine> Parse(const std::vector<std::string>& args);
  static bool IsUsageError(const Status& status);

  bool Has(std::string_view name) const { return values_.find(name) != values_.end(); }
  // "" when not given.
  const std::string& Get(std::string_view name) const;
  // For a value that comes from elsewhere; held to the same list of values.
  Status SetUnlessGiven(const std::string& name, const std::string& value);
  // Value of a boolean option.
  bool IsTrue(std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// When fusion_result.json is written.
enum class CompileStat : uint8_t { kNever, kAtEnd, kAfterCompile };

struct AtcOptions {
  int64_t mode = 0;
  int64_t framework = -1;  // -1: not given
  std::string model;
  std::vector<EmitTarget> outputs;
  ShowRequest show;          // of modes 1, 5 and 6
  std::string check_report;  // of mode 3
  bool display_model_info = false;
  std::string command_line;   // as typed
  std::string original_file;  // --save_original_model; "": not wanted
  std::string input_shape;
  std::string input_shape_range;
  std::string fusion_switch_file;
  std::string optimization_switch;
  std::string oo_level;             // empty: not given
  std::string oo_constant_folding;  // likewise
  fusion::OnError on_error = fusion::OnError::kIsolate;
  std::string explain_pass;
  CompileStat compile_stat = CompileStat::kAtEnd;
  LogLevel log_level = LogLevel::kNone;
  bool verify = false;
  double verify_tolerance = 1e-4;
  int64_t verify_seed = 0;
  GraphSettingTexts graph;
  std::string report;  // file of --report
  // All that were given, by their names in the library: what passes can ask for and dumps tell.
  std::map<std::string, std::string> by_key;
  // Given, known, and without any effect here.
  std::vector<std::string> ignored;
  // Without effect on the graph, but kept with it.
  std::vector<std::string> noted;
  // Keys of --raw_ge_options that were skipped.
  std::vector<std::string> skipped_raw;
};

// Applies the rules between options (what is required, what is refused) and the environment
// (GE_PY_PASS_ON_ERROR).
Result<AtcOptions> MakeAtcOptions(const ParsedCommandLine& line);

// What a command line says about the graph itself.
GraphSettingTexts GraphSettingsOf(const ParsedCommandLine& line);

// "atc", "pyatc" or "python3 -m ge.pyatc": what the texts call the command.
std::string CommandName(std::string_view argv0);
// The text of --help.
std::string AtcHelp(std::string_view command);

}  // namespace ge::compiler

#endif  // GE_COMPILER_ATC_OPTIONS_H_
