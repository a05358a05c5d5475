#include "fusion/fuse_check.h"

#include <algorithm>

#include "base/strings.h"
#include "fusion/inherited_attrs.h"
#include "fusion/rewriter.h"

namespace ge::fusion {
namespace {

// A text or an integer attribute as text; false for other kinds.
bool AsText(const ir::AttrValue& value, std::string* text) {
  if (const auto* s = std::get_if<std::string>(&value)) {
    *text = *s;
    return true;
  }
  return false;
}

Status CheckOne(const InheritedAttr& attr, std::span<ir::Node* const> nodes) {
  std::vector<std::string> values;
  std::vector<std::string> names;
  for (const ir::Node* n : nodes) {
    const ir::AttrValue* value = n->attrs().Find(attr.name);
    if (value == nullptr) continue;
    std::string text;
    bool is_text = AsText(*value, &text);
    if (attr.max_level >= 0) {
      auto level = is_text ? ParseInt(text) : std::nullopt;
      if (!level || *level < 0 || *level > attr.max_level) {
        return Status::Error(StrCat("attribute '", attr.name.view(), "' of node '", n->name(),
                                    "' must be a text from '0' to '", attr.max_level, "', found '",
                                    is_text ? text : std::string("another kind of value"), "'"));
      }
    } else if (!is_text) {
      continue;
    }
    names.push_back(StrCat("'", n->name(), "'"));
    text = StrCat("'", text, "'");
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
  }
  if (values.size() <= 1) return Status::Ok();
  return Status::Error(StrCat("nodes ", Join(names, ", "), " can't be fused: attribute '", attr.name.view(),
                              "' has different values ", Join(values, ", "), "; give them the same value"));
}

}  // namespace

Status CheckAttrConflicts(std::span<ir::Node* const> nodes) {
  if (std::none_of(nodes.begin(), nodes.end(), [](ir::Node* n) { return HasFrameworkAttrs(*n); })) return Status::Ok();
  for (const InheritedAttr& attr : InheritedAttrs()) {
    if (attr.rule == InheritedAttr::Rule::kAgree) GE_RETURN_IF_ERROR(CheckOne(attr, nodes));
  }
  return Status::Ok();
}

namespace {
Status CheckOneGraph(const std::vector<ir::Node*>& nodes, std::string_view what) {
  for (const ir::Node* n : nodes) {
    if (n == nullptr) {
      return Status::Error(StrCat("cannot convert one of ", what, ": it is empty; pass nodes of the graph"));
    }
    if (n->graph() == nullptr) {
      return Status::Error(StrCat("owner graph is null: node '", n->name(), "' of ", what, " has been removed"));
    }
    if (n->graph() != nodes.front()->graph()) {
      return Status::Error(StrCat("nodes of different graphs: '", n->name(), "' is in '", n->graph()->name(), "', '",
                                  nodes.front()->name(), "' in '", nodes.front()->graph()->name(),
                                  "'; pass nodes of one graph"));
    }
  }
  return Status::Ok();
}
}  // namespace

Status CanFuse(const std::vector<ir::Node*>& nodes) {
  if (nodes.empty()) return Status::Error("the list of nodes to fuse is empty; pass at least one node");
  GE_RETURN_IF_ERROR(CheckOneGraph(nodes, "the nodes to fuse"));
  GE_RETURN_IF_ERROR(CheckAttrConflicts(nodes));
  if (FusingMakesCycle(nodes)) {
    return Status::Error(StrCat("fusing node '", nodes.front()->name(), "' and ", nodes.size() - 1,
                                " others would close a cycle: a path leaves them and comes back"));
  }
  return Status::Ok();
}

Status CheckReportedNodes(const std::vector<ir::Node*>& before, const std::vector<ir::Node*>& after) {
  if (before.empty()) return Status::Error("the list of nodes before the fusion is empty; pass what was replaced");
  GE_RETURN_IF_ERROR(CheckOneGraph(before, "the nodes before the fusion"));
  GE_RETURN_IF_ERROR(CheckOneGraph(after, "the nodes after the fusion"));
  if (!after.empty() && after.front()->graph() != before.front()->graph()) {
    return Status::Error(StrCat("nodes of different graphs: '", after.front()->name(), "' after the fusion is not in the "
                                "graph of '", before.front()->name(), "' before it"));
  }
  return Status::Ok();
}

}  // namespace ge::fusion
