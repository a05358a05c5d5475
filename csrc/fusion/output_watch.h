// Which outputs a graph has, to tell after a pass which of them are lost.
#ifndef GE_FUSION_OUTPUT_WATCH_H_
#define GE_FUSION_OUTPUT_WATCH_H_

#include <string>
#include <vector>

#include "ir/graph.h"

namespace ge::fusion {

class OutputWatch {
 public:
  explicit OutputWatch(const ir::Graph& graph);
  // "output 0 ('y')" for each that had a tensor and has none now. REQUIRES: the graph still exists.
  std::vector<std::string> Lost(const ir::Graph& graph) const;

 private:
  std::string NameOf(uint32_t i) const;

  const ir::Node* end_;
  std::vector<ir::Anchor> sources_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_OUTPUT_WATCH_H_
