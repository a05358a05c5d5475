// What new nodes keep of the nodes they replace: names and types they came from, passes, inherited attributes.
#ifndef GE_FUSION_ORIGIN_H_
#define GE_FUSION_ORIGIN_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace ge::fusion {

// Gathered once a rewrite, then applied to every new node. Reusable, so that memory is kept between rewrites.
class Origin {
 public:
  void Collect(std::span<ir::Node* const> old_nodes, std::string_view pass_name);
  // Old names joined with "_", cut to a sane length.
  std::string_view joined_names() const { return joined_; }
  // For a node that has just been added: writes its attributes without recording them.
  void ApplyToNew(ir::Graph& graph, ir::Node* node) const;
  // For a node that was there already.
  void Apply(ir::Graph& graph, ir::Node* node) const;

 private:
  void JoinNames(std::span<ir::Node* const> old_nodes);
  void CollectInherited(std::span<ir::Node* const> old_nodes);
  template <typename Set>
  void ForEachAttr(const ir::Node& node, Set set) const;

  std::vector<std::string> names_, types_, passes_;
  std::vector<std::pair<ir::Symbol, ir::AttrValue>> inherited_;
  std::vector<std::pair<std::string_view, int64_t>> precisions_;  // of old nodes, by name
  ir::AttrValue group_;  // for matrix operators only
  std::string joined_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_ORIGIN_H_
