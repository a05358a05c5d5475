#include "compiler/atc_options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/strings.h"
#include "compiler/check_report.h"
#include "compiler/closest_name.h"
#include "compiler/option_keys.h"
#include "compiler/option_rules.h"
#include "compiler/output_path.h"

namespace ge::compiler {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// "" is true, as in a bare --verify.
std::optional<bool> ParseBool(std::string_view text) {
  std::string value = Lower(text);
  for (const char* yes : {"", "1", "t", "true", "y", "yes"}) {
    if (value == yes) return true;
  }
  for (const char* no : {"0", "f", "false", "n", "no"}) {
    if (value == no) return false;
  }
  return std::nullopt;
}

Status UsageError(std::string message) { return Status::Error(std::move(message), ""); }

// The exact name, or the only one that begins with what was typed.
Result<const OptionSpec*> FindOption(std::string_view typed) {
  std::string name(typed);
  std::replace(name.begin(), name.end(), '-', '_');
  if (name == "h") name = "help";
  std::vector<const OptionSpec*> candidates;
  for (const OptionSpec& spec : AtcOptionTable()) {
    if (spec.name == name) return &spec;
    if (!name.empty() && spec.name.substr(0, name.size()) == name) candidates.push_back(&spec);
  }
  if (candidates.size() == 1) return candidates[0];
  if (candidates.empty()) {
    std::vector<std::string_view> all;
    for (const OptionSpec& spec : AtcOptionTable()) all.push_back(spec.name);
    std::string_view closest = ClosestName(name, all);
    return UsageError(StrCat("unknown option '--", typed, "'; ",
                             closest.empty() ? std::string() : StrCat("did you mean '--", closest, "'? "),
                             "--help lists all names"));
  }
  std::vector<std::string> names;
  for (const OptionSpec* c : candidates) names.push_back(StrCat("--", c->name));
  return UsageError(StrCat("option '--", typed, "' is ambiguous: ", Join(names, ", ")));
}

// The one option of text whose values may be written in any case.
constexpr std::string_view kCaseIgnored = "enable_attr_compression";

Status CheckValue(const OptionSpec& spec, const std::string& value) {
  if (spec.type == OptionType::kBool && !ParseBool(value)) {
    return Status::Error(
        StrCat("value '", value, "' of --", spec.name, " is not a boolean; use true or false"),
        "E10003");
  }
  bool digits = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  if (spec.type == OptionType::kInteger && (!digits || !ParseInt(value))) {
    return Status::Error(
        StrCat("value '", value, "' of --", spec.name, " is not a number; use digits only"),
        "E10003");
  }
  if (spec.values.empty()) return Status::Ok();
  std::vector<std::string_view> allowed = Split(spec.values, '|');
  for (std::string_view v : allowed) {
    // Numbers are compared as numbers: 05 is 5.
    bool same = spec.type == OptionType::kInteger ? ParseInt(v) == ParseInt(value)
                : spec.name == kCaseIgnored       ? v == Lower(value)
                                                  : v == value;
    if (same) return Status::Ok();
  }
  allowed.erase(std::remove(allowed.begin(), allowed.end(), std::string_view()), allowed.end());
  return Status::Error(
      StrCat("value '", value, "' of --", spec.name, " is not one of: ", Join(allowed, ", ")),
      spec.code);
}

Status Refused(std::string_view what, std::string_view instead) {
  return Status::Error(StrCat(what, " is not supported in this version; ", instead), "E10055");
}

constexpr int64_t kCompile = 0, kModelToJson = 1, kCheck = 3, kTextToJson = 5, kInformation = 6, kOm2 = 7, kExeOm = 30;

int64_t ModeOf(const ParsedCommandLine& line) {
  return line.Has("mode") ? ParseInt(line.Get("mode")).value_or(kCompile) : kCompile;
}

Status CheckMode(const ParsedCommandLine& line) {
  int64_t mode = ModeOf(line);
  if (mode == kOm2 || mode == kExeOm) {
    return Refused(StrCat("--mode=", mode), "it needs the kernels of a device; use --mode=0, which writes an .om with the graph");
  }
  if (line.Has("auto_tune_mode")) {
    return Status::Error("--auto_tune_mode was removed from atc; leave it out", "E10001");
  }
  return Status::Ok();
}

constexpr int64_t kAirModel = 1, kOnnxModel = 5;

Status CheckFramework(const ParsedCommandLine& line) {
  if (!line.Has("framework")) {
    return Status::Error("--framework is missing; use --framework=5 for an ONNX model, --framework=1 for an .air",
                         "E10007");
  }
  int64_t framework = *ParseInt(line.Get("framework"));
  if (framework == 0 && line.Get("weight").empty()) {
    return Status::Error(
        "--framework=0 needs --weight, and Caffe models are not supported in this version; use "
        "--framework=5 with an ONNX model",
        "E10008");
  }
  if (framework != kAirModel && framework != kOnnxModel) {
    return Refused(StrCat("--framework=", framework),
                   "export the model to ONNX and use --framework=5");
  }
  return Status::Ok();
}

Status Required(const ParsedCommandLine& line, std::string_view name) {
  if (!line.Get(name).empty()) return Status::Ok();
  return Status::Error(
      StrCat("--", name, " is missing or empty; if a value holds blanks or ';' put it in quotes"),
      "E10054");
}

Result<fusion::OnError> OnErrorOf(const ParsedCommandLine& line) {
  std::string value = line.Get("py_pass_on_error");
  if (!line.Has("py_pass_on_error")) {
    const char* env = std::getenv("GE_PY_PASS_ON_ERROR");
    value = env != nullptr ? env : "";
    if (!value.empty() && value != "isolate" && value != "fail") {
      return Status::Error(
          StrCat("value '", value,
                 "' of the environment variable GE_PY_PASS_ON_ERROR is not one of: isolate, fail"),
          "E13024");
    }
  }
  return value == "fail" ? fusion::OnError::kFail : fusion::OnError::kIsolate;
}

// Where the run writes to.
Status ReadOutputs(const ParsedCommandLine& line, AtcOptions* out) {
  out->check_report = CheckReportFile(line.Get("check_report"));
  if (out->mode != kCompile) return Status::Ok();
  GE_ASSIGN_OR_RETURN(out->outputs, EmitTargets(line.Get("output"), line.Get("emit")));
  out->display_model_info = line.Get("display_model_info") == "1";
  if (out->display_model_info && FindTarget(out->outputs, EmitKind::kOm) == nullptr) {
    return Status::Error("--display_model_info shows an .om, which --emit leaves out; add om to --emit", "E10001");
  }
  if (line.Get("save_original_model") == "true") {
    GE_ASSIGN_OR_RETURN(out->original_file, OutputFile(line.Get("output") + "_original", ".om"));
  }
  return Status::Ok();
}

LogLevel LogLevelOf(const std::string& value) {
  if (value == "debug") return LogLevel::kDebug;
  if (value == "info") return LogLevel::kInfo;
  if (value == "warning") return LogLevel::kWarning;
  if (value == "error") return LogLevel::kError;
  return LogLevel::kNone;
}

Status ReadVerifyOptions(const ParsedCommandLine& line, AtcOptions* out) {
  out->verify = line.IsTrue("verify");
  if (line.Has("verify_tolerance")) {
    const std::string& text = line.Get("verify_tolerance");
    char* end = nullptr;
    out->verify_tolerance = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(out->verify_tolerance) ||
        out->verify_tolerance < 0) {
      return Status::Error(
          StrCat("value '", text,
                 "' of --verify_tolerance is not a number >= 0; use for example 0.001"),
          "E10003");
    }
  }
  if (line.Has("verify_seed")) out->verify_seed = *ParseInt(line.Get("verify_seed"));
  return Status::Ok();
}

// Attributes that the .om gives to its model under names of its own.
bool IsModelAttr(std::string_view option) {
  return option == "soc_version" || option == "core_type" || option == "host_env_os" || option == "host_env_cpu";
}

}  // namespace

Result<ParsedCommandLine> ParsedCommandLine::Parse(const std::vector<std::string>& args) {
  ParsedCommandLine line;
  for (size_t i = 0; i < args.size(); ++i) {
    std::string_view word = args[i];
    size_t dashes = word.substr(0, 2) == "--" ? 2 : word.substr(0, 1) == "-" ? 1 : 0;
    if (word == "--" && i + 1 < args.size()) word = args[i + 1], dashes = 0;
    if (word == "--") break;
    if (dashes == 0 || word.size() == dashes) {
      return UsageError(StrCat("'", word, "' is not an option; options begin with '--'"));
    }
    size_t equals = word.find('=');
    std::string_view typed =
        word.substr(dashes, equals == std::string_view::npos ? equals : equals - dashes);
    if (dashes == 1 && typed.size() == 1 && typed != "h") {
      return UsageError(StrCat("unknown option '-", typed, "'; --help lists all names"));
    }
    GE_ASSIGN_OR_RETURN(const OptionSpec* spec, FindOption(typed));
    std::string value;
    if (equals != std::string_view::npos) {
      value = std::string(word.substr(equals + 1));
    } else if (spec->type != OptionType::kBool) {
      if (++i == args.size()) {
        return UsageError(StrCat("option '--", spec->name, "' needs a value: ", spec->help));
      }
      value = args[i];
    }
    GE_RETURN_IF_ERROR(CheckValue(*spec, value));
    line.values_[std::string(spec->name)] = std::move(value);
  }
  return line;
}

Status ParsedCommandLine::SetUnlessGiven(const std::string& name, const std::string& value) {
  if (Has(name)) return Status::Ok();
  GE_ASSIGN_OR_RETURN(const OptionSpec* spec, FindOption(name));
  GE_RETURN_IF_ERROR(CheckValue(*spec, value));
  values_[name] = value;
  return Status::Ok();
}

bool ParsedCommandLine::IsUsageError(const Status& status) {
  return !status.ok() && *status.id() == '\0';
}

const std::string& ParsedCommandLine::Get(std::string_view name) const {
  static const std::string kNotGiven;
  auto it = values_.find(name);
  return it == values_.end() ? kNotGiven : it->second;
}

bool ParsedCommandLine::IsTrue(std::string_view name) const {
  return Has(name) && ParseBool(Get(name)).value_or(false);
}

Result<AtcOptions> MakeAtcOptions(const ParsedCommandLine& line) {
  AtcOptions out;
  out.mode = ModeOf(line);
  if (line.Has("framework")) out.framework = *ParseInt(line.Get("framework"));
  out.log_level = LogLevelOf(line.Get("log"));
  GE_RETURN_IF_ERROR(CheckOptionRules(line));
  GE_RETURN_IF_ERROR(CheckMode(line));
  if (out.mode == kModelToJson || out.mode == kTextToJson || out.mode == kInformation) {
    out.show = {out.mode, out.framework, line.Get("om"), line.Get("json"), line.Get("dump_mode") == "1"};
    GE_RETURN_IF_ERROR(CheckShowRequest(out.show));
    return out;
  }
  GE_RETURN_IF_ERROR(CheckFramework(line));
  GE_RETURN_IF_ERROR(CheckRefusedOptions(line));
  if (out.mode == kCompile) GE_RETURN_IF_ERROR(Required(line, "output"));
  GE_RETURN_IF_ERROR(Required(line, "model"));
  out.model = line.Get("model");
  GE_RETURN_IF_ERROR(ReadOutputs(line, &out));
  for (EmitTarget& target : out.outputs) {
    if (line.Has("external_data_threshold")) {
      target.external_data_threshold = ParseInt(line.Get("external_data_threshold"));
    }
  }
  out.input_shape = line.Get("input_shape");
  out.input_shape_range = line.Get("input_shape_range");
  out.fusion_switch_file = line.Get("fusion_switch_file");
  out.explain_pass = line.Get("explain_pass");
  const std::string& compile_stat = line.Get("export_compile_stat");
  if (compile_stat == "0") out.compile_stat = CompileStat::kNever;
  if (compile_stat == "2") out.compile_stat = CompileStat::kAfterCompile;
  out.optimization_switch = line.Get("optimization_switch");
  out.oo_level = line.Get("oo_level");
  out.oo_constant_folding = line.Get("oo_constant_folding");
  GE_ASSIGN_OR_RETURN(out.on_error, OnErrorOf(line));
  GE_RETURN_IF_ERROR(ReadVerifyOptions(line, &out));
  out.graph = GraphSettingsOf(line);
  out.report = line.Get("report");
  for (const auto& [name, value] : line.values()) {
    std::string_view key = KeyOfOption(name);
    if (!OptionOfKey(key).empty()) out.by_key.emplace(key, value);
  }
  for (const OptionSpec& spec : AtcOptionTable()) {
    if (!line.Has(spec.name)) continue;
    if (spec.effect == OptionEffect::kIgnored) out.ignored.emplace_back(spec.name);
    if (spec.effect == OptionEffect::kNoted) out.noted.emplace_back(spec.name);
  }
  return out;
}

GraphSettingTexts GraphSettingsOf(const ParsedCommandLine& line) {
  GraphSettingTexts out;
  out.input_format = line.Get("input_format");
  out.sizes = {line.Get("dynamic_batch_size"), line.Get("dynamic_image_size"), line.Get("dynamic_dims")};
  out.out_nodes = line.Get("out_nodes");
  out.output_type = line.Get("output_type");
  out.input_fp16_nodes = line.Get("input_fp16_nodes");
  out.keep_dtype = line.Get("keep_dtype");
  for (const OptionSpec& spec : AtcOptionTable()) {
    if (spec.effect != OptionEffect::kNoted && spec.name != "soc_version") continue;
    if (line.Get(spec.name).empty()) continue;
    out.notes[std::string(IsModelAttr(spec.name) ? spec.name : KeyOfOption(spec.name))] = line.Get(spec.name);
  }
  return out;
}

std::string CommandName(std::string_view argv0) {
  constexpr std::string_view kModule = " -m ge.pyatc";
  if (argv0.size() >= kModule.size() && argv0.substr(argv0.size() - kModule.size()) == kModule)
    return "python3 -m ge.pyatc";
  size_t slash = argv0.rfind('/');
  return argv0.substr(slash == std::string_view::npos ? 0 : slash + 1) == "pyatc" ? "pyatc" : "atc";
}

}  // namespace ge::compiler
