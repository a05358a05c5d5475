// --dynamic_batch_size, --dynamic_image_size, --dynamic_dims: the sizes that the -1 dims of --input_shape take.
#ifndef GE_COMPILER_DYNAMIC_SIZES_H_
#define GE_COMPILER_DYNAMIC_SIZES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/input_shape.h"
#include "ir/graph.h"

namespace ge::compiler {

struct DynamicSizes {
  enum class Kind : uint8_t { kNone, kBatch, kImage, kDims };
  Kind kind = Kind::kNone;
  std::string text;  // as given
  // Each with a size for every -1 of all inputs together (batch: one for all, image: height and width for all).
  std::vector<std::vector<int64_t>> profiles;

  bool given() const { return kind != Kind::kNone; }
  std::string_view option() const;  // "dynamic_batch_size"
  std::string_view key() const;     // "ge.dynamicBatchSize": the graph attribute that holds the text
};

struct DynamicSizeTexts {
  std::string batch, image, dims;
};

// Syntax and what the profiles must have in common; at most one of the texts may be given. Codes E10003, E10001,
// E10009, E10013, E10020, E10035 to E10039, E10058.
Result<DynamicSizes> ParseDynamicSizes(const DynamicSizeTexts& texts);

// Whether the -1 of these shapes are where the option wants them. `input_format` is that of the model. Codes E10001,
// E10003, E10012, E10018, E10019, E10031.
Status CheckAgainstShapes(const DynamicSizes& sizes, const std::vector<RequestedShape>& shapes,
                          std::string_view input_format);

// `shapes` as ResolveInputShapes made them, with the sizes of one profile in the place of the -1, in the order of
// `order`.
std::map<std::string, std::vector<int64_t>> ShapesOfProfile(const DynamicSizes& sizes, size_t profile,
                                                            const std::vector<RequestedShape>& order,
                                                            const std::map<std::string, std::vector<int64_t>>& shapes);

// Infers the shapes of a copy of the graph for every profile: a size that the model can't take is found now, and not
// when the model runs. The error names the profile.
Status CheckProfiles(const DynamicSizes& sizes, const std::vector<RequestedShape>& order,
                     const std::map<std::string, std::vector<int64_t>>& shapes, const ir::Graph& graph);

}  // namespace ge::compiler

#endif  // GE_COMPILER_DYNAMIC_SIZES_H_
