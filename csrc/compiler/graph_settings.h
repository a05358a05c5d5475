// What options say about the graph itself: its outputs, element types at its ends, profiles.
#ifndef GE_COMPILER_GRAPH_SETTINGS_H_
#define GE_COMPILER_GRAPH_SETTINGS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/boundary_types.h"
#include "compiler/dynamic_sizes.h"
#include "compiler/graph_outputs.h"
#include "compiler/input_shape.h"
#include "ir/graph.h"

namespace ge::compiler {

// The texts as given; empty: not given.
struct GraphSettingTexts {
  std::string input_format;
  DynamicSizeTexts sizes;
  std::string out_nodes;
  std::string output_type;
  std::string input_fp16_nodes;
  std::string keep_dtype;  // a file
  // What an .om says of its compile: attribute of the model -> value. Nothing here uses them.
  std::map<std::string, std::string> notes;
};

// One compile. The calls come in the order in which they stand here.
class GraphSettings {
 public:
  // Everything that needs no model. `shapes` is --input_shape.
  Status Read(GraphSettingTexts texts, const std::vector<RequestedShape>& shapes, bool shapes_are_ranges);
  // Chooses outputs, checks names and profiles against the model. `dims` as ResolveInputShapes gave them.
  Status BeforePasses(ir::Graph& graph, const std::map<std::string, std::vector<int64_t>>& dims);
  // The casts at the ends: passes see the model as it was.
  Status AfterPasses(ir::Graph& graph);

  const std::vector<std::string>& warnings() const { return warnings_; }
  const DynamicSizes& sizes() const { return sizes_; }
  // Input shapes to try a result with: one for each profile, at most `most`; one without sizes when there are no
  // profiles.
  std::vector<std::map<std::string, std::vector<int64_t>>> ShapesToTry(
      const std::map<std::string, std::vector<int64_t>>& dims, size_t most) const;
  // Names of the source model's tensors that are the outputs now; empty when they were not changed.
  const std::vector<std::string>& chosen_outputs() const { return output_names_; }
  bool casts_outputs() const { return !types_.empty(); }
  // Names of the inputs that are half floats now.
  const std::vector<std::string>& fp16_inputs() const { return fp16_names_; }

 private:
  Status KeepTypes(ir::Graph& graph);
  Status CheckOpenDims(const std::map<std::string, std::vector<int64_t>>& dims) const;

  GraphSettingTexts texts_;
  DynamicSizes sizes_;
  std::vector<RequestedShape> shapes_;
  OutputTypes types_;
  std::vector<ir::Node*> fp16_;
  std::vector<std::string> fp16_names_;
  std::vector<std::string> output_names_;
  std::vector<std::string> warnings_;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_GRAPH_SETTINGS_H_
