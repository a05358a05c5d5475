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

// What a rule needs for every node with one element type.
int64_t NeedOfType(const ExportRule& rule, int64_t opset, ir::DataType type, Style style) {
  if (style == Style::kSpelledOut && rule.spelled_out_since != 0) {
    return std::max<int64_t>(opset, rule.spelled_out_since);
  }
  opset = std::max<int64_t>(opset, rule.since);
  return rule.typed_as == nullptr ? opset : LeastOpset(rule.typed_as, opset, type);
}

Need LeastFor(const std::vector<const ir::Node*>& order, const ModelInfo* info, int64_t start, Style style) {
  const MappingTable& table = MappingTable::Get();
  Need need{start, nullptr};
  std::vector<uint64_t> seen;  // by type: the element types looked at
  for (bool changed = true; changed;) {
    changed = false;
    seen.clear();
    for (const ir::Node* node : order) {
      const ExportRule* rule = table.FindExport(node->type());
      if (rule == nullptr) continue;
      if (node->type().id() >= seen.size()) seen.resize(node->type().id() + 1);
      // What the model itself did with types is left as it was.
      bool typed = node->num_inputs() > 0 && (info == nullptr || node->id() >= info->end_of_import);
      ir::DataType type = typed ? node->input_desc(0).dtype : ir::DataType::kUndefined;
      uint64_t bit = uint64_t{1} << static_cast<unsigned>(type);
      int64_t opset = need.opset;
      if ((seen[node->type().id()] & bit) == 0) {
        seen[node->type().id()] |= bit;
        opset = NeedOfType(*rule, opset, type, style);
      }
      if (rule->opset != nullptr) opset = std::max(opset, rule->opset(*node, opset));
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
  if (requested > kNewestOpset && requested != own) {
    return Status::Error(StrCat("opset ", requested, " was asked for, the newest that is known here is ", kNewestOpset,
                                "; ask for that or leave the opset to the model"),
                         "E19999");
  }
  const int64_t start = requested != 0 ? requested : own != 0 ? own : info == nullptr ? kDefaultOpset : 0;
  Need need = LeastFor(order, info, start, Style::kShortest);
  if (requested != 0 && need.opset > requested) need = LeastFor(order, info, start, Style::kSpelledOut);
  if (requested != 0 && need.opset > requested) {
    return Status::Error(StrCat("node '", need.node->name(), "' of type '", need.node->type().view(), "' needs opset ",
                                need.opset, ", opset ", requested, " was asked for; ask for ", need.opset,
                                " or leave the opset to the model"),
                         "E19999");
  }
  if (own == 0 || need.opset == own) return need.opset;
  Conflict conflict = FindConflict(order, own, need.opset);
  if (conflict.node == nullptr) return need.opset;
  Need plain = LeastFor(order, info, start, Style::kSpelledOut);
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
