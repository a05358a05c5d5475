#include "compiler/check_report.h"

#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/strings.h"
#include "compiler/output_path.h"
#include "formats/onnx/known_to_ge.h"
#include "ops/op_def.h"

namespace ge::compiler {
namespace {

constexpr int kTypeUnsupported = 1, kNameRepeated = 9;

struct Cause {
  int code;
  std::string message;
};

bool IsOperator(const ir::Node& n) { return !n.is_data() && !n.is_const() && !n.is_net_output(); }

// A node without a name is shown under the one it was given here.
std::string_view ShownName(const ir::Node& n) {
  std::string_view name = formats::onnx::NameInModel(n);
  return name.empty() ? n.name() : name;
}

// How many operators have each name.
std::map<std::string_view, int> CountNames(const ir::Graph& graph) {
  std::map<std::string_view, int> counts;
  for (const ir::Node* n : graph.nodes()) {
    if (IsOperator(*n)) ++counts[ShownName(*n)];
  }
  return counts;
}

std::string UnsupportedMessage(const ir::Node& n, std::string_view lacking) {
  constexpr std::string_view kThen = "; the node is carried through unchanged";
  if (lacking == n.type().view()) return StrCat("no GE operator '", lacking, "' is known", kThen);
  return StrCat("its subgraphs use '", lacking, "', for which no GE operator is known", kThen);
}

void AppendOp(const ir::Node& n, const std::vector<Cause>& causes, std::string* out) {
  *out += "    {\"name\": ";
  AppendJsonText(ShownName(n), out);
  *out += ", \"type\": ";
  AppendJsonText(n.type().view(), out);
  *out += causes.empty() ? ", \"result\": \"success\"" : ", \"result\": \"failed\", \"cause\": [";
  for (size_t i = 0; i < causes.size(); ++i) {
    *out += StrCat(i == 0 ? "" : ", ", "{\"code\": ", causes[i].code, ", \"message\": ");
    AppendJsonText(causes[i].message, out);
    *out += "}";
  }
  *out += causes.empty() ? "}" : "]}";
}

}  // namespace

std::string CheckReportFile(const std::string& given) {
  if (!given.empty()) return given;
  const char* work = std::getenv("ASCEND_WORK_PATH");
  return work != nullptr && *work != '\0' ? StrCat(work, "/check_result.json") : "check_result.json";
}

Result<CheckResult> WriteCheckReport(const ir::Graph& graph, const std::string& file) {
  CheckResult result;
  std::string ops;
  const std::map<std::string_view, int> names = CountNames(graph);
  for (const ir::Node* n : graph.nodes()) {
    if (!IsOperator(*n)) continue;
    std::vector<Cause> causes;
    if (ops::FindOp(n->type()) == nullptr) {
      GE_ASSIGN_OR_RETURN(std::string lacking, formats::onnx::LackingInGe(*n));
      if (!lacking.empty()) {
        causes.push_back({kTypeUnsupported, UnsupportedMessage(*n, lacking)});
        if (result.unknown++ == 0) result.first_unknown = std::move(lacking);
      }
    }
    std::string_view name = ShownName(*n);
    if (int count = names.at(name); count > 1) {
      causes.push_back({kNameRepeated, StrCat(count, " nodes of the model have this name; give each its own")});
      if (result.first_repeated.empty()) result.first_repeated = std::string(name);
    }
    result.failed += causes.empty() ? 0 : 1;
    if (result.total++ > 0) ops += ",\n";
    AppendOp(*n, causes, &ops);
  }
  std::string text = "{\n  \"name\": ";
  AppendJsonText(graph.name(), &text);
  text += StrCat(",\n  \"result\": ", result.failed == 0 ? "\"success\"" : "\"failed\"",
                 ",\n  \"total\": ", result.total, ",\n  \"pass\": ", result.total - result.failed,
                 ",\n  \"fail\": ", result.failed, ",\n  \"op\": [\n", ops, "\n  ]\n}\n");
  GE_RETURN_IF_ERROR(WriteTextFile(file, text));
  return result;
}

}  // namespace ge::compiler
