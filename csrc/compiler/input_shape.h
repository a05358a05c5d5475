// --input_shape and --input_shape_range: from text to the dims of the model's inputs.
#ifndef GE_COMPILER_INPUT_SHAPE_H_
#define GE_COMPILER_INPUT_SHAPE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace ge::compiler {

// Sizes a dim may have; high < 0: without bound.
struct DimRange {
  int64_t low = 0;
  int64_t high = -1;
};

struct RequestedShape {
  std::string input;  // empty: by position
  std::vector<DimRange> dims;
};

// "a:1,3,-1;b:1~8,3;c:" (by position only with ranges and without any colon). Codes E10001, E10002,
// E10011, E10013, E10014.
Result<std::vector<RequestedShape>> ParseInputShape(std::string_view text);
// "a:[1~10,3,-1];b:[8]" or "[1~10,3],[8]". Code E10048.
Result<std::vector<RequestedShape>> ParseInputShapeRange(std::string_view text);

// Fills in the names of shapes given by position, and the inputs' own names. Codes E10016, E10017, E10048.
Status NameShapes(std::vector<RequestedShape>* shapes, const ir::Graph& graph);
// Sizes for the inputs named, -1 where a dim stays dynamic. Codes E10016, E10017 (names), E10048,
// E10049, E10050 (against the model's own dims).
Result<std::map<std::string, std::vector<int64_t>>> ResolveInputShapes(
    const std::vector<RequestedShape>& shapes, const ir::Graph& graph);

}  // namespace ge::compiler

#endif  // GE_COMPILER_INPUT_SHAPE_H_
