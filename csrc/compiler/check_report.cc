#include "compiler/check_report.h"

#include <cstdlib>

#include "base/json_text.h"
#include "base/strings.h"
#include "compiler/output_path.h"
#include "ops/op_def.h"

namespace ge::compiler {
namespace {

constexpr int kTypeUnsupported = 1;

bool IsOperator(const ir::Node& n) { return !n.is_data() && !n.is_const() && !n.is_net_output(); }

void AppendOp(const ir::Node& n, bool known, std::string* out) {
  *out += "    {\"name\": ";
  AppendJsonText(n.name(), out);
  *out += ", \"type\": ";
  AppendJsonText(n.type().view(), out);
  *out += known ? ", \"result\": \"success\"" : ", \"result\": \"failed\"";
  if (!known) {
    *out += StrCat(", \"cause\": [{\"code\": ", kTypeUnsupported, ", \"message\": ");
    AppendJsonText(StrCat("no GE operator '", n.type().view(), "' is known; the node is carried through unchanged"), out);
    *out += "}]";
  }
  *out += "}";
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
  for (const ir::Node* n : graph.nodes()) {
    if (!IsOperator(*n)) continue;
    bool known = ops::FindOp(n->type()) != nullptr;
    if (!known && result.failed++ == 0) result.first_unknown = std::string(n->type().view());
    if (result.total++ > 0) ops += ",\n";
    AppendOp(*n, known, &ops);
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
