#include "compiler/pass_switches.h"

#include <algorithm>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/strings.h"
#include "compiler/closest_name.h"

namespace ge::compiler {
namespace {

constexpr std::string_view kAll = "ALL";
// Appended by the atc of CANN to every command line; it switches no registered pass.
constexpr std::string_view kForbiddenClosePass = "forbidden_close_pass";

constexpr std::string_view kSample = "; passes are switched by {\"Switch\": {\"GraphFusion\": {\"Name\": \"off\"}}}";

Status BadSwitch(std::string_view path, std::string_view reason) {
  return Status::Error(StrCat("--fusion_switch_file '", path, "': ", reason, kSample), "E20003");
}

bool LooksLikeJson(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  return text[first] == '{' || text[first] == '[';
}

// A key that is mistyped would switch nothing.
Status CheckKeys(std::string_view path, const JsonValue& object, std::string_view prefix,
                 const std::vector<std::string_view>& known) {
  for (const auto& [key, value] : object.members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string_view closest = ClosestName(key, known);
    return Status::Error(StrCat("--fusion_switch_file '", path, "': '", prefix, key, "' is not one of '",
                                Join(known, "', '"), "'",
                                closest.empty() ? std::string() : StrCat("; did you mean '", closest, "'?")),
                         "E21002");
  }
  return Status::Ok();
}

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
        StrCat("--fusion_switch_file: ", file.status().message(), "; name a readable file"),
        "E21001");
  }
  GE_RETURN_IF_ERROR(out.ReadFile(switch_file, file.value()->bytes()));
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

Status PassSwitches::ReadFile(std::string_view path, std::string_view text) {
  auto malformed = [&](std::string_view reason) {
    return Status::Error(StrCat("--fusion_switch_file '", path, "': ", reason, kSample), "E21001");
  };
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return malformed("it is empty");
  if (!LooksLikeJson(text)) return ReadLines(path, text);
  auto json = JsonValue::Parse(text);
  if (!json.ok()) return malformed(StrCat("it is not JSON (", json.status().message(), ")"));
  if (!json.value().is_object()) return malformed("it is no JSON object");
  GE_RETURN_IF_ERROR(CheckKeys(path, json.value(), "", {"Switch", "Priority", "ExceptionalPassOfO1Level"}));
  const JsonValue* switches = json.value().Find("Switch");
  if (switches == nullptr) return Status::Ok();
  if (!switches->is_object()) return malformed("its 'Switch' is no object");
  GE_RETURN_IF_ERROR(CheckKeys(path, *switches, "Switch.", {"GraphFusion", "UBFusion"}));
  const JsonValue* graph_fusion = switches->Find("GraphFusion");
  if (graph_fusion == nullptr) return Status::Ok();
  if (!graph_fusion->is_object()) return malformed("its 'Switch.GraphFusion' is no object");
  for (const auto& [name, value] : graph_fusion->members()) {
    if (!value.is_string() || (value.string() != "on" && value.string() != "off")) {
      return BadSwitch(path, StrCat("the value of '", name, "' must be \"on\" or \"off\", found ",
                                    value.is_string() ? StrCat("\"", value.string(), "\"")
                                                      : std::string("something that is no text")));
    }
    file_[name] = value.string() == "on";
  }
  return Status::Ok();
}

// The older form: Name:on or Name:off, one a line.
Status PassSwitches::ReadLines(std::string_view path, std::string_view text) {
  size_t number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    line = Trim(line);
    if (line.empty()) continue;
    size_t colon = line.rfind(':');
    std::string_view name = Trim(line.substr(0, std::min(colon, line.size())));
    std::string_view value = colon == std::string_view::npos ? std::string_view() : Trim(line.substr(colon + 1));
    if (name.empty() || (value != "on" && value != "off"))
      return BadSwitch(path, StrCat("line ", number, ", '", line, "', is neither JSON nor Name:on or Name:off"));
    file_[std::string(name)] = value == "on";
  }
  return Status::Ok();
}

std::string PassSwitches::WhyOff(std::string_view pass_name) const {
  if (auto it = option_.find(pass_name); it != option_.end()) {
    return it->second ? "" : "switched off by --optimization_switch";
  }
  if (auto it = file_.find(pass_name); it != file_.end()) {
    return it->second ? "" : "switched off by --fusion_switch_file";
  }
  if (auto it = file_.find(kAll); it != file_.end() && !it->second) {
    return "switched off by \"ALL\" of --fusion_switch_file";
  }
  return "";
}

bool PassSwitches::Names(std::string_view pass_name) const {
  return option_.find(pass_name) != option_.end() || file_.find(pass_name) != file_.end();
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
