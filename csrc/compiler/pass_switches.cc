#include "compiler/pass_switches.h"

#include <algorithm>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/strings.h"

namespace ge::compiler {
namespace {

constexpr std::string_view kAll = "ALL";
// Appended by the atc of CANN to every command line; it switches no registered pass.
constexpr std::string_view kForbiddenClosePass = "forbidden_close_pass";

}  // namespace

Result<PassSwitches> PassSwitches::Read(std::string_view optimization_switch,
                                        const std::string& switch_file,
                                        std::vector<std::string>* warnings) {
  PassSwitches out;
  out.ReadOption(optimization_switch, warnings);
  if (switch_file.empty()) return out;
  auto file = MappedFile::Open(switch_file);
  if (!file.ok()) {
    return Status::Error(
        StrCat("--fusion_switch_file: ", file.status().message(), "; name a readable JSON file"),
        "E21001");
  }
  out.ReadFile(switch_file, file.value()->bytes(), warnings);
  return out;
}

void PassSwitches::ReadOption(std::string_view text, std::vector<std::string>* warnings) {
  for (std::string_view item : Split(text, ';')) {
    if (Trim(item).empty()) continue;
    size_t colon = item.rfind(':');
    std::string_view name =
        colon == std::string_view::npos ? std::string_view() : Trim(item.substr(0, colon));
    std::string_view value =
        colon == std::string_view::npos ? std::string_view() : Trim(item.substr(colon + 1));
    if (name.empty() || name.substr(0, 3) == "ge." || (value != "on" && value != "off")) {
      warnings->push_back(StrCat("--optimization_switch: '", Trim(item),
                                 "' is skipped; an item is Name:on or Name:off"));
      continue;
    }
    option_[std::string(name)] = value == "on";
  }
}

void PassSwitches::ReadFile(std::string_view path, std::string_view text,
                            std::vector<std::string>* warnings) {
  auto skip = [&](std::string_view reason) {
    warnings->push_back(StrCat("--fusion_switch_file '", path, "' switches no pass: ", reason));
  };
  auto json = JsonValue::Parse(text);
  if (!json.ok()) {
    return skip(StrCat("it is not JSON (", json.status().message(),
                       "); registered passes are switched by {\"Switch\": {\"GraphFusion\": "
                       "{\"Name\": \"off\"}}}"));
  }
  const JsonValue* switches = json.value().Find("Switch");
  const JsonValue* graph_fusion = switches ? switches->Find("GraphFusion") : nullptr;
  if (graph_fusion == nullptr || !graph_fusion->is_object())
    return skip("it has no object Switch.GraphFusion");
  for (const auto& [name, value] : graph_fusion->members()) {
    if (!value.is_string()) {
      warnings->push_back(StrCat("--fusion_switch_file '", path, "': the value of '", name,
                                 "' is skipped; it must be \"on\" or \"off\""));
      continue;
    }
    file_[name] = value.string() == "on";
  }
}

bool PassSwitches::IsEnabled(std::string_view pass_name) const {
  if (auto it = option_.find(pass_name); it != option_.end()) return it->second;
  if (auto it = file_.find(pass_name); it != file_.end()) return it->second;
  if (auto it = file_.find(kAll); it != file_.end()) return it->second;
  return true;
}

std::vector<std::string> PassSwitches::UnknownNames(const std::vector<std::string>& known) const {
  std::vector<std::string> out;
  for (const auto* switches : {&option_, &file_}) {
    for (const auto& [name, on] : *switches) {
      if (name == kAll || name == kForbiddenClosePass) continue;
      bool is_known = std::find(known.begin(), known.end(), name) != known.end();
      if (!is_known && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

}  // namespace ge::compiler
