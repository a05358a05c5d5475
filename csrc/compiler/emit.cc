#include "compiler/emit.h"

#include <algorithm>

#include "base/strings.h"
#include "compiler/output_path.h"
#include "formats/air/air.h"
#include "formats/dump/dump_file.h"
#include "formats/om/om.h"
#include "formats/onnx/onnx.h"

namespace ge::compiler {
namespace {

struct KindFacts {
  std::string_view name;
  std::string_view suffix;
};
// By EmitKind.
constexpr KindFacts kKinds[] = {{"om", ".om"}, {"onnx", ".onnx"}, {"air", ".air"}, {"txt", ".txt"}};

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

Result<std::vector<EmitTarget>> EmitTargets(const std::string& output, std::string_view kinds) {
  std::vector<EmitTarget> targets;
  for (std::string_view word : Split(kinds.empty() ? "om" : kinds, ',')) {
    word = Trim(word);
    const KindFacts* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                          [word](const KindFacts& k) { return k.name == word; });
    if (found == std::end(kKinds)) {
      return Status::Error(StrCat("value '", kinds, "' of --emit: '", word, "' is not one of: om, onnx, air, txt; join "
                                  "several with commas"),
                           "E10001");
    }
    auto kind = static_cast<EmitKind>(found - std::begin(kKinds));
    if (FindTarget(targets, kind) == nullptr) targets.push_back({kind, {}});
  }
  std::string base = output;
  for (const EmitTarget& t : targets) {
    std::string_view suffix = kKinds[static_cast<size_t>(t.kind)].suffix;
    if (!EndsWith(output, suffix)) continue;
    base.resize(base.size() - suffix.size());
    break;
  }
  for (EmitTarget& t : targets) {
    GE_ASSIGN_OR_RETURN(t.file, OutputFile(base, kKinds[static_cast<size_t>(t.kind)].suffix));
  }
  // ONNX is what a graph may not fit into: then nothing is written.
  std::stable_partition(targets.begin(), targets.end(), [](const EmitTarget& t) { return t.kind == EmitKind::kOnnx; });
  return targets;
}

const EmitTarget* FindTarget(const std::vector<EmitTarget>& targets, EmitKind kind) {
  for (const EmitTarget& t : targets) {
    if (t.kind == kind) return &t;
  }
  return nullptr;
}

Status Emit(const ir::Graph& graph, const EmitTarget& target, const ModelAttrs& model_attrs) {
  GE_RETURN_IF_ERROR(CreateFolders(target.file));
  switch (target.kind) {
    case EmitKind::kOm: return formats::om::Save(graph, target.file, {model_attrs});
    case EmitKind::kOnnx:
      return formats::onnx::Save(graph, target.file, {.external_data_threshold = target.external_data_threshold});
    case EmitKind::kAir: return formats::air::Save(graph, target.file);
    case EmitKind::kTxt: break;
  }
  return WriteTextFile(target.file, formats::dump::Text(graph, formats::dump::Form::kProto));
}

std::string_view EmitNote(EmitKind kind) {
  return kind == EmitKind::kOm ? "graph and weights, no device kernels" : "";
}

}  // namespace ge::compiler
