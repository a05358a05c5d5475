#include "compiler/raw_options.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/strings.h"
#include "compiler/option_keys.h"

namespace ge::compiler {
namespace {

constexpr std::string_view kLevels[] = {"global", "session", "graph"};
// "model" and "output" have no key of the library, but somebody may write them.
constexpr std::string_view kCommandLineOnly[] = {"model", "output", "framework", "soc_version"};
// Has a key, but the file can't give it.
constexpr std::string_view kNeverRaw = "h2d_overlapped_with_compute";

Status BadFile(const std::string& path, std::string_view reason) {
  return Status::Error(StrCat("--raw_ge_options '", path, "': ", reason,
                              "; use {\"compile options\": {\"graph\": {\"ge.optimizationSwitch\": \"Name:off\"}}}"),
                       "E10032");
}

template <typename Range>
bool Holds(const Range& range, std::string_view text) {
  return std::find(std::begin(range), std::end(range), text) != std::end(range);
}

Result<std::map<std::string, std::string>> Merge(const std::string& path, const JsonValue& root) {
  std::map<std::string, std::string> merged;
  if (!root.is_object()) return BadFile(path, "it is no JSON object");
  const JsonValue* compile = root.Find("compile options");
  if (compile == nullptr || !compile->is_object()) return BadFile(path, "it has no object 'compile options'");
  for (const auto& [level, ignored] : compile->members()) {
    if (!Holds(kLevels, level))
      return BadFile(path, StrCat("'compile options' has '", level, "', expected global, session and graph only"));
  }
  for (std::string_view level : kLevels) {
    const JsonValue* options = compile->Find(level);
    if (options == nullptr) continue;
    if (!options->is_object()) return BadFile(path, StrCat("'", level, "' is no object"));
    for (const auto& [key, value] : options->members()) {
      if (key.empty()) return BadFile(path, StrCat("'", level, "' has an empty key"));
      if (!value.is_string())
        return BadFile(path, StrCat("the value of '", key, "' is a ", value.kind_name(), ", expected a text"));
      merged[key] = value.string();
    }
  }
  return merged;
}

}  // namespace

Result<RawOptions> ReadRawOptions(const std::string& path, bool skip_unknown) {
  auto file = MappedFile::Open(path);
  if (!file.ok()) {
    return Status::Error(StrCat("--raw_ge_options: ", file.status().message(), "; name a readable JSON file"),
                         "E13001");
  }
  auto json = JsonValue::Parse(file.value()->bytes());
  if (!json.ok()) return BadFile(path, StrCat("it is not JSON (", json.status().message(), ")"));
  GE_ASSIGN_OR_RETURN(const auto merged, Merge(path, json.value()));
  RawOptions out;
  for (const auto& [key, value] : merged) {
    std::string_view option = OptionOfKey(key);
    if (Holds(kCommandLineOnly, option.empty() ? std::string_view(key) : option)) {
      return Status::Error(
          StrCat("--raw_ge_options '", path, "' sets '", key, "', which the command line alone may set; give it there"),
          "E10001");
    }
    if (!option.empty() && option != kNeverRaw) {
      out.options.emplace_back(option, value);
      continue;
    }
    if (!skip_unknown) {
      return Status::Error(StrCat("--raw_ge_options '", path, "' sets '", key,
                                  "', which is no option of the library; correct it, or skip such keys with "
                                  "--raw_ge_options_ignore_unsupported"),
                           "E10055");
    }
    out.skipped.push_back(key);
  }
  return out;
}

}  // namespace ge::compiler
