// Every option name of atc with its type, its values and what it does here.
#ifndef GE_COMPILER_ATC_OPTION_TABLE_H_
#define GE_COMPILER_ATC_OPTION_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace ge::compiler {

enum class OptionType : uint8_t { kText, kInteger, kBool };

enum class OptionEffect : uint8_t {
  kWorks,
  kIgnored,  // accepted and checked, so that existing command lines run; named once as having no
             // effect
  kNoted,    // the same, but the .om tells it to whoever builds kernels for the graph
  kRefused,  // ignoring it would give another model than the one asked for
};

// In the order of the help.
enum class OptionGroup : uint8_t {
  kGeneral,
  kInput,
  kOutput,
  kTarget,
  kFeature,
  kModelTuning,
  kOperatorTuning,
  kDebug
};

struct OptionSpec {
  std::string_view name;
  OptionType type;
  OptionGroup group;
  OptionEffect effect;
  std::string_view values;      // allowed values joined by '|'; empty: not checked against a list
  const char* code;             // of a value that is not in the list
  std::string_view value_name;  // as the help shows it
  std::string_view help;
};

std::span<const OptionSpec> AtcOptionTable();

}  // namespace ge::compiler

#endif  // GE_COMPILER_ATC_OPTION_TABLE_H_
