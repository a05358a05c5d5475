#include "formats/onnx/opset_choice.h"

#include <algorithm>

#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/op_versions.h"
#include "formats/onnx/subgraph_names.h"

namespace ge::formats::onnx {
namespace {

constexpr std::string_view kOnnxPrefix = "ai.onnx::";

// Whether operators newer than the model may be spelled out with older ones instead.
enum class Style { kShortest, kSpelledOut };

struct Need {
  int64_t opset = 0;
  const ir::Node* node = nullptr;  // the node that needs it
};

int64_t NeedOf(const ir::Node& node, const ExportRule& rule, int64_t opset, Style style) {
  if (style == Style::kSpelledOut && rule.spelled_out_since != 0) {
    return std::max<int64_t>(opset, rule.spelled_out_since);
  }
  if (rule.opset != nullptr) return std::max(opset, rule.opset(node, opset));
  opset = std::max<int64_t>(opset, rule.since);
  if (rule.row != nullptr && node.num_inputs() > 0) {
    opset = LeastOpset(rule.row->onnx, opset, node.input_desc(0).dtype);
  }
  return opset;
}

Need LeastFor(const std::vector<const ir::Node*>& order, int64_t start, Style style) {
  const MappingTable& table = MappingTable::Get();
  Need need{start, nullptr};
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Node* node : order) {
      const ExportRule* rule = table.FindExport(node->type());
      if (rule == nullptr) continue;
      int64_t opset = NeedOf(*node, *rule, need.opset, style);
      if (opset > need.opset) {
        need = {opset, node};
        changed = true;
      }
    }
  }
  return need;
}

// The first opaque node that another opset would change; null if there is none.
struct Conflict {
  const ir::Node* node = nullptr;
  std::string op;
};
Conflict FindConflict(const std::vector<const ir::Node*>& order, int64_t from, int64_t to) {
  Conflict conflict;
  auto any_attr = [](std::string_view) { return true; };
  for (const ir::Node* node : order) {
    std::string_view type = node->type().view();
    size_t colons = type.find("::");
    if (colons == std::string_view::npos || MappingTable::Get().FindExport(node->type()) != nullptr) continue;
    if (type.substr(0, kOnnxPrefix.size()) == kOnnxPrefix) {
      std::string_view op = type.substr(kOnnxPrefix.size());
      auto has = [node](std::string_view attr) { return node->attrs().Find(ir::Symbol(attr)) != nullptr; };
      if (!SameMeaning(op, from, to, has)) return {node, std::string(op)};
    }
    // Bodies are written as they came in.
    for (const auto& entry : node->attrs()) {
      const auto* attr = std::get_if<ir::Bytes>(&entry.second);
      if (attr == nullptr) continue;
      std::vector<std::string_view> graphs;
      if (!GraphsOfAttr(attr->data, &graphs).ok()) continue;
      for (std::string_view graph : graphs) {
        Status visited = VisitBodyNodes(graph, [&](std::string_view domain, std::string_view op) {
          if (!domain.empty() && domain != "ai.onnx") return;
          if (conflict.node == nullptr && !SameMeaning(op, from, to, any_attr)) conflict = {node, std::string(op)};
        });
        if (conflict.node != nullptr || !visited.ok()) return conflict;
      }
    }
  }
  return conflict;
}

}  // namespace

Result<int64_t> ChooseOpset(const std::vector<const ir::Node*>& order, const ModelInfo* info, int64_t requested) {
  const int64_t own = info == nullptr ? 0 : info->opset();
  const int64_t start = requested != 0 ? requested : own != 0 ? own : info == nullptr ? kDefaultOpset : 0;
  Need need = LeastFor(order, start, Style::kShortest);
  if (requested != 0 && need.opset > requested) need = LeastFor(order, start, Style::kSpelledOut);
  if (requested != 0 && need.opset > requested) {
    return Status::Error(StrCat("node '", need.node->name(), "' of type '", need.node->type().view(), "' needs opset ",
                                need.opset, ", opset ", requested, " was asked for; ask for ", need.opset,
                                " or leave the opset to the model"),
                         "E19999");
  }
  if (own == 0 || need.opset == own) return need.opset;
  Conflict conflict = FindConflict(order, own, need.opset);
  if (conflict.node == nullptr) return need.opset;
  Need plain = LeastFor(order, start, Style::kSpelledOut);
  if (requested == 0 && FindConflict(order, own, plain.opset).node == nullptr) return plain.opset;
  std::string why = need.node == nullptr
                        ? StrCat("opset ", need.opset, " was asked for")
                        : StrCat("node '", need.node->name(), "' of type '", need.node->type().view(),
                                 "' needs opset ", need.opset);
  return Status::Error(
      StrCat(why, ", but node '", conflict.node->name(), "' is an ONNX ", conflict.op, " of opset ", own,
             " that means something else there; convert the model to opset ", need.opset,
             " with onnx.version_converter first, or leave out the pass that made the new node"),
      "E19999");
}

}  // namespace ge::formats::onnx
