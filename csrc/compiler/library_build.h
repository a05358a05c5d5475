// The compile of a graph that a program made: options under their names in the library.
#ifndef GE_COMPILER_LIBRARY_BUILD_H_
#define GE_COMPILER_LIBRARY_BUILD_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::compiler {

struct BuiltGraph {
  ir::GraphPtr graph;
  // What an .om says of its compile.
  std::vector<std::pair<std::string, ir::AttrValue>> attrs;
  std::vector<std::string> warnings;
};

// Runs all registered passes over a copy of `graph`; none may fail. Options ("ge.optimizationSwitch") have the values
// and the codes of the atc options that they are; a key that is unknown, or an option that ends in files, is an error
// (E10055).
GE_API Result<BuiltGraph> BuildGraph(const ir::Graph& graph, const std::map<std::string, std::string>& options);

}  // namespace ge::compiler

#endif  // GE_COMPILER_LIBRARY_BUILD_H_
