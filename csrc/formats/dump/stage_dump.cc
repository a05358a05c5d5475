#include "formats/dump/stage_dump.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "base/log.h"
#include "base/strings.h"
#include "formats/dump/dump_file.h"

namespace ge::formats::dump {
namespace {

constexpr std::string_view kMainStages[] = {
    "PreRunBegin", "PreRunAfterNormalizeGraph", "AfterInfershape", "PreRunAfterPrepare",
    "PreRunAfterOptimizeOriginalGraph", "PreRunAfterOptimizeAfterStage1", "PreRunAfterOptimizeSubgraph",
    "PreRunAfterOptimizeGraphBeforeBuild", "Build",
};
constexpr std::string_view kPassStage = "RunCustomPass";
constexpr std::string_view kNeverAtLevel1[] = {"partition", "OptimizeSubGraph", "Aicpu", "sub_graph"};

std::string_view Environment(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : std::string_view(value);
}

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool IsChosen(std::string_view stage) {
  std::string_view level = Environment("DUMP_GRAPH_LEVEL", "2");
  if (level == "1") {
    return std::none_of(std::begin(kNeverAtLevel1), std::end(kNeverAtLevel1),
                        [stage](std::string_view part) { return Contains(stage, part); });
  }
  if (level == "2") {
    return Contains(stage, kPassStage) ||
           std::find(std::begin(kMainStages), std::end(kMainStages), stage) != std::end(kMainStages);
  }
  if (level == "3") return stage == "Build";
  if (level == "4") return stage == "PreRunBegin";
  for (std::string_view part : Split(level, '|')) {
    if (!part.empty() && Contains(stage, part)) return true;
  }
  return false;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool IsOn() {
  std::string_view on = Environment("DUMP_GE_GRAPH", "");
  return on == "1" || on == "2" || on == "3";
}

}  // namespace

Status DumpStage(const ir::Graph& graph, std::string_view stage, const std::map<std::string, std::string>& options) {
  if (!IsOn() || !IsChosen(stage)) return Status::Ok();
  Status first;
  auto failed = [&first](Status status) {
    GE_LOG(LogLevel::kWarning, "dump", status.message());
    if (first.ok()) first = std::move(status);
  };
  for (std::string_view name : Split(Environment("DUMP_GRAPH_FORMAT", "ge_proto|onnx"), '|')) {
    std::string form = Lower(Trim(name));
    if (form.empty()) continue;
    Form chosen;
    if (form == "ge_proto") {
      chosen = Form::kProto;
    } else if (form == "onnx") {
      chosen = Form::kOnnx;
    } else if (form == "onnx_model") {
      chosen = Form::kOnnxModel;
    } else if (form == "readable") {
      chosen = Form::kReadable;
    } else {
      failed(Status::Error(StrCat("value '", Environment("DUMP_GRAPH_FORMAT", ""),
                                  "' of DUMP_GRAPH_FORMAT: '", name, "' is not one of ge_proto, onnx, onnx_model, readable; "
                                  "join several with '|'")));
      continue;
    }
    auto written = ToFile(graph, chosen, stage, &options);
    if (!written.ok()) failed(written.status().WithContext(StrCat("stage '", stage, "'")));
  }
  return first;
}

}  // namespace ge::formats::dump
