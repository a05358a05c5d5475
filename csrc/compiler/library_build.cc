#include "compiler/library_build.h"

#include <algorithm>

#include "base/strings.h"
#include "compiler/atc_options.h"
#include "compiler/builtin_choice.h"
#include "compiler/closest_name.h"
#include "compiler/graph_settings.h"
#include "compiler/input_shape.h"
#include "compiler/option_keys.h"
#include "compiler/option_rules.h"
#include "compiler/pass_switches.h"
#include "compiler/pipeline.h"

namespace ge::compiler {
namespace {

// Keys of GE's library that only the device's compiler reads.
constexpr std::string_view kInnerKeys[] = {"ge.performance_mode", "ge.exec.exclude_engines", "ge.offlineMode",
                                           "ge.inputHintShapeValue", "ge.exec.outputReuseMemIndexes"};

Result<ParsedCommandLine> ReadKeys(const std::map<std::string, std::string>& options) {
  ParsedCommandLine line;
  for (const auto& [key, value] : options) {
    if (std::find(std::begin(kInnerKeys), std::end(kInnerKeys), key) != std::end(kInnerKeys)) continue;
    std::string_view option = OptionOfKey(key);
    if (option.empty()) {
      return Status::Error(StrCat("option '", key,
                                  "' is unknown, expected a key of the library such as "
                                  "'ge.optimizationSwitch'; correct it or leave it out"),
                           "E10055");
    }
    GE_RETURN_IF_ERROR(line.SetUnlessGiven(std::string(option), value));
  }
  return line;
}

}  // namespace

Result<BuiltGraph> BuildGraph(const ir::Graph& graph, const std::map<std::string, std::string>& options) {
  GE_ASSIGN_OR_RETURN(ParsedCommandLine line, ReadKeys(options));
  GE_RETURN_IF_ERROR(CheckOptionRules(line));
  GE_RETURN_IF_ERROR(CheckRefusedOptions(line));
  std::vector<RequestedShape> shapes;
  bool ranges = !line.Get("input_shape_range").empty();
  if (ranges) {
    GE_ASSIGN_OR_RETURN(shapes, ParseInputShapeRange(line.Get("input_shape_range")));
  } else if (!line.Get("input_shape").empty()) {
    GE_ASSIGN_OR_RETURN(shapes, ParseInputShape(line.Get("input_shape")));
  }
  BuiltGraph out;
  GraphSettingTexts texts = GraphSettingsOf(line);
  for (const auto& [name, value] : texts.notes) out.attrs.emplace_back(name, value);
  GraphSettings settings;
  GE_RETURN_IF_ERROR(settings.Read(std::move(texts), shapes, ranges));
  GE_ASSIGN_OR_RETURN(PassSwitches switches, PassSwitches::Read(line.Get("optimization_switch"),
                                                                line.Get("fusion_switch_file"), &out.warnings));
  out.graph = graph.Clone();
  CompileOptions compile;
  GE_ASSIGN_OR_RETURN(compile.input_shapes, ResolveInputShapes(shapes, *out.graph));
  GE_RETURN_IF_ERROR(settings.BeforePasses(*out.graph, compile.input_shapes));
  out.warnings.insert(out.warnings.end(), settings.warnings().begin(), settings.warnings().end());
  compile.executor.on_error = fusion::OnError::kFail;
  compile.executor.enabled = [&](std::string_view name) { return switches.IsEnabled(name); };
  compile.executor.builtin = [choice = BuiltinChoice(switches, line.Get("oo_level"), line.Get("oo_constant_folding"))](
                                 const fusion::BuiltinPass& pass) { return choice.Runs(pass); };
  compile.executor.options = options;
  CompileReport report;
  GE_RETURN_IF_ERROR(Compile(out.graph, compile, &report));
  GE_RETURN_IF_ERROR(settings.AfterPasses(*out.graph));
  return out;
}

}  // namespace ge::compiler
