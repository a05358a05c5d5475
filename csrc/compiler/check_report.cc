#include "compiler/check_report.h"

#include <cstdio>
#include <cstdlib>

#include "base/strings.h"
#include "compiler/output_path.h"
#include "ops/op_def.h"

namespace ge::compiler {
namespace {

constexpr int kTypeUnsupported = 1;

void AppendQuoted(std::string_view text, std::string* out) {
  out->push_back('"');
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      *out += code;
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

bool IsOperator(const ir::Node& n) { return !n.is_data() && !n.is_const() && !n.is_net_output(); }

void AppendOp(const ir::Node& n, bool known, std::string* out) {
  *out += "    {\"name\": ";
  AppendQuoted(n.name(), out);
  *out += ", \"type\": ";
  AppendQuoted(n.type().view(), out);
  *out += known ? ", \"result\": \"success\"" : ", \"result\": \"failed\"";
  if (!known) {
    *out += StrCat(", \"cause\": [{\"code\": ", kTypeUnsupported, ", \"message\": ");
    AppendQuoted(StrCat("no GE operator '", n.type().view(), "' is known; the node is carried through unchanged"), out);
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
  AppendQuoted(graph.name(), &text);
  text += StrCat(",\n  \"result\": ", result.failed == 0 ? "\"success\"" : "\"failed\"",
                 ",\n  \"total\": ", result.total, ",\n  \"pass\": ", result.total - result.failed,
                 ",\n  \"fail\": ", result.failed, ",\n  \"op\": [\n", ops, "\n  ]\n}\n");
  GE_RETURN_IF_ERROR(WriteTextFile(file, text));
  return result;
}

}  // namespace ge::compiler
